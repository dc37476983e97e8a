import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { tempFolder } from '../../test/rig/temp-folder.ts';
import { redactor } from '../model/redact.ts';
import { redactFile } from './child.ts';

const token = `ghp_${'a1B2'.repeat(9)}`;
const chunkBytes = 64 * 1024;

describe('a file with secrets', () => {
  let dir: string;
  beforeEach(() => {
    dir = tempFolder();
  });

  const written = (content: string | Buffer): string => {
    const file = join(dir, 'out');
    writeFileSync(file, content);
    return file;
  };

  it('has none afterwards, wherever they lie, and keeps its length and its lines', async () => {
    for (const at of [0, 10, chunkBytes - 1, chunkBytes - 20, chunkBytes, 3 * chunkBytes - 7]) {
      const text = `${'x'.repeat(at)} ${token}\nnext ${token} hunter2-pässe\n${'y'.repeat(9)}`;
      const file = written(text);
      await redactFile(file, redactor(['hunter2-pässe']));
      const after = readFileSync(file, 'utf8');
      expect(after).not.toContain(token);
      expect(after).not.toContain('hunter2');
      expect(after.split('\n').map((line) => line.length)[0]).toBe(at + 1 + token.length);
      expect(readFileSync(file).length).toBe(Buffer.byteLength(text));
      expect(redactor().whole(after)).toContain('next [redacted] [redacted]\n');
    }
  });

  it('keeps every other byte, and does not change a second time', async () => {
    const noise = Buffer.from(Array.from({ length: 512 }, (_, at) => (at * 7) % 256));
    const file = written(Buffer.concat([noise, Buffer.from(` ${token} `), noise]));
    await redactFile(file, redactor());
    const once = readFileSync(file);
    expect(once.subarray(0, 512)).toEqual(noise);
    expect(once.subarray(-512)).toEqual(noise);
    await redactFile(file, redactor());
    expect(readFileSync(file)).toEqual(once);
  });

  it('may be missing', async () => {
    await expect(redactFile(join(dir, 'none'), redactor())).resolves.toBeUndefined();
  });
});
