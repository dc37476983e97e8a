import { expect, it } from 'vitest';
import { anAttempt, aRecord, aRun, endedPhase } from '../../test/report/fixtures.ts';
import type { Attempt } from '../model/attempt.ts';
import { newestToResume } from './resume.ts';

const drained = aRun({ id: 'drained', phase: endedPhase(9, 'drained') });
const stopped = aRun({ id: 'stopped', phase: endedPhase(9, 'stop-asked') });
const died = aRun({ id: 'died' });
const open = aRecord('open');
const landed = aRecord('landed', { id: 'landed', commit: 'c', run: 'r', at: 1 });

/** A task that waits for a decision, with the work of a run. */
function heldBy(run: string) {
  const attempt: Attempt = anAttempt({ id: 'queued', commit: 'c', tree: 't', since: 1 }, { run });
  return aRecord('held', { id: 'open' }, { attempt });
}

it.each([
  { when: 'the newest that was stopped', runs: [stopped, died], tasks: [open], chosen: 'stopped' },
  { when: 'the newest that died', runs: [died, stopped], tasks: [open], chosen: 'died' },
  {
    when: 'the newest that holds a task, although it is drained',
    runs: [drained, stopped],
    tasks: [heldBy('drained'), open],
    chosen: 'drained',
  },
  {
    when: 'a newer one that was stopped rather than one that holds a task',
    runs: [stopped, drained],
    tasks: [heldBy('drained'), open],
    chosen: 'stopped',
  },
  {
    when: 'one that holds a task rather than a newer one without work',
    runs: [stopped, drained],
    tasks: [heldBy('drained'), landed].map((one) => ({ ...one, status: landed.status })),
    chosen: 'drained',
  },
  {
    when: 'one that died rather than a newer one without work, if only to end it',
    runs: [stopped, died],
    tasks: [landed],
    chosen: 'died',
  },
  { when: 'one without work if there is no other', runs: [stopped], tasks: [], chosen: 'stopped' },
  { when: 'none if all are drained', runs: [drained], tasks: [open], chosen: undefined },
])('without a name, the run to resume is $when', ({ runs, tasks, chosen }) => {
  expect(newestToResume(runs, tasks)?.id).toBe(chosen);
});
