// Many changes of refs go through one git process; what it refuses, or does not live to answer, is found out all the same.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gitCli } from '../../src/git/cli.ts';
import { outcomeOf } from '../../src/model/trouble.ts';
import type { Git } from '../../src/port/git.ts';
import { type TempRepo, tempRepo } from './temp-repo.ts';

let repo: TempRepo;
let git: Git;
let first: string;
let second: string;

const ref = 'refs/yard/keep/r/t-1';

beforeEach(async () => {
  repo = tempRepo();
  git = gitCli(repo.root);
  first = (await git.resolve('main')) ?? '';
  repo.git('commit', '-q', '--allow-empty', '-m', 'second');
  second = (await git.resolve('main')) ?? '';
});

afterEach(async () => {
  await git.close();
});

describe('changing refs', () => {
  it('goes on after a refusal, which it reports as such', async () => {
    expect(await git.moveRefs([{ ref, from: null, to: first }])).toEqual({ id: 'moved' });
    const stale = await git.moveRefs([{ ref, from: second, to: second }]);
    expect(stale).toMatchObject({ id: 'stale' });
    expect(await git.resolve(ref)).toBe(first);
    expect(await git.moveRefs([{ ref, from: first, to: second }])).toEqual({ id: 'moved' });
    expect(await git.resolve(ref)).toBe(second);
  });

  it('changes all of a list or none, whatever came before', async () => {
    await git.moveRefs([{ ref, to: first }]);
    const other = 'refs/yard/keep/r/t-2';
    const both = [
      { ref: other, from: null, to: first },
      { ref, from: second, to: second },
    ] as const;
    expect(await git.moveRefs(both)).toMatchObject({ id: 'stale' });
    expect(await git.resolve(other)).toBeUndefined();
  });

  it('says why git will not have a name', async () => {
    await git.moveRefs([{ ref, to: first }]);
    const bad = await outcomeOf(git.moveRefs([{ ref: 'refs/yard/a..b', to: first }]));
    expect(bad).toMatchObject({ ok: false, failure: { kind: 'git-failed' } });
    expect(await git.moveRefs([{ ref, to: second }])).toEqual({ id: 'moved' });
  });

  it('does what is asked at the same time one after the other', async () => {
    const refs = Array.from({ length: 20 }, (_, n) => `refs/yard/keep/r/many-${n}`);
    const moved = await Promise.all(
      refs.map((one) => outcomeOf(git.moveRefs([{ ref: one, from: null, to: first }]))),
    );
    expect(moved.every((result) => result.ok && result.value.id === 'moved')).toBe(true);
    expect(await git.refs('refs/yard/keep/r/')).toHaveLength(20);
  });

  it('works again after it was closed', async () => {
    await git.moveRefs([{ ref, to: first }]);
    await git.close();
    expect(await git.moveRefs([{ ref, to: second }])).toEqual({ id: 'moved' });
  });

  it('takes a change that git made but did not live to tell as made', async () => {
    // A git whose writer of refs does its work and is gone before it has said so.
    const bin = join(repo.base, 'bin');
    mkdirSync(bin);
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    const bytes = `start\0create ${ref}\0${first}\0commit\0`.length;
    const script = `#!/bin/sh
case "$*" in *update-ref*) head -c ${bytes} | '${real}' "$@" >/dev/null; exit 1;; esac
exec '${real}' "$@"
`;
    writeFileSync(join(bin, 'git'), script, { mode: 0o755 });
    const mute = gitCli(repo.root, { ...process.env, PATH: `${bin}:${process.env.PATH}` });
    const moved = await outcomeOf(mute.moveRefs([{ ref, from: null, to: first }]));
    await mute.close();
    expect(moved).toEqual({ ok: true, value: { id: 'moved' } });
    expect(await git.resolve(ref)).toBe(first);
  });
});
