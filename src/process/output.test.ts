import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../../test/rig/temp-folder.ts';
import { limits } from '../model/limits.ts';
import { redactor } from '../model/redact.ts';
import { linesOf } from './output.ts';

async function linesIn(out: string | Buffer, err = '', secrets: readonly string[] = []) {
  const dir = tempFolder();
  const files = { out: join(dir, 'a.out'), err: join(dir, 'a.err') };
  writeFileSync(files.out, out);
  writeFileSync(files.err, err);
  const lines: string[] = [];
  await linesOf(files, redactor(secrets), (line) => lines.push(line));
  return lines;
}

describe('the lines of an output', () => {
  it('are those of standard output, then those of standard error, the last one without its end', async () => {
    expect(await linesIn('one\r\n\ntwo', 'three\nfour\n')).toEqual([
      'one',
      '',
      'two',
      'three',
      'four',
    ]);
  });

  it('are complete however the file is read, without control characters', async () => {
    const wanted = Array.from({ length: 40_000 }, (_, n) => `${n} \u00e4\u{1f642} done`);
    const colored = wanted.map((line) => `\u001b[32m${line}\u001b[39m`);
    expect(await linesIn(colored.join('\n'))).toEqual(wanted);
  });

  it('have no secret, wherever it stands', async () => {
    const secret = 'open-sesame-1234';
    const text = Array.from({ length: 9_000 }, (_, n) => `${n} says ${secret}.`).join('\n');
    const lines = await linesIn(text, '', [secret]);
    expect(lines).toHaveLength(9_000);
    expect(lines.every((line) => /^\d+ says \[redacted\]\.$/.test(line))).toBe(true);
  });

  it('that are very long are cut, and the next one is complete', async () => {
    const lines = await linesIn(`${'x'.repeat(1_000_000)}\nnext\n`);
    expect(lines).toEqual(['x'.repeat(limits.outputLineChars), 'next']);
  });
});
