// A clone catches up with what another one has landed, through a shared repository with real git.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { catchUp } from '../../src/engine/catch-up.ts';
import { gitCli } from '../../src/git/cli.ts';
import { gitCourier } from '../../src/git/courier.ts';
import { fail } from '../../src/model/failure.ts';
import { limits } from '../../src/model/limits.ts';
import { Trouble } from '../../src/model/trouble.ts';
import type { Git, LockHolder } from '../../src/port/git.ts';
import type { Clock } from '../../src/port/processes.ts';
import type { Courier } from '../../src/port/workers.ts';
import { need } from '../conformance/git.ts';
import { type TempRepo, tempRepo } from '../git/temp-repo.ts';
import { aRecord, aRun } from '../report/fixtures.ts';

let repo: TempRepo;
let clone: string;
let start: string;
let here: Git;
let there: Git;
let courier: Courier;
let shared: Courier;
let landings: (readonly [id: string, commit: string])[];

beforeEach(() => {
  landings = [];
  repo = tempRepo();
  start = repo.git('rev-parse', 'main').trim();
  const hub = join(repo.base, 'hub.git');
  clone = join(repo.base, 'clone');
  repo.git('init', '-q', '--bare', hub);
  // Without --no-local the two would share objects.
  repo.git('clone', '-q', '--no-local', repo.root, clone);
  for (const key of ['user.name', 'user.email']) repo.gitIn(clone, 'config', key, 'o@example.com');
  [here, there] = [gitCli(clone), gitCli(repo.root)];
  const to = { remote: hub, run: 'r1', env: process.env };
  shared = gitCourier({ git: there, dir: repo.root, ...to });
  courier = gitCourier({ git: here, dir: clone, ...to });
});
afterEach(async () => {
  await here.close();
  await there.close();
});

/** The other clone lands tasks, one commit each, and puts the last commit into the shared repository. */
async function landed(...ids: string[]): Promise<string> {
  let commit = '';
  for (const id of ids) {
    repo.write(`${id}.txt`, `landed ${id}\n`);
    commit = repo.commit(id);
    landings.push([id, commit]);
  }
  await shared.send([commit]);
  return commit;
}

const run = () => ({
  ...aRun(),
  base: start,
  // All of one candidate.
  tasks: landings.map(([id, commit]) => aRecord(id, { id: 'landed', commit, run: 'r1', at: 5 })),
});
const clock: Clock = { now: Date.now, sleep: async () => {} };
const caught = (git = here, from: Pick<Courier, 'fetchAll'> = courier, at = clock) =>
  catchUp({ git, courier: from, clock: at }, run());
const tip = (): string => repo.gitIn(clone, 'rev-parse', 'main').trim();

/** The same git, whose process dies before it moves the target. */
function dying(git: Git): Git {
  const away = async (): Promise<never> => {
    throw new Trouble({ kind: 'interrupted', by: 'a test' });
  };
  return new Proxy(git, {
    get: (from, name) => (name === 'fastForward' ? away : Reflect.get(from, name).bind(from)),
  });
}

/** The same git, where the first calls find the checkout locked by another process. */
function locked(git: Git, times: number, isOurs: boolean): Git {
  const by: LockHolder = { file: 'index.lock', ageMs: 1, pid: 1, isOurs };
  let left = times;
  const forward: Git['fastForward'] = async (...args) => {
    if (left === 0) return git.fastForward(...args);
    left -= 1;
    return { id: 'locked', by };
  };
  return new Proxy(git, {
    get: (from, name) => (name === 'fastForward' ? forward : Reflect.get(from, name).bind(from)),
  });
}

/** A clock whose time passes only in its sleeps, and how long they were meant to be. */
function sleeper(passes = (ms: number): number => ms) {
  let time = 0;
  const slept: number[] = [];
  const sleep = async (ms: number): Promise<void> => {
    time += passes(ms);
    slept.push(ms);
  };
  return { slept, clock: { now: () => time, sleep } };
}

describe('a clone that is behind a run', () => {
  it('gets what has landed and moves its target forward, with the checkout', async () => {
    const to = await landed('a', 'b');
    expect(await need(caught())).toEqual({ target: 'main', from: start, to });
    expect(tip()).toBe(to);
    expect(repo.gitIn(clone, 'status', '--porcelain')).toBe('');
    expect(await need(caught())).toBeUndefined();
  });

  it('gets the commit that the run started from, if nothing has landed', async () => {
    repo.write('more.txt', 'more\n');
    start = repo.commit('more');
    await shared.send([start]);
    expect(await need(caught())).toMatchObject({ to: start });
    expect(tip()).toBe(start);
  });

  it('goes on where a process died that had fetched it', async () => {
    const to = await landed('a');
    expect((await caught(dying(here))).ok).toBe(false);
    expect(tip()).toBe(start);
    expect(await need(caught())).toMatchObject({ to });
    expect(tip()).toBe(to);
  });

  it('stays as it is if edits are in the way, and says which', async () => {
    await landed('a');
    writeFileSync(join(clone, 'a.txt'), 'mine\n');
    const found = await caught();
    expect(found).toMatchObject({ failure: { kind: 'checkout-in-the-way' } });
    expect(tip()).toBe(start);
    repo.gitIn(clone, 'checkout', 'a.txt');
    expect(await need(caught())).toMatchObject({ from: start });
  });

  it('stays as it is if its target has commits of its own', async () => {
    const commit = await landed('a');
    repo.gitIn(clone, 'commit', '-q', '--allow-empty', '-m', 'own');
    const own = tip();
    const because = { id: 'diverged', commit } as const;
    const failure = { kind: 'target-behind', target: 'main', tasks: ['a'], because } as const;
    for (const _ of ['first', 'again']) expect(await caught()).toEqual(fail(failure));
    expect(tip()).toBe(own);
  });

  it('stays as it is also after another commit of its own, or after the user fetched the work', async () => {
    const commit = await landed('a');
    const because = { id: 'diverged', commit } as const;
    const failure = { kind: 'target-behind', target: 'main', tasks: ['a'], because } as const;
    for (const what of ['own', 'more of its own']) {
      repo.gitIn(clone, 'commit', '-q', '--allow-empty', '-m', what);
      expect(await caught(), what).toEqual(fail(failure));
    }
    repo.gitIn(clone, 'reset', '-q', '--hard', start);
    repo.gitIn(clone, 'fetch', '-q', 'origin');
    expect(await need(caught())).toMatchObject({ to: commit });
  });

  it('is not behind if the user rewrote the landing', async () => {
    repo.write('a.txt', 'landed a\n');
    const message = 'a\n\nYard-Task: a\nYard-Run: r1\nYard-Attempt: 1\n';
    landings.push(['a', repo.commit(message)]);
    await shared.send(landings.map(([, commit]) => commit));
    repo.gitIn(clone, 'commit', '-q', '--allow-empty', '-m', message);
    expect(await need(caught())).toBeUndefined();
  });

  it('waits for another process of the same clone that lands or does the same', async () => {
    const to = await landed('a');
    const { slept, clock } = sleeper();
    const found = await caught(locked(here, 2, true), courier, clock);
    expect(await need(Promise.resolve(found))).toEqual({ target: 'main', from: start, to });
    expect(slept).toEqual([limits.refreshMs, limits.refreshMs]);
    expect(tip()).toBe(to);
  });

  it('gives up if that process takes too long', async () => {
    await landed('a');
    const { slept, clock } = sleeper(() => limits.machinePatienceMs / 2);
    const git = locked(here, Number.POSITIVE_INFINITY, true);
    const failure = { kind: 'checkout-locked', isOurs: true };
    expect(await caught(git, courier, clock)).toMatchObject({ failure });
    expect(slept).toHaveLength(2);
    expect(tip()).toBe(start);
  });

  it('waits for no other program that holds the lock of the checkout', async () => {
    await landed('a');
    const { slept, clock } = sleeper();
    const failure = { kind: 'checkout-locked', isOurs: false };
    expect(await caught(locked(here, 1, false), courier, clock)).toMatchObject({ failure });
    expect(slept).toEqual([]);
  });

  it('is moved once if several calls of one process do it at once', async () => {
    const to = await landed('a', 'b', 'c');
    const others = [gitCli(clone), gitCli(clone)];
    const found = await Promise.all([here, ...others].map((git) => caught(git)));
    expect(found.map((one) => one.ok)).toEqual([true, true, true]);
    expect(tip()).toBe(to);
    for (const git of others) await git.close();
  });

  it('fails with the reason if the shared repository cannot be reached', async () => {
    await landed('a');
    const gone = gitCourier({
      git: here,
      dir: clone,
      remote: join(repo.base, 'none.git'),
      run: 'r1',
      env: process.env,
    });
    expect(await caught(here, gone)).toMatchObject({ failure: { kind: 'git-failed' } });
  });

  it('is left alone if the shared repository lacks the commit too', async () => {
    await landed('a');
    await shared.clear();
    expect(await need(caught())).toBeUndefined();
    expect(tip()).toBe(start);
  });
});

it('a clone that lacks the commit which the run started from is refused if the shared repository lacks it too', async () => {
  repo.write('more.txt', 'more\n');
  start = repo.commit('more');
  const before = tip();
  const because = { id: 'base-not-here', base: start };
  expect(await caught()).toMatchObject({ failure: { kind: 'target-behind', tasks: [], because } });
  expect(tip()).toBe(before);
});

it('a landing that the user has removed here does not come back below another one', async () => {
  await landed('a');
  await need(caught());
  repo.gitIn(clone, 'reset', '-q', '--hard', start);
  const commit = await landed('b');
  const failure = { kind: 'target-behind', because: { id: 'removed-below', commit } };
  expect(await caught()).toMatchObject({ failure });
  expect(tip()).toBe(start);
});

it('a clone whose user has dropped a landing on purpose is left alone', async () => {
  await landed('a');
  await need(caught());
  repo.gitIn(clone, 'reset', '-q', '--hard', start);
  expect(await need(caught())).toBeUndefined();
  expect(tip()).toBe(start);
});
