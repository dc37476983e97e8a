// Work in the worktrees of a worker that was lost and starts again, with real git and a real shared repository.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LastCalls } from '../../src/app/last-calls.ts';
import { LeftWork } from '../../src/app/left-work.ts';
import type { Opened } from '../../src/app/ports.ts';
import { Worker } from '../../src/app/worker.ts';
import { unsavedText } from '../../src/cli/worker.ts';
import { gitCli } from '../../src/git/cli.ts';
import { gitCourier } from '../../src/git/courier.ts';
import { ok } from '../../src/model/failure.ts';
import type { RefAt } from '../../src/model/job.ts';
import { Trouble } from '../../src/model/trouble.ts';
import type { Git } from '../../src/port/git.ts';
import type { Assignments, Courier } from '../../src/port/workers.ts';
import { worktreePool } from '../../src/worktree/pool.ts';
import { type TempRepo, tempRepo } from '../git/temp-repo.ts';
import { MemoryStore } from '../memory/store.ts';
import { added, started, wish } from '../record/life.ts';
import { need } from '../rig/need.ts';

let repo: TempRepo;
let hub: string;
let git: Git;
let store: MemoryStore;
let stateDir: string;
/** Lines about work that could not be saved. */
let told: string[];

beforeEach(async () => {
  repo = tempRepo();
  told = [];
  hub = join(repo.base, 'hub.git');
  stateDir = join(repo.base, 'state');
  repo.git('init', '-q', '--bare', hub);
  git = gitCli(repo.root);
  store = new MemoryStore();
  // Each process of the worker closes the store, and the test reads it afterwards.
  store.close = async () => {};
  const joined = { host: 'h', labels: [], slots: 1, state: 'joined' } as const;
  need(
    await store.append(1, [
      added('a'),
      started('r1', 1),
      { type: 'worker-changed', run: 'r1', worker: 'w1', ...joined },
    ]),
  );
  need(await store.claim(1, { ...wish('r1', 'a'), slot: 2, branch: 'yard/r1/a-1' }));
  await edited('r1');
  const failure = { kind: 'worker-gone', worker: 'w1', host: 'h', how: 'lost' } as const;
  need(
    await store.append(2, [{ type: 'attempt-failed', run: 'r1', id: 'a', attempt: 1, failure }]),
  );
});
afterEach(async () => {
  await git.close();
});

/** Takes a worktree of a run for the first attempt, and edits a file in it. */
async function edited(run: string): Promise<void> {
  const pool = need(await worktreePool({ git, stateDir, project: 'p', run }));
  const head = repo.git('rev-parse', 'HEAD').trim();
  const { dir } = need(await pool.take('a-1', head));
  await git.point(dir, head);
  writeFileSync(join(dir, 'part.txt'), 'part\n');
}

/** The repository of the worker, as it opens it when it starts. */
async function reopened(): Promise<Opened> {
  const { commonDir } = await git.inspect();
  const part: Partial<Opened> = {
    git: { ...git, close: async () => {} },
    stateDir,
    id: 'p',
    commonDir,
    dir: join(repo.base, 'yard'),
    store,
    root: repo.root,
    clock: { now: () => 10, sleep: async () => {} },
    children: async () => ({ endIn: async () => {} }) as never,
  };
  return part as Opened;
}

const self = { id: 'w1', host: 'h', labels: [], slots: 1, gates: 1, version: '1' };

/** Starts the worker again, shares what it finds, and ends it. Returns the refs in the shared repository. */
async function startAgain(): Promise<string> {
  const left = new LeftWork({
    self,
    lastCalls: new LastCalls(),
    reopen: async () => ok(await reopened()),
    onUnsent: (refs) => expect.fail(`not shared: ${JSON.stringify(refs)}`),
    onUnsaved: (failure, run) => told.push(unsavedText(failure, run)),
    courier: async (run) =>
      ok(gitCourier({ git, dir: repo.root, remote: hub, run, env: process.env })),
  });
  await left.save();
  await left.share();
  await left.leave(true);
  return repo.gitIn(hub, 'for-each-ref', '--format=%(refname)').trim();
}

const retriedIn = async (run: string): Promise<void> => {
  need(await store.claim(9, wish(run, 'a', 2)));
};

const stray = 'refs/yard/keep/r1/a-1.stray1';

it('is shared if nobody has retried the task', async () => {
  expect(await startAgain()).toBe(stray);
  expect(told).toEqual([]);
});

it('is shared although the records of another run cannot be read, and that is reported', async () => {
  mkdirSync(join(stateDir, 'p', 'r0', 'ym-r0-1.json'), { recursive: true });
  expect(await startAgain()).toBe(stray);
  expect(told).toHaveLength(1);
  expect(told[0]).toMatch(/^Could not save or find all work .* left in run r0: .*EISDIR/);
});

it('is shared if the same run has retried the task', async () => {
  await retriedIn('r1');
  expect(await startAgain()).toBe(stray);
});

it('is shared once, under the run of its attempt, if a later run has retried the task', async () => {
  const stop = { reason: 'slot-errors' } as const;
  need(await store.append(3, [{ type: 'run-ended', run: 'r1', stop }, started('r2', 1)]));
  await retriedIn('r2');
  expect(await startAgain()).toBe(stray);
  expect(repo.gitIn(hub, 'show', `${stray}:part.txt`)).toBe('part\n');
  const [of] = need(await store.attempts({ run: 'r1' }));
  expect(of?.shared).toMatchObject([{ ref: stray }]);
  expect(await startAgain()).toBe(stray);
  expect(repo.git('for-each-ref', '--format=%(refname)', 'refs/yard/').trim()).toBe(stray);
});

it('stays where it is, and is named, if a worker is asked to end while the shared repository is silent', async () => {
  const failure = { kind: 'git-failed', args: [], exit: -1, stderr: '' } as const;
  let pushes = 0;
  const keep: Courier['keep'] = (_refs, signal) => {
    pushes += 1;
    return new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(new Trouble(failure)));
    });
  };
  const assignments: Partial<Assignments> = {
    announce: async () => ok(undefined),
    serve: async (_worker, _handler, signal) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return ok(undefined);
    },
  };
  const unsent: RefAt[] = [];
  const worker = new Worker({
    self,
    lastCalls: new LastCalls(100),
    open: () => expect.fail('No run is open'),
    reopen: async () => ok(await reopened()),
    courier: async () => ok({ keep } as Courier),
    files: () => expect.fail('No run is open'),
    onJob: () => {},
    onUnsent: (refs) => unsent.push(...refs),
    onUnsaved: () => {},
    onOtherVersion: () => expect.fail('There is no run'),
    assignments: assignments as Assignments,
  });
  const drain = new AbortController();
  const clock = { now: () => 0, sleep: () => new Promise<void>((done) => setImmediate(done)) };
  const served = worker.serve(drain.signal, clock);
  await expect.poll(() => pushes).toBe(1);
  drain.abort();
  expect(await served).toEqual(ok(undefined));
  // The push under way and the last one.
  expect(pushes).toBeGreaterThanOrEqual(2);
  expect(unsent).toMatchObject([{ ref: stray }]);
  expect(repo.gitIn(hub, 'for-each-ref')).toBe('');
});
