import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type VerifyInput, verify } from '../../src/engine/verify.ts';
import { gitCli } from '../../src/git/cli.ts';
import { ok } from '../../src/model/failure.ts';
import { outcomeOf } from '../../src/model/trouble.ts';
import type { Processes } from '../../src/port/processes.ts';
import { supervisor } from '../../src/process/supervisor.ts';
import { nothingPrepared } from '../../src/worktree/setup.ts';
import { tempRepo } from '../git/temp-repo.ts';
import { until } from '../rig/until.ts';

/** Prints to both streams and fails where a file called `bad` is in the tree. Notes every run in a file outside. */
const check = `#!/bin/sh
echo ran >> "$NOTES"
echo "tree $(cat name)"
test -e bad || { echo fine; exit 0; }
echo "there is something bad" >&2
exit 3
`;

/** A repository with a worktree of ours; every landing is a commit on main. */
async function world(files: Readonly<Record<string, string>> = {}) {
  const repo = tempRepo({ 'check.sh': check, name: 'start', ...files });
  const base = repo.git('rev-parse', 'HEAD').trim();
  const git = gitCli(repo.root);
  onTestFinished(async () => {
    await git.close();
  });
  const dir = join(repo.base, 'run');
  const worktree = join(repo.base, 'tree');
  const notes = join(repo.base, 'notes');
  mkdirSync(dir);
  await outcomeOf(git.addWorktree(worktree, base));
  const bounds = { wallMs: 30_000, outputBytes: 1_000_000 };
  const project = {
    run: 'r1',
    env: { PATH: process.env.PATH ?? '', NOTES: notes },
    setup: [] as readonly string[],
    cache: [],
    limits: { agent: bounds, setup: bounds, gate: bounds },
  };
  const land = (name: string, more: Readonly<Record<string, string>> = {}) => {
    for (const [path, text] of Object.entries({ name, ...more })) repo.write(path, text);
    return { commit: repo.commit(name), tasks: [name] };
  };
  const look = (input: Partial<VerifyInput>, processes: Processes = supervisor(), own = {}) =>
    verify(
      { git, processes, prepared: nothingPrepared, copyFiles: async () => ok([]) },
      { ...project, ...own },
      {
        commit: repo.git('rev-parse', 'main').trim(),
        command: 'sh check.sh',
        budgetMs: 20_000,
        dir,
        policy: 'report',
        landings: [],
        worktree,
        ...input,
      },
    );
  const runs = (): number =>
    existsSync(notes) ? readFileSync(notes, 'utf8').split('\n').length - 1 : 0;
  const log = (): string => readFileSync(join(dir, 'verify.log'), 'utf8');
  return { repo, base, dir, worktree, notes, project, land, look, runs, log };
}

describe('a look at the target', () => {
  test('passes at the tip, and keeps what was printed in sections of its own', async () => {
    const { land, look, log } = await world();
    land('one');
    expect(await look({})).toMatchObject({
      ok: true,
      value: { kind: 'passed', command: 'sh check.sh', ms: expect.any(Number) },
    });
    expect(log()).toBe('$ sh check.sh\n\n--- stdout ---\ntree one\nfine\n\n--- stderr ---\n\n');
  });

  test('fails with the exit status and the end of standard error alone', async () => {
    const { land, look, log } = await world();
    land('one', { bad: '' });
    expect(await look({})).toMatchObject({
      ok: true,
      value: { kind: 'failed', exit: 3, tail: 'there is something bad\n' },
    });
    expect(log()).toContain('--- stdout ---\ntree one\n\n--- stderr ---\nthere is something bad\n');
  });

  test('shows the end of standard output where standard error is empty, and no more than its bound', async () => {
    const shout = '#!/bin/sh\nyes x | head -c 9000; echo END; exit 1\n';
    const { look } = await world({ 'check.sh': shout });
    const seen = await look({});
    if (!seen.ok || seen.value?.kind !== 'failed') throw new Error('it should fail');
    expect(Buffer.byteLength(seen.value.tail)).toBeLessThanOrEqual(2048);
    expect(seen.value.tail.endsWith('END\n')).toBe(true);
  });

  test('hands words on as they are, without a shell', async () => {
    const { look, log } = await world();
    await look({ command: 'echo  $HOME   *;' });
    expect(log()).toContain('--- stdout ---\n$HOME *;\n');
  });

  test('is a failure without a status where the command cannot be started', async () => {
    const { look, log } = await world();
    const seen = await look({ command: 'no-such-program --at all' });
    expect(seen).toMatchObject({ ok: true, value: { kind: 'failed', exit: -1, ms: 0 } });
    expect(log()).toContain('no-such-program is not on PATH');
  });

  test('is ended when its time is up', async () => {
    const { look } = await world();
    expect(await look({ command: 'sleep 30', budgetMs: 300 })).toEqual(
      ok({ kind: 'timed-out', command: 'sleep 30', budgetMs: 300 }),
    );
  });

  test('is skipped with the reason where there is no command, and starts nothing', async () => {
    const { look, dir } = await world();
    expect(await look({ command: '', reason: 'there is no gate' })).toEqual(
      ok({ kind: 'skipped', reason: 'there is no gate' }),
    );
    expect(existsSync(join(dir, 'verify.log'))).toBe(false);
  });

  test('sets the tree up first, and fails where that fails', async () => {
    const { look, log } = await world();
    const set = { setup: ['echo made > made'] };
    expect(await look({ command: 'cat made' }, supervisor(), set)).toMatchObject({
      value: { kind: 'passed' },
    });
    const broken = await world();
    const not = { setup: ['echo no network >&2; exit 7'] };
    expect(await broken.look({}, supervisor(), not)).toMatchObject({
      value: { kind: 'failed', exit: 7, tail: 'no network\n' },
    });
    expect(broken.runs()).toBe(0);
    expect(log()).toContain('made');
  });

  test('keeps known secrets out of the log and the outcome', async () => {
    const { look, log } = await world({
      'check.sh': '#!/bin/sh\necho hunter2secret >&2; exit 1\n',
    });
    const seen = await look({}, supervisor({ secrets: ['hunter2secret'] }));
    expect(JSON.stringify(seen)).not.toContain('hunter2secret');
    expect(log()).not.toContain('hunter2secret');
  });
});

describe('a look that was cut short', () => {
  test('gives no outcome when it is interrupted, and one when somebody asks again', async () => {
    const slow = '#!/bin/sh\ntest -e "$NOTES" && exit 0\necho ran > "$NOTES"\nsleep 30\n';
    const { look, notes } = await world({ 'check.sh': slow });
    const processes = supervisor({ killGraceMs: 500 });
    const cut = look({}, processes);
    await until(() => existsSync(notes), 'the command to run');
    processes.interruptAll();
    expect(await cut).toEqual(ok(undefined));
    expect(await look({})).toMatchObject({ value: { kind: 'passed' } });
  });

  test('is repeated from what is on record when it had ended', async () => {
    const { land, look, runs } = await world();
    land('one', { bad: '' });
    const first = await look({});
    expect(await look({})).toEqual(first);
    expect(runs()).toBe(1);
  });
});

describe('the search for the culprit', () => {
  test('names the landing from which on it fails, with its tasks', async () => {
    const { land, look } = await world();
    const landings = [land('a'), land('b'), land('c', { bad: '' }), land('d'), land('e')];
    expect(await look({ policy: 'bisect', landings })).toMatchObject({
      ok: true,
      value: { kind: 'failed', exit: 3, culprit: { commit: landings[2]?.commit, tasks: ['c'] } },
    });
  });

  test('names nobody when it failed before the run already', async () => {
    const { land, look, runs } = await world({ bad: '' });
    const landings = [land('a'), land('b')];
    const seen = await look({ policy: 'bisect', landings });
    expect(seen).toMatchObject({ ok: true, value: { kind: 'failed' } });
    expect(seen.ok && seen.value).not.toHaveProperty('culprit');
    expect(runs()).toBe(2);
  });

  test('is not made where the policy is another, or where all is well', async () => {
    const { land, look, runs } = await world();
    const well = [land('a')];
    expect(await look({ policy: 'bisect', landings: well })).toMatchObject({
      value: { kind: 'passed' },
    });
    const landings = [...well, land('b', { bad: '' })];
    const seen = await look({ policy: 'fix', landings });
    expect(seen.ok && seen.value).not.toHaveProperty('culprit');
    expect(runs()).toBe(2);
  });

  test('ends with the budget, and leaves the outcome as it was', async () => {
    const slow = check.replace('test -e bad', 'test -e quick || sleep 30\ntest -e bad');
    const { land, look, runs } = await world({ 'check.sh': slow });
    const landings = [land('a'), land('b'), land('c', { bad: '', quick: '' })];
    const seen = await look({ policy: 'bisect', landings, budgetMs: 1_500 });
    expect(seen).toMatchObject({ ok: true, value: { kind: 'failed', exit: 3 } });
    expect(seen.ok && seen.value).not.toHaveProperty('culprit');
    expect(runs()).toBe(2);
  });

  test('goes on after a crash without running again what had ended', async () => {
    const { land, look, runs } = await world();
    const landings = [land('a', { bad: '' }), land('b'), land('c'), land('d')];
    await look({ policy: 'bisect', landings: landings.slice(0, 1) });
    const before = runs();
    const first = await look({ policy: 'bisect', landings });
    const again = await look({ policy: 'bisect', landings });
    expect(again).toEqual(first);
    expect(first).toMatchObject({ value: { culprit: { tasks: ['a'] } } });
    // Tip, base and the first landing were known; one more had to be looked at.
    expect(runs() - before).toBe(1);
  });
});
