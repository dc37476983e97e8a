import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { outsideOf } from '../../src/process/outside.ts';
import { tempFolder } from '../rig/temp-folder.ts';

let root: string;
beforeEach(() => {
  root = tempFolder();
});

const env = { PATH: process.env.PATH ?? '' };

describe('what tasks wait for outside', () => {
  it('finds files below the checkout and elsewhere', async () => {
    writeFileSync(join(root, 'a b'), '');
    const outside = outsideOf({ root, env });
    expect(await outside.exists('a b')).toBe(true);
    expect(await outside.exists(join(root, 'a b'))).toBe(true);
    expect(await outside.exists('a b/c')).toBe(false);
    expect(await outside.exists('x\u0000')).toBe(false);
  });

  it('runs commands in the checkout with empty standard input, and reports why one fails', async () => {
    const outside = outsideOf({ root, env });
    expect(await outside.run(`test "$(pwd -P)" = '${root}' && test -z "$(cat)"`)).toEqual({
      ok: true,
    });
    expect(await outside.run('echo not yet >&2; exit 3')).toEqual({
      ok: false,
      note: 'exit status 3: not yet',
    });
    expect(await outside.run('kill -9 $$')).toEqual({ ok: false, note: 'SIGKILL' });
    expect(await outsideOf({ root: join(root, 'gone'), env }).run('true')).toMatchObject({
      ok: false,
    });
  });

  it('ends a command that takes too long, with its children', async () => {
    const outside = outsideOf({ root, env, wallMs: 50 });
    expect(await outside.run('sleep 60 & sleep 60')).toEqual({
      ok: false,
      note: 'it ran longer than 0.05 s',
    });
  });

  it('ends its commands when the run ends now, and starts no more', async () => {
    const outside = outsideOf({ root, env });
    const hanging = ['sleep 60 & sleep 60', "trap '' TERM; sleep 60"].map((one) =>
      outside.run(one),
    );
    outside.interrupt();
    expect(await Promise.all(hanging)).toEqual([
      { ok: false, note: 'SIGKILL' },
      { ok: false, note: 'SIGKILL' },
    ]);
    expect(await outside.run('true')).toEqual({ ok: false, note: 'the run ended' });
  });
});
