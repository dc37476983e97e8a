import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Secret } from '../port/secret.ts';
import { projectSecret, secretFile } from './secret.ts';

let base: string;
let dir: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'ym-secret-'));
  dir = join(base, '.yardmaster');
});

afterEach(() => {
  rmSync(base, { recursive: true, force: true });
});

function opened(folder: string): Secret {
  const made = projectSecret(folder);
  if (!made.ok) throw new Error(made.failure.kind);
  return made.value;
}

const keyOf = (folder: string): Uint8Array => opened(folder).key();

describe('the secret of a project', () => {
  it('is made once, for its owner alone, and leaves nothing else', () => {
    const first = keyOf(dir);
    expect(first.length).toBe(32);
    expect(keyOf(dir)).toEqual(first);
    expect(statSync(secretFile(dir)).mode & 0o777).toBe(0o600);
    expect(statSync(dir).mode & 0o077).toBe(0);
    expect(readdirSync(dir)).toEqual(['secret']);
  });

  it('is another one in another project', () => {
    expect(keyOf(join(base, 'a'))).not.toEqual(keyOf(join(base, 'b')));
  });

  it('is refused where it is damaged, and not replaced', () => {
    mkdirSync(dir);
    writeFileSync(secretFile(dir), 'short');
    expect(projectSecret(dir)).toMatchObject({
      ok: false,
      failure: { kind: 'state-unwritable', cause: expect.stringContaining('damaged') },
    });
    expect(statSync(secretFile(dir)).size).toBe(5);
  });

  it('cannot be made where a file is in the way', () => {
    writeFileSync(dir, '');
    expect(projectSecret(dir)).toMatchObject({ ok: false, failure: { kind: 'state-unwritable' } });
  });
});

/** False on a file system that is mounted with `noatime`; then no reader can be noticed. */
function keepsReadTimes(): boolean {
  const file = join(mkdtempSync(join(tmpdir(), 'ym-atime-')), 'file');
  writeFileSync(file, 'x');
  utimesSync(file, 1, 2);
  readFileSync(file);
  const { atimeMs } = statSync(file);
  rmSync(join(file, '..'), { recursive: true });
  return process.platform === 'linux' && atimeMs !== 1000;
}

describe.runIf(keepsReadTimes())('a secret that another program reads', () => {
  it('is replaced, once for each time, and the earlier keys are kept apart', () => {
    const secret = opened(dir);
    const first = secret.key();
    expect(secret.look()).toBe(0);
    readFileSync(secretFile(dir));
    expect(secret.look()).toBe(1);
    expect(secret.look()).toBe(1);
    expect(secret.key()).not.toEqual(first);
    expect(secret.replaced()).toEqual([first]);
    copyFileSync(secretFile(dir), join(base, 'copy'));
    expect(secret.look()).toBe(2);
    expect(secret.replaced()).toHaveLength(2);
    expect(readdirSync(dir)).toEqual(['secret']);
    expect(statSync(secretFile(dir)).mode & 0o777).toBe(0o600);
    const next = opened(dir);
    expect([next.key(), ...next.replaced()]).toEqual([secret.key(), ...secret.replaced()]);
  });

  it('is replaced before its key is used again', () => {
    const secret = opened(dir);
    const first = secret.key();
    secret.look();
    readFileSync(secretFile(dir));
    expect(secret.key()).not.toEqual(first);
    expect(secret.look()).toBe(1);
  });

  it('is replaced too if the reader sets the time back', () => {
    const secret = opened(dir);
    secret.look();
    const { atimeMs, mtimeMs } = statSync(secretFile(dir));
    readFileSync(secretFile(dir));
    utimesSync(secretFile(dir), atimeMs / 1000, mtimeMs / 1000);
    expect(secret.look()).toBe(1);
  });

  it('is not replaced when this program opens it, in this process or another', () => {
    const secret = opened(dir);
    secret.look();
    expect(keyOf(dir)).toEqual(secret.key());
    expect(opened(dir).replaced()).toEqual([]);
    expect(secret.look()).toBe(0);
  });

  it('keeps a bounded number of earlier keys', () => {
    const secret = opened(dir);
    secret.look();
    for (let n = 1; n <= 20; n += 1) {
      readFileSync(secretFile(dir));
      expect(secret.look()).toBe(n);
    }
    expect(opened(dir).replaced()).toHaveLength(16);
  });
});

describe('a secret that another program changes', () => {
  it.each<[string, (file: string) => void]>([
    ['overwrites', (file) => writeFileSync(file, Buffer.alloc(32))],
    [
      'exchanges',
      (file) => {
        writeFileSync(`${file}.evil`, Buffer.alloc(32));
        renameSync(`${file}.evil`, file);
      },
    ],
    ['removes', (file) => rmSync(file)],
  ])('is replaced when it %s the file', (_how, act) => {
    const secret = opened(dir);
    const first = secret.key();
    secret.look();
    act(secretFile(dir));
    expect(secret.look()).toBe(1);
    expect(keyOf(dir)).toEqual(secret.key());
    expect(keyOf(dir)).not.toEqual(Buffer.alloc(32));
    expect(secret.replaced()).toEqual([first]);
  });

  it('stays in memory while its folder is gone, and makes no folder', () => {
    const secret = opened(dir);
    secret.look();
    rmSync(dir, { recursive: true });
    expect(secret.look()).toBe(1);
    expect(secret.look()).toBe(1);
    expect(readdirSync(base)).toEqual([]);
    mkdirSync(dir);
    expect(secret.look()).toBe(1);
    expect(keyOf(dir)).toEqual(secret.key());
  });
});
