import { expect, it } from 'vitest';
import { anAttempt, aRecord, aRun } from '../../test/report/fixtures.ts';
import type { EventBody } from '../model/event.ts';
import { ok } from '../model/failure.ts';
import type { Owner } from '../model/run.ts';
import { self } from '../process/identity.ts';
import { here } from '../wire/place.ts';
import { askToHold } from './attach.ts';
import type { Opened } from './ports.ts';

/** Asks to hold a task that `by` holds already; its run goes on. Returns the kinds of the decisions that were stored. */
async function askedWhileHeldBy(by: Owner, until?: number): Promise<readonly string[]> {
  const attempt = anAttempt({ id: 'held', since: 1, by });
  const kinds: string[] = [];
  const store = {
    task: async () => ok(aRecord('a', undefined, { attempt })),
    run: async () => ok(aRun({ owner: self() })),
    holder: async () => ok(until === undefined ? undefined : { ...by, until }),
    lock: async () => ok(undefined),
    append: async (_at: number, events: readonly EventBody[]) => {
      for (const event of events)
        if (event.type === 'task-decided') kinds.push(event.decision.kind);
      return ok([]);
    },
  } as unknown as Opened['store'];
  await askToHold({ ...here, store, self }, 'a');
  return kinds;
}

const elsewhere = { pid: 1, startedAt: '1@another', host: 'another' };
const takenOver = ['release', 'hold'];

it('a person takes over the worktree from a process that is gone, here or on another machine', async () => {
  const gone = { ...self(), startedAt: self().startedAt.replace(/^\d+/, '0') };
  expect(await askedWhileHeldBy(gone, Date.now() + 60_000)).toEqual(takenOver);
  expect(await askedWhileHeldBy(elsewhere, Date.now() - 1)).toEqual(takenOver);
  expect(await askedWhileHeldBy(elsewhere)).toEqual(takenOver);
});

it('a person on another machine keeps the worktree while the lease is renewed', async () => {
  expect(await askedWhileHeldBy(elsewhere, Date.now() + 60_000)).toEqual([]);
});

it('a person does not take over the worktree from a process that is alive', async () => {
  expect(await askedWhileHeldBy(self())).toEqual([]);
});
