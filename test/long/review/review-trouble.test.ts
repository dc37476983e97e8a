// Reviewers that come to no verdict, do what they must not, or are cut short.
import { expect, test } from 'vitest';
import {
  approves,
  eventsOf,
  noThree,
  noTwo,
  noted,
  notes,
  reviewed,
  wants,
} from '../../rig/one-shots.ts';
import { type Action, touch, until, waitFor } from '../../rig.ts';

test('also where it wrecks the worktree, the agent finds its work as it left it', async () => {
  const y = reviewed([
    [{ run: { shell: 'rm -rf .git a.txt gate.sh' } }, ...wants(noTwo)],
    [{ run: { shell: 'rm -rf "$PWD"' } }, ...wants(noThree)],
    [approves],
  ]);
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0, stderr: '' });
  expect(y.show('a.txt')).toBe('one\ntwo\nthree\n');
  expect(y.show('gate.sh')).not.toBe('');
});

test('what a reviewer does outside of the worktree is found out, and its approval does not count', async () => {
  const objects = '$(cat "$(git rev-parse --git-common-dir)/objects/info/alternates")';
  const shell = `h="$(dirname "${objects}")/hooks"; mkdir -p "$h"; echo 'exit 0' > "$h/pre-commit"`;
  const y = reviewed([[{ run: { shell } }, approves]], {
    leaves: ['worktrees', 'branches', 'kept', 'state'],
  });
  const before = y.tip();
  expect((await y.ym('run', y.plan)).code).toBe(1);
  expect(y.tip()).toBe(before);
  const { failure } = await y.task('a');
  expect(failure).toMatchObject({ kind: 'approval-needed', because: 'tampering' });
  expect(failure?.details?.join()).toContain('pre-commit');
});

const waitingLook: readonly Action[] = [noted, touch('looking'), waitFor('go'), approves];

test('the first Ctrl-C lets a look come to its end', async () => {
  const y = reviewed([waitingLook]);
  const run = y.start('run', y.plan);
  await y.seen('looking');
  run.signal('SIGINT');
  await until(() => /finishing/i.test(run.stdout() + run.stderr()), 'word that it is finishing');
  y.signal('go');
  expect(await run.end()).toMatchObject({ signal: null });
  expect(notes(y)).toBe(1);
  expect((await eventsOf(y, 'call-ended')).map(({ result }) => result.ok)).toEqual([true]);
  if (y.landed().length === 0) expect(await y.ym('resume')).toMatchObject({ code: 0 });
  expect(y.landings()).toEqual({ a: 1 });
  expect(notes(y)).toBe(1);
});
