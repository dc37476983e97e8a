// The last action of an agent, read from the end of the file that its turn writes.

import { appendFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { redactorFor } from '../../src/app/config.ts';
import { limits } from '../../src/model/limits.ts';
import { lastActionIn } from '../../src/wire/agent-output.ts';
import { tempFolder } from '../rig/temp-folder.ts';

const redact = redactorFor({ agents: {} }, { SOME_API_KEY: 'tell-nobody-this' });
let dir = '';
let file = '';

beforeEach(() => {
  dir = tempFolder();
  file = join(dir, 'turn-1.out');
});

function bash(command: string): string {
  const content = [{ type: 'tool_use', id: command, name: 'Bash', input: { command } }];
  return `${JSON.stringify({ type: 'assistant', session_id: 's', message: { content } })}\n`;
}

it('is found in the end of a large file, with the size of the file and the time at which it grew last', () => {
  const printed = bash('first').repeat(2_000) + bash('npm test');
  writeFileSync(file, printed);
  utimesSync(file, 10, 20);
  expect(lastActionIn(file, redact)).toEqual({
    text: 'Bash npm test',
    at: 20_000,
    bytes: printed.length,
  });
});

it('is unknown where the file is missing or its last line is longer than what is read', () => {
  expect(lastActionIn(file, redact)).toBeUndefined();
  writeFileSync(file, 'x'.repeat(limits.lastActionMaxBytes + 1));
  expect(lastActionIn(file, redact)).toBeUndefined();
});

it('is found before a long line without an action, as far back as displays read', () => {
  const cut = 'x'.repeat(limits.lastActionBytes);
  writeFileSync(file, `${bash('npm test')}${JSON.stringify({ type: 'unknown', cut })}`);
  expect(lastActionIn(file, redact)?.text).toBe('Bash npm test');
});

it('shows no secret', () => {
  writeFileSync(file, bash(`curl -H ${'x'.repeat(150)} tell-nobody-this`));
  expect(lastActionIn(file, redact)?.text).toMatch(/x \[redacted\]$/);
});

it('is not read again while the file has not grown', () => {
  const text = 'Reads the file\n';
  writeFileSync(file, text);
  const before = lastActionIn(file, redact);
  expect(lastActionIn(file, redact, before)).toBe(before);
  appendFileSync(file, 'Writes it\n');
  expect(lastActionIn(file, redact, before)?.text).toBe('Writes it');
});

it('is found although the lines after it are empty, or it is a long one', () => {
  writeFileSync(file, `${'Reads\n'.repeat(5_000)}Writes\n\n\n`);
  expect(lastActionIn(file, redact)?.text).toBe('Writes');
  writeFileSync(file, `Reads\n${'.'.repeat(10_000)}`);
  expect(lastActionIn(file, redact)?.text).toMatch(/^\.+…$/);
});

it('shows no line of a private key that begins far above', () => {
  const line = 'MIIJQgIBADANBgkqhkiG9w0BAQEFAASCCSwwggkoAgEAAoICAQC7VJTUt9Us8cKj';
  const key = `-----BEGIN PRIVATE KEY-----\n${`${line}\n`.repeat(100)}`;
  writeFileSync(file, `Reads the key\n${key}`);
  expect(lastActionIn(file, redact)?.text).not.toContain('MIIJ');
  appendFileSync(file, '-----END PRIVATE KEY-----\n');
  expect(lastActionIn(file, redact)?.text).toBe('[redacted]');
});
