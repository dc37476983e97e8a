import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../../test/rig/temp-folder.ts';
import { deliveredSpans, noteDelivered } from './telemetry-file.ts';

function folder(): string {
  const dir = tempFolder();
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
