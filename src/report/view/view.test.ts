import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyRecords } from '../../../test/report/any-log.ts';
import { failures } from '../../../test/report/failures.ts';
import {
  aCandidate,
  aConversation,
  anAttempt,
  aRecord,
  aRun,
  endedPhase,
} from '../../../test/report/fixtures.ts';
import { viewed } from '../../../test/report/viewed.ts';
import { stateOf } from '../../model/task-record.ts';
import { failureIn } from './state.ts';
import { taskViewsOf } from './task.ts';

const commit = 'abc'.padEnd(40, '0');
const landed = { id: 'landed', commit, run: 'r1', at: 5 } as const;
const failed = { id: 'failed', failure: failures['agent-exited'], run: 'r1' } as const;

describe('the view of tasks', () => {
  it('holds state, attempts and commit', () => {
    const { tasks } = viewed([aRecord('api', landed, { attempts: 2 })], undefined, 0);
    expect(tasks).toEqual([
      {
        id: 'api',
        title: 'Do api',
        state: 'landed',
        commit,
        priority: 2,
        attempts: 2,
        waitsFor: [],
        coClaims: [],
        clashes: [],
        reviewRounds: 0,
        leftBehind: false,
      },
    ]);
  });

  it('says what a task waits for, and leaves out what has landed', () => {
    const records = [
      aRecord('schema', landed),
      aRecord('api'),
      aRecord('docs', undefined, { after: ['schema', 'api'], blockers: 1 }),
    ];
    const { tasks } = viewed(records, undefined, 0);
    expect(tasks[2]).toMatchObject({ state: 'open', waitsFor: ['api'] });
    expect(tasks[1]?.waitsFor).toEqual([]);
  });

  it('explains a failed task with its own id in the command to type', () => {
    const { tasks } = viewed([aRecord('api', failed)], undefined, 0);
    const failure = {
      kind: 'agent-exited',
      what: 'The agent exited with status 3.',
      do: expect.stringContaining('ym log api'),
    };
    expect(tasks[0]).toMatchObject({ state: 'failed', failure, command: 'ym retry api' });
    expect(tasks[0]).not.toHaveProperty('failure.exit');
  });

  it('shows everything behind a stuck task as blocked, naming that task', () => {
    const records = [
      aRecord('api', failed),
      aRecord('docs', undefined, { after: ['api'] }),
      aRecord('release', undefined, { after: ['docs'] }),
      aRecord('ui'),
    ];
    const { tasks, counts } = viewed(records, undefined, 0);
    expect(tasks.map(({ state }) => state)).toEqual(['failed', 'blocked', 'blocked', 'ready']);
    expect(tasks[2]).toMatchObject({
      cause: 'parent',
      parent: 'api',
      failure: { kind: 'parent-stuck', what: 'Waits for api, which is failed.' },
    });
    expect(counts).toEqual({ failed: 1, blocked: 2, ready: 1 });
  });

  it('does not block what a skipped task stands before', () => {
    const records = [
      aRecord('api', failed),
      aRecord('docs', { id: 'skipped', reason: 'by hand' }, { after: ['api'] }),
      aRecord('release', undefined, { after: ['docs'], blockers: 0 }),
    ];
    expect(viewed(records, undefined, 0).tasks[2]?.state).toBe('ready');
  });

  it('says why a task that is tried again came back', () => {
    const attempt = anAttempt({ id: 'returned', failure: failures.conflict });
    const { tasks } = viewed([aRecord('api', undefined, { attempt })], undefined, 0);
    expect(tasks[0]).toMatchObject({ state: 'ready', failure: { kind: 'conflict' } });
  });

  it('counts every task once, whatever the records', () => {
    fc.assert(
      fc.property(anyRecords, (records) => {
        const view = viewed(records, aRun(), 9000);
        const sum = Object.values(view.counts).reduce((total, count) => total + count, 0);
        expect(sum).toBe(records.length);
        expect(JSON.parse(JSON.stringify(view))).toEqual(view);
      }),
    );
  });

  it('gives every troubled task a reason', () => {
    fc.assert(
      fc.property(anyRecords, (records) => {
        for (const task of viewed(records, aRun(), 9000).tasks) {
          if (['failed', 'blocked', 'quarantined', 'canceled'].includes(task.state)) {
            expect(failureIn(task)?.what).toMatch(/\S/);
          }
        }
      }),
    );
  });

  it('agrees with the state that the store counts, except for tasks behind a stuck one', () => {
    fc.assert(
      fc.property(anyRecords, (records) => {
        for (const [at, task] of taskViewsOf(records).entries()) {
          const record = records[at];
          const isBehind = task.state === 'blocked' && task.cause === 'parent';
          if (record !== undefined) expect(stateOf(record)).toBe(isBehind ? 'open' : task.state);
        }
      }),
    );
  });

  it('says which work was left behind by a run that is not under way', () => {
    const attempt = anAttempt({ id: 'working', slot: 1, turn: 1, since: 1 });
    const records = [aRecord('api', undefined, { attempt }), aRecord('ui')];
    const left = (underWay: readonly string[]) =>
      viewed(records, aRun(), 0, { underWay }).tasks.map(({ leftBehind }) => leftBehind);
    expect(left(['r1'])).toEqual([false, false]);
    expect(left(['r2'])).toEqual([true, false]);
  });

  it('lists what needs a person, and neither what waits behind it nor what was given up', () => {
    const asking = anAttempt({ id: 'asking', question: 'Which?', since: 3 });
    const records = [
      aRecord('api', failed),
      aRecord('docs', undefined, { after: ['api'] }),
      aRecord('ui', undefined, { attempt: asking }),
      aRecord('old', { id: 'canceled', failure: failures['canceled-by-person'], at: 1 }),
    ];
    expect(viewed(records, aRun(), 9).needsYou).toMatchObject([
      { task: 'api', kind: 'failed', command: 'ym retry api' },
      { task: 'ui', kind: 'question', since: 3, run: 'r1', command: 'ym answer ui "…"' },
    ]);
  });

  it('says of declined work what can be done about it, not how to hand it over', () => {
    const failure = {
      kind: 'delivery-failed',
      how: 'pr',
      cause: 'pull request closed: u',
    } as const;
    const view = viewed([aRecord('api', { id: 'blocked', failure })], undefined, 0);
    expect(failureIn(view.tasks[0] ?? { state: 'held' })).toMatchObject({
      kind: 'delivery-failed',
      what: 'The finished work was declined: pull request closed: u.',
      do: 'Type `ym retry api` to have an agent start over, `ym cancel api` to give it up, or `ym skip api` to count it as done.',
    });
  });
});

describe('the view of a run', () => {
  it('is absent where there was none', () => {
    const view = viewed([], undefined, 0);
    expect(view).toEqual({
      schema: 1,
      run: { state: 'none' },
      counts: {},
      stopped: [],
      preparing: 0,
      blocked: {},
      outside: 0,
      otherRuns: [],
      tasks: [],
      needsYou: [],
      slots: [],
      train: [],
      candidates: [],
      landings: [],
      gates: [],
      quarantinedChecks: [],
      spend: { starts: 0, landed: 0 },
      paused: [],
      pausedSteps: [],
      waits: [],
      unsynced: [],
    });
  });

  it('says where the target is, if it is known', () => {
    const target = { branch: 'main', commit };
    expect(viewed([], aRun(), 0, { targetCommit: commit }).run).toMatchObject({ target });
    expect(viewed([], aRun(), 0).run).toHaveProperty('target', { branch: 'main' });
  });

  it('says running, stopping or ended', () => {
    expect(viewed([], aRun(), 0).run.state).toBe('running');
    expect(viewed([], aRun({ phase: { id: 'running', stopAsked: 'finish' } }), 0).run.state).toBe(
      'stopping',
    );
    const stop = { reason: 'environment', failure: failures['target-red'] } as const;
    const { run } = viewed([], aRun({ phase: endedPhase(3000, stop) }), 0);
    expect(run).toMatchObject({
      state: 'ended',
      startedAt: 0,
      endedAt: 3000,
      stop: { reason: 'environment', failure: { kind: 'target-red' } },
    });
  });

  it('says how the look at the target came out', () => {
    const verified = { kind: 'passed', command: 'npm test', ms: 5 } as const;
    expect(viewed([], aRun({ target: { verified } }), 0).run).toMatchObject({ verified });
    expect(viewed([], aRun(), 0).run).not.toMatchObject({ verified: expect.anything() });
  });

  it('adds up what was spent', () => {
    expect(viewed([], aRun({ spent: { starts: 4 }, train: { landed: 3 } }), 0).spend).toEqual({
      starts: 4,
      landed: 3,
    });
  });
});

describe('the view of slots', () => {
  it('shows who works where, and which slots are idle', () => {
    const attempt = anAttempt(
      { id: 'working', slot: 2, turn: 2, since: 4000 },
      aConversation({ turns: 2 }),
    );
    const { slots } = viewed([aRecord('api', undefined, { attempt })], aRun(), 9000);
    expect(slots).toEqual([
      { slot: 1, status: 'open', phase: 'idle' },
      {
        slot: 2,
        status: 'open',
        task: 'api',
        attempt: 1,
        turn: 2,
        phase: 'working',
        waitsForGate: false,
        since: 4000,
        agent: 'mine',
        branch: 'yard/r1/api-1',
      },
    ]);
  });

  it('says neither that a review goes on nor that an agent works once the run has stopped', () => {
    const stopped = anAttempt({ id: 'unreviewed', commit, tree: commit, tries: 0, failed: 0 });
    const records = [
      aRecord('api', undefined, { attempt: stopped }),
      aRecord('ui', undefined, { coClaimedBy: { run: 'r1', id: 'api', attempt: 1 } }),
    ];
    expect(records.map(stateOf)).toEqual(['unreviewed', 'claimed']);
    expect(viewed(records, aRun(), 9000).tasks).toMatchObject([
      { state: 'unreviewed', commit },
      { state: 'claimed', coClaimedBy: { task: 'api', attempt: 1 } },
    ]);
  });

  it('names whoever looks at the work or at the task, and the round', () => {
    const calling = { id: 'calling', since: 4000 } as const;
    const reviewing = anAttempt({
      ...calling,
      slot: 1,
      call: { kind: 'review', round: 2, agent: 'codex', again: 1 },
      from: { id: 'unreviewed', commit, tree: commit, tries: 0, failed: 0 },
    });
    const critiquing = anAttempt({
      ...calling,
      slot: 2,
      call: { kind: 'critique', round: 2, agent: 'gemini', again: 1 },
      from: { id: 'prepared', slot: 2 },
    });
    const records = [
      aRecord('api', undefined, { attempt: { ...reviewing, ...aConversation({ model: 'opus' }) } }),
      aRecord('ui', undefined, { attempt: critiquing }),
    ];
    const { slots, tasks } = viewed(records, aRun(), 9000);
    expect(tasks.map(({ state }) => state)).toEqual(['reviewing', 'working']);
    expect(slots).toMatchObject([
      { task: 'api', phase: 'reviewing', agent: 'codex', round: 2 },
      { task: 'ui', phase: 'critiquing', agent: 'gemini', round: 2 },
    ]);
    expect(slots[0]).not.toMatchObject({ model: expect.anything() });
  });

  it('shows no attempt of another run', () => {
    const attempt = anAttempt({ id: 'working', slot: 1, turn: 1, since: 1 }, { run: 'r0' });
    const { slots } = viewed([aRecord('api', undefined, { attempt })], aRun(), 9000);
    expect(slots).toEqual([
      { slot: 1, status: 'open', phase: 'idle' },
      { slot: 2, status: 'open', phase: 'idle' },
    ]);
  });

  it('is empty when the run has ended', () => {
    expect(viewed([], aRun({ phase: endedPhase(1) }), 0).slots).toEqual([]);
  });
});

describe('the view of the train', () => {
  const tree = 'f'.repeat(40);
  const waiting = (id: string, since: number) =>
    aRecord(id, undefined, { attempt: anAttempt({ id: 'queued', commit, tree, since }) });
  const riding = aRecord('api', undefined, {
    attempt: anAttempt({ id: 'landing', commit, tree, since: 9000, candidate: 'c1' }),
  });

  it('has the candidate first, then the queue by age', () => {
    const run = aRun({ train: { candidates: [aCandidate('c1', ['api'])] } });
    const { train } = viewed([waiting('b', 2000), waiting('a', 1000), riding], run, 9999);
    expect(train.map(({ task, state }) => [task, state])).toEqual([
      ['api', 'judging'],
      ['a', 'queued'],
      ['b', 'queued'],
    ]);
  });

  it('says why a landing waits', () => {
    const state = {
      id: 'waiting',
      failure: failures['checkout-in-the-way'],
      since: 0,
      until: 1,
    } as const;
    const { train } = viewed(
      [riding],
      aRun({ train: { candidates: [aCandidate('c1', ['api'], { state })] } }),
      9999,
    );
    expect(train[0]).toMatchObject({
      state: 'waiting',
      candidate: 'c1',
      failure: { kind: 'checkout-in-the-way' },
    });
  });

  it('shows a branch whose candidate is gone as queued', () => {
    expect(viewed([riding], aRun(), 9999).train[0]?.state).toBe('queued');
  });
});
