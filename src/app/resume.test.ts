import { describe, expect, it } from 'vitest';
import { anAttempt, aRecord, aRun, endedPhase } from '../../test/report/fixtures.ts';
import type { Attempt } from '../model/attempt.ts';
import { ok } from '../model/failure.ts';
import { noRevisions } from '../model/revision.ts';
import { here } from '../wire/place.ts';
import { isResumable, newestToResume, recordsToResume } from './resume.ts';

const drained = aRun({ id: 'drained', phase: endedPhase(9, 'drained') });
const stopped = aRun({ id: 'stopped', phase: endedPhase(9, 'stop-asked') });
const died = aRun({ id: 'died' });
const earlier = aRun({
  id: 'earlier',
  phase: { id: 'ended', at: 9, seq: 9, stop: { reason: 'stop-asked' } },
});
const later = aRun({
  id: 'later',
  startedAt: 10,
  phase: { id: 'ended', at: 12, seq: 12, stop: { reason: 'drained' } },
});
/** It ended before the plan was revised for a task whose agent gave up. */
const unrevised = aRun({
  id: 'unrevised',
  phase: endedPhase(9, 'quota'),
  settings: { ...aRun().settings, revision: { agent: 'architect', apply: false } },
  revisions: { ...noRevisions, due: ['given-up'] },
});
const failure = { kind: 'agent-gave-up', message: 'There is no field' } as const;
const givenUp = aRecord('given-up', { id: 'failed', failure, run: 'unrevised' });
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
  {
    when: 'one that has a plan to revise rather than a newer one without work',
    runs: [stopped, unrevised],
    tasks: [givenUp],
    chosen: 'unrevised',
  },
  { when: 'one without work if there is no other', runs: [stopped], tasks: [], chosen: 'stopped' },
  {
    when: 'one whose tasks waited for a worker with their label, rather than an older one',
    runs: [drained, stopped],
    tasks: [open],
    chosen: 'drained',
  },
  {
    when: 'an older one rather than one that left only tasks behind failed ones',
    runs: [drained, stopped],
    tasks: [aRecord('behind', { id: 'open' }, { after: ['failed'] })],
    chosen: 'stopped',
  },
  {
    when: 'none that was stopped before a later one took up its work and new tasks were added',
    runs: [later, earlier],
    tasks: [landed, { ...open, order: 20 }],
    chosen: undefined,
  },
  { when: 'none if all are drained', runs: [drained], tasks: [landed], chosen: undefined },
])('without a name, the run to resume is $when', ({ runs, tasks, chosen }) => {
  expect(newestToResume(runs, tasks)?.id).toBe(chosen);
});

it.each([
  { is: 'can be resumed while the plan is to be revised', tasks: [givenUp], resumable: true },
  { is: 'cannot be resumed after a decision about that task', tasks: [landed], resumable: false },
  {
    is: 'cannot be resumed if that task failed in a later run',
    tasks: [aRecord('given-up', { id: 'failed', failure, run: 'later' })],
    resumable: false,
  },
])('a run that has ended $is', async ({ tasks, resumable }) => {
  const store = { tasks: async () => ok(tasks) };
  expect(await isResumable({ store }, unrevised, 0)).toEqual(ok(resumable));
});

describe('a run of another machine that is resumed within the lease of that machine', () => {
  const owner = { pid: 1, startedAt: '1@another', host: 'another' };

  /** The machine lands a task at its last moment, and may renew its lease. The wait for its lease follows. */
  async function resumed(name: string | undefined, renewedUntil = 9_000) {
    let now = 1_000;
    let leaseUntil = 9_000;
    let tasks = [aRecord('a')];
    const sleep = async (ms: number) => {
      now += ms;
      leaseUntil = renewedUntil;
      tasks = [aRecord('a', landed.status)];
    };
    const store = {
      runs: async () => ok([aRun({ id: 'theirs', owner, leaseUntil })]),
      tasks: async () => ok(tasks),
    };
    const clock = { ...here.clock, now: () => now, sleep };
    const found = await recordsToResume({ ...here, clock }, store, name);
    if (!found.ok) return found.failure;
    const { record, isIdle } = found.value;
    return { run: record.id, isIdle, tasks: found.value.tasks.map(({ status }) => status.id) };
  }

  it.each([undefined, 'theirs'])('is read after the lease has ended (named %s)', async (name) => {
    expect(await resumed(name)).toEqual({ run: 'theirs', isIdle: true, tasks: ['landed'] });
  });

  it('is not idle if that machine renews its lease', async () => {
    expect(await resumed(undefined, 20_000)).toMatchObject({ run: 'theirs', isIdle: false });
  });
});
