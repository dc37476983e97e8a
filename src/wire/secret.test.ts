import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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

describe('the secret of a project', () => {
  it('is made once, for its owner alone, and leaves nothing else', () => {
    const first = projectSecret(dir);
    expect(first.ok && first.value.length).toBe(32);
    expect(projectSecret(dir)).toEqual(first);
    expect(statSync(secretFile(dir)).mode & 0o777).toBe(0o600);
    expect(statSync(dir).mode & 0o077).toBe(0);
    expect(readdirSync(dir)).toEqual(['secret']);
  });

  it('is another one in another project', () => {
    const one = projectSecret(join(base, 'a'));
    const two = projectSecret(join(base, 'b'));
    expect(one).not.toEqual(two);
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
