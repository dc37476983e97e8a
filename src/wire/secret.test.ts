import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { need } from '../../test/rig/need.ts';
import { tempFolder } from '../../test/rig/temp-folder.ts';
import { projectSecret, secretFile } from './secret.ts';

let base: string;
let dir: string;

beforeEach(() => {
  base = tempFolder();
  dir = join(base, '.yardmaster');
});

function keyOf(folder: string): Uint8Array {
  const made = need(projectSecret(folder));
  return made;
}

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
