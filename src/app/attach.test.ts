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
async function askedWhileHeldBy(by: Owner): Promise<readonly string[]> {
  const attempt = anAttempt({ id: 'held', since: 1, by });
  const kinds: string[] = [];
  const store = {
    task: async () => ok(aRecord('a', undefined, { attempt })),
    run: async () => ok(aRun({ owner: self() })),
    append: async (_at: number, events: readonly EventBody[]) => {
      for (const event of events)
        if (event.type === 'task-decided') kinds.push(event.decision.kind);
      return ok([]);
    },
  } as unknown as Opened['store'];
  await askToHold({ ...here, store, self }, 'a');
  return kinds;
}

it('a person takes over the worktree from a process that is gone, or on a machine of which nothing is known', async () => {
  const takenOver = ['release', 'hold'];
  expect(await askedWhileHeldBy({ ...self(), startedAt: 'long ago' })).toEqual(takenOver);
  expect(await askedWhileHeldBy({ ...self(), host: 'another' })).toEqual(takenOver);
});

it('a person does not take over the worktree from a process that is alive', async () => {
  expect(await askedWhileHeldBy(self())).toEqual([]);
});
