// Work that a worker saved before it died, with real git and a real shared repository.

import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  endSharing,
  recordSharedWork,
  shareWork,
  unsharedWork,
} from '../../src/app/unshared-work.ts';
import { unsentText } from '../../src/cli/worker.ts';
import { gitCli } from '../../src/git/cli.ts';
import { gitCourier } from '../../src/git/courier.ts';
import { type Failure, ok } from '../../src/model/failure.ts';
import { Trouble } from '../../src/model/trouble.ts';
import type { Git } from '../../src/port/git.ts';
import type { Courier } from '../../src/port/workers.ts';
import { type TempRepo, tempRepo } from '../git/temp-repo.ts';
import { MemoryStore } from '../memory/store.ts';
import { added, started, wish } from '../record/life.ts';
import { need } from '../rig/need.ts';

const ref = 'refs/yard/keep/r1/a-1.stray1';
const clock = { now: () => 1 } as Parameters<typeof shareWork>[1]['clock'];
const of = { run: 'r1', worker: 'w1' };

let repo: TempRepo;
let hub: string;
let git: Git;
let store: MemoryStore;
let commit: string;

beforeEach(async () => {
  repo = tempRepo();
  hub = join(repo.base, 'hub.git');
  git = gitCli(repo.root);
  store = new MemoryStore();
  const joined = { host: 'h', labels: [], slots: 1, state: 'joined' } as const;
  need(
    await store.append(1, [
      added('a'),
      started('r1', 1),
      { type: 'worker-changed', run: 'r1', worker: 'w1', ...joined },
    ]),
  );
  need(await store.claim(1, { ...wish('r1', 'a'), slot: 2 }));
  commit = repo.git('rev-parse', 'HEAD').trim();
  repo.git('update-ref', ref, commit);
});
afterEach(async () => {
  await git.close();
});

const toHub = () => gitCourier({ git, dir: repo.root, remote: hub, run: 'r1', env: process.env });
const courier = () => ok(toHub());

const told = async () => {
  return need(await store.events({})).filter(({ type }) => type === 'work-shared');
};

it('is found again by the next process, shared once, and told', async () => {
  repo.git('init', '-q', '--bare', hub);
  const unsent = [...need(await unsharedWork({ git, store }, 'r1', 'w1'))];
  expect(unsent).toEqual([{ ref, commit }]);
  await shareWork(unsent, { store, clock }, courier(), of);
  expect(unsent).toEqual([]);
  expect(repo.gitIn(hub, 'rev-parse', ref).trim()).toBe(commit);
  expect(await told()).toMatchObject([{ ...of, id: 'a', refs: [{ ref, commit }] }]);
  expect(need(await unsharedWork({ git, store }, 'r1', 'w1'))).toEqual([]);
});

it('is not work of another worker or another run, nor a branch that is kept', async () => {
  repo.git('update-ref', 'refs/yard/keep/r2/a-1.stray1', commit);
  repo.git('update-ref', 'refs/yard/keep/r1/b-1', commit);
  expect(need(await unsharedWork({ git, store }, 'r1', 'w1'))).toEqual([{ ref, commit }]);
  expect(need(await unsharedWork({ git, store }, 'r1', 'w2'))).toEqual([]);
});

it('stays where it is while the shared repository is out of reach, and is named', async () => {
  const unsent = [...need(await unsharedWork({ git, store }, 'r1', 'w1'))];
  await shareWork(unsent, { store, clock }, courier(), of);
  expect(unsent).toEqual([{ ref, commit }]);
  expect(await told()).toEqual([]);
  expect(unsentText(unsent, repo.root)).toContain(`It is in ${repo.root}: ${ref}.`);
});

it('is found in the shared repository if its worker was lost before it could tell, and told once', async () => {
  repo.git('init', '-q', '--bare', hub);
  repo.git('push', '-q', hub, `${ref}:${ref}`, `${commit}:refs/yard/keep/r9/z-1.stray1`);
  await recordSharedWork({ store, clock }, toHub());
  await recordSharedWork({ store, clock }, toHub());
  expect(await told()).toMatchObject([{ run: 'r1', id: 'a', attempt: 1, refs: [{ ref, commit }] }]);
  expect(need(await unsharedWork({ git, store }, 'r1', 'w1'))).toEqual([]);
});

it('is recorded once if its worker stores it at the same time as the end of the run', async () => {
  repo.git('init', '-q', '--bare', hub);
  const keep: Courier['keep'] = async (refs) => {
    const sent = await toHub().keep(refs);
    await recordSharedWork({ store, clock }, toHub());
    return sent;
  };
  await shareWork([{ ref, commit }], { store, clock }, ok({ ...toHub(), keep }), of);
  expect(await told()).toHaveLength(2);
  expect(need(await store.attempts({ run: 'r1' }))[0]?.shared).toEqual([{ ref, commit }]);
});

it('is looked for again later if the shared repository is out of reach', async () => {
  await recordSharedWork({ store, clock }, toHub());
  expect(await told()).toEqual([]);
});

it('does not hold up the end of a run if the shared repository is silent', async () => {
  let cleared = 0;
  const failure: Failure = { kind: 'git-failed', args: [], exit: -1, stderr: '' };
  const silent = (signal?: AbortSignal): Promise<never> =>
    new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(new Trouble(failure)));
    });
  const clear: Courier['clear'] = async (limit) => {
    cleared += 1;
    return silent(limit?.signal);
  };
  const soon = { callMs: 20, clearMs: 200 };
  // The list is not answered in time, so the removal is not tried.
  await endSharing({ store, clock }, { kept: silent, clear }, true, soon);
  expect(cleared).toBe(0);
  await endSharing({ store, clock }, { kept: async () => [], clear }, true, soon);
  expect(cleared).toBe(1);
  await endSharing({ store, clock }, { kept: async () => [], clear }, false, soon);
  expect(cleared).toBe(1);
});

/** A shared repository with 601 commits of the run, which takes a second for each push. */
function slowHub(): void {
  repo.git('init', '-q', '--bare', hub);
  repo.git('push', '-q', hub, `${commit}:refs/heads/main`);
  const refs = Array.from({ length: 601 }, (_, nth) => `refs/yard/shared/r1/${nth}`);
  for (const name of refs) appendFileSync(join(hub, 'packed-refs'), `${commit} ${name}\n`);
  writeFileSync(join(hub, 'hooks', 'pre-receive'), '#!/bin/sh\nexec sleep 1\n', { mode: 0o755 });
}

it('removes what was sent for a run also if the shared repository takes long for all of it', async () => {
  slowHub();
  await endSharing({ store, clock }, toHub(), true, { callMs: 3_500, clearMs: 60_000 });
  expect(repo.gitIn(hub, 'for-each-ref', 'refs/yard/shared/')).toBe('');
});
