import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { deliveredSpans, noteDelivered } from './telemetry-file.ts';

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'ym-telemetry-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return dir;
}

test('spans that a sink received are known to the next process, for that sink only', async () => {
  const dir = folder();
  mkdirSync(join(dir, 'r1'));
  expect(deliveredSpans(dir, 'r1', 'here')).toEqual(new Set());
  await noteDelivered(dir, 'r1', 'here', ['a', 'b']);
  await noteDelivered(dir, 'r1', 'there', ['c']);
  appendFileSync(join(dir, 'r1', 'telemetry.jsonl'), '{"to":"here","spans":["x"');
  await noteDelivered(dir, 'r1', 'here', ['d']);
  expect(deliveredSpans(dir, 'r1', 'here')).toEqual(new Set(['a', 'b', 'd']));
  expect(deliveredSpans(dir, 'r1', 'there')).toEqual(new Set(['c']));
});

test('a folder that is gone changes nothing', async () => {
  const dir = folder();
  await noteDelivered(dir, 'gone', 'here', ['a']);
  expect(deliveredSpans(dir, 'gone', 'here')).toEqual(new Set());
});
