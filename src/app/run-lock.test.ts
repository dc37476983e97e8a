import { expect, it } from 'vitest';
import { aRun, endedPhase } from '../../test/report/fixtures.ts';
import { ok } from '../model/failure.ts';
import { lockOf, projectLock } from '../model/lease.ts';
import type { LeasedRun } from '../model/run-record.ts';
import type { Store } from '../port/store.ts';
import { here } from '../wire/place.ts';
import { lockRun } from './run.ts';

const holder = { ...here.self(), until: Number.MAX_SAFE_INTEGER };
const { pid, host } = holder;

/** A store in which these processes hold locks, by name. */
const storeWith = (
  held: Readonly<Record<string, typeof holder>>,
  runs: readonly LeasedRun[],
): Store =>
  ({
    runs: async () => ok(runs),
    holder: async (lock: string) => ok(held[lock]),
    lock: async () => ok(undefined),
    unlock: async () => ok(undefined),
  }) as unknown as Store;

it('says that a process starts a run, if that holds only the lock of the project', async () => {
  const store = storeWith({ [projectLock]: holder }, []);
  const failure = { kind: 'run-starting', pid, host };
  expect(await lockRun(here, store, 'r7', false)).toEqual({ ok: false, failure });
});

it('says the same of a process that cleans up after its run', async () => {
  const ended = aRun({ id: 'r6', owner: here.self(), phase: endedPhase(5) });
  const store = storeWith({ [projectLock]: holder }, [ended]);
  const failure = { kind: 'run-starting', pid, host };
  expect(await lockRun(here, store, 'r7', false)).toEqual({ ok: false, failure });
});

it('does not take the run of a dead process with the same number for the one that is starting', async () => {
  const owner = { ...here.self(), startedAt: 'long ago' };
  const store = storeWith({ [projectLock]: holder }, [aRun({ id: 'r6', owner })]);
  const failure = { kind: 'run-starting', pid, host };
  expect(await lockRun(here, store, 'r7', false)).toEqual({ ok: false, failure });
});

it('names the run whose lock another process holds, also before its record does', async () => {
  const store = storeWith({ [lockOf('r7')]: holder }, [aRun({ id: 'r7', phase: endedPhase(5) })]);
  const locked = await lockRun(here, store, 'r7', false);
  expect(locked).toEqual({ ok: false, failure: { kind: 'run-alive', run: 'r7', pid, host } });
});
