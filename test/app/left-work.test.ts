// Work in the worktrees of a worker that was lost and starts again, with real git and a real shared repository.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LeftWork } from '../../src/app/left-work.ts';
import type { Opened } from '../../src/app/ports.ts';
import { unsavedText } from '../../src/cli/worker.ts';
import { gitCli } from '../../src/git/cli.ts';
import { gitCourier } from '../../src/git/courier.ts';
import { ok } from '../../src/model/failure.ts';
import type { Git } from '../../src/port/git.ts';
import { worktreePool } from '../../src/worktree/pool.ts';
import { need } from '../conformance/git.ts';
import { type TempRepo, tempRepo } from '../git/temp-repo.ts';
import { MemoryStore } from '../memory/store.ts';
import { added, good, started, wish } from '../record/life.ts';

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
  good(
    await store.append(1, [
      added('a'),
      started('r1', 1),
      { type: 'worker-changed', run: 'r1', worker: 'w1', ...joined },
    ]),
  );
  good(await store.claim(1, { ...wish('r1', 'a'), slot: 2, branch: 'yard/r1/a-1' }));
  await edited('r1');
  const failure = { kind: 'worker-gone', worker: 'w1', host: 'h', how: 'lost' } as const;
  good(
    await store.append(2, [{ type: 'attempt-failed', run: 'r1', id: 'a', attempt: 1, failure }]),
  );
});
afterEach(async () => {
  await git.close();
  repo.remove();
});

/** Takes a worktree of a run for the first attempt, and edits a file in it. */
async function edited(run: string): Promise<void> {
  const pool = await need(worktreePool({ git, stateDir, project: 'p', run }));
  const head = repo.git('rev-parse', 'HEAD').trim();
  const { dir } = await need(pool.take('a-1', head));
  await need(git.point(dir, head));
  writeFileSync(join(dir, 'part.txt'), 'part\n');
}

/** Starts the worker again, shares what it finds, and ends it. Returns the refs in the shared repository. */
async function startAgain(): Promise<string> {
  const { commonDir } = await need(git.inspect());
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
  const left = new LeftWork({
    self: { id: 'w1', host: 'h', labels: [], slots: 1, gates: 1, version: '1' },
    reopen: async () => ok(part as Opened),
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
  good(await store.claim(9, wish(run, 'a', 2)));
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
  good(await store.append(3, [{ type: 'run-ended', run: 'r1', stop }, started('r2', 1)]));
  await retriedIn('r2');
  expect(await startAgain()).toBe(stray);
  expect(repo.gitIn(hub, 'show', `${stray}:part.txt`)).toBe('part\n');
  const [of] = await need(store.attempts({ run: 'r1' }));
  expect(of?.shared).toMatchObject([{ ref: stray }]);
  expect(await startAgain()).toBe(stray);
  expect(repo.git('for-each-ref', '--format=%(refname)', 'refs/yard/').trim()).toBe(stray);
});
