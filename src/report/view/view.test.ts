import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  aCandidate,
  anAttempt,
  anyRecords,
  aRecord,
  aRun,
  endedPhase,
  failures,
  settings,
} from '../../../test/report/fixtures.ts';
import { partialView, viewOf } from './view.ts';

const commit = 'abc'.padEnd(40, '0');
const landed = { id: 'landed', commit, run: 'r1', at: 5 } as const;
const failed = { id: 'failed', failure: failures['agent-exited'], run: 'r1' } as const;

describe('the view of tasks', () => {
  it('holds state, attempts and commit', () => {
    const { tasks } = viewOf([aRecord('api', landed, { attempts: 2 })], undefined, 0);
    expect(tasks).toEqual([
      { id: 'api', title: 'Do api', state: 'landed', priority: 2, attempts: 2, commit },
    ]);
  });

  it('says what a task waits for, and leaves out what has landed', () => {
    const records = [
      aRecord('schema', landed),
      aRecord('api'),
      aRecord('docs', undefined, { after: ['schema', 'api'], blockers: 1 }),
    ];
    const { tasks } = viewOf(records, undefined, 0);
    expect(tasks[2]).toMatchObject({ state: 'open', waitsFor: ['api'] });
    expect(tasks[1]).not.toHaveProperty('waitsFor');
  });

  it('explains a failed task with its own id in the command to type', () => {
    const { tasks } = viewOf([aRecord('api', failed)], undefined, 0);
    expect(tasks[0]?.failure).toMatchObject({
      kind: 'agent-exited',
      what: 'The agent exited with status 3.',
      do: expect.stringContaining('ym log api'),
    });
    expect(tasks[0]?.failure).not.toHaveProperty('exit');
  });

  it('shows everything behind a stuck task as blocked, naming that task', () => {
    const records = [
      aRecord('api', failed),
      aRecord('docs', undefined, { after: ['api'] }),
      aRecord('release', undefined, { after: ['docs'] }),
      aRecord('ui'),
    ];
    const { tasks, counts } = viewOf(records, undefined, 0);
    expect(tasks.map(({ state }) => state)).toEqual(['failed', 'blocked', 'blocked', 'ready']);
    expect(tasks[2]?.failure).toMatchObject({
      kind: 'parent-stuck',
      what: 'Waits for api, which is failed.',
    });
    expect(counts).toEqual({ failed: 1, blocked: 2, ready: 1 });
  });

  it('does not block what a skipped task stands before', () => {
    const records = [
      aRecord('api', failed),
      aRecord('docs', { id: 'skipped', reason: 'by hand' }, { after: ['api'] }),
      aRecord('release', undefined, { after: ['docs'], blockers: 0 }),
    ];
    expect(viewOf(records, undefined, 0).tasks[2]?.state).toBe('ready');
  });

  it('says why a task that is tried again came back', () => {
    const attempt = anAttempt({ id: 'returned', failure: failures.conflict });
    const { tasks } = viewOf([aRecord('api', undefined, { attempt })], undefined, 0);
    expect(tasks[0]).toMatchObject({ state: 'ready', failure: { kind: 'conflict' } });
  });

  it('counts every task once, whatever the records', () => {
    fc.assert(
      fc.property(anyRecords, (records) => {
        const view = viewOf(records, aRun(), 9000);
        const sum = Object.values(view.counts).reduce((total, count) => total + count, 0);
        expect(sum).toBe(records.length);
        expect(JSON.parse(JSON.stringify(view))).toEqual(view);
      }),
    );
  });

  it('gives every troubled task a reason', () => {
    fc.assert(
      fc.property(anyRecords, (records) => {
        for (const { state, failure } of viewOf(records, aRun(), 9000).tasks) {
          if (['failed', 'blocked', 'quarantined', 'cancelled'].includes(state)) {
            expect(failure?.what).toMatch(/\S/);
          }
        }
      }),
    );
  });
});

describe('the view of a run', () => {
  it('is absent where there was none', () => {
    const view = viewOf([], undefined, 0);
    expect(view).toEqual({
      schema: 1,
      counts: {},
      tasks: [],
      slots: [],
      train: [],
      spend: { starts: 0, landed: 0 },
    });
  });

  it('says where the target is, if somebody looked', () => {
    expect(viewOf([], undefined, 0, { branch: 'main', commit }).target).toEqual({
      branch: 'main',
      commit,
    });
    expect(viewOf([], aRun(), 0).target).toEqual({ branch: 'main' });
  });

  it('says running, stopping or ended', () => {
    expect(viewOf([], aRun(), 0).run?.state).toBe('running');
    expect(viewOf([], aRun({ phase: { id: 'running', stopAsked: 'finish' } }), 0).run?.state).toBe(
      'stopping',
    );
    const stop = { reason: 'environment', failure: failures['target-red'] } as const;
    const { run } = viewOf([], aRun({ phase: endedPhase(3000, stop) }), 0);
    expect(run).toMatchObject({
      state: 'ended',
      startedAt: 0,
      endedAt: 3000,
      stop: { reason: 'environment', failure: { kind: 'target-red' } },
    });
  });

  it('says how the look at the target came out', () => {
    const verified = { kind: 'passed', command: 'npm test', ms: 5 } as const;
    expect(viewOf([], aRun({ target: { verified } }), 0).run?.verified).toEqual(verified);
    expect(viewOf([], aRun(), 0).run).not.toHaveProperty('verified');
  });

  it('adds up what was spent', () => {
    expect(viewOf([], aRun({ spent: { starts: 4 }, train: { landed: 3 } }), 0).spend).toEqual({
      starts: 4,
      landed: 3,
    });
  });
});

describe('the view of slots', () => {
  it('shows who works where, and which slots are idle', () => {
    const attempt = anAttempt({ id: 'working', slot: 2, turn: 2, since: 4000 }, { turns: 2 });
    const { slots } = viewOf([aRecord('api', undefined, { attempt })], aRun(), 9000);
    expect(slots).toEqual([
      { slot: 1 },
      {
        slot: 2,
        task: 'api',
        attempt: 1,
        turn: 2,
        phase: 'working',
        since: 4000,
        agent: 'mine',
        branch: 'yard/r1/api-1',
      },
    ]);
  });

  it('names whoever looks at the work or at the task, and the round', () => {
    const calling = { id: 'calling', since: 4000 } as const;
    const reviewing = anAttempt({
      ...calling,
      slot: 1,
      call: { kind: 'review', round: 2, agent: 'codex', again: 1 },
      from: { id: 'unreviewed', commit, tree: commit },
    });
    const critiquing = anAttempt({
      ...calling,
      slot: 2,
      call: { kind: 'critique', round: 2, agent: 'gemini', again: 1 },
      from: { id: 'prepared', slot: 2 },
    });
    const records = [
      aRecord('api', undefined, { attempt: { ...reviewing, model: 'opus' } }),
      aRecord('ui', undefined, { attempt: critiquing }),
    ];
    const { slots, tasks } = viewOf(records, aRun(), 9000);
    expect(tasks.map(({ state }) => state)).toEqual(['reviewing', 'working']);
    expect(slots).toMatchObject([
      { task: 'api', phase: 'reviewing', agent: 'codex', round: 2 },
      { task: 'ui', phase: 'critiquing', agent: 'gemini', round: 2 },
    ]);
    expect(slots[0]).not.toHaveProperty('model');
  });

  it('shows no attempt of another run', () => {
    const attempt = anAttempt({ id: 'working', slot: 1, turn: 1, since: 1 }, { run: 'r0' });
    const { slots } = viewOf([aRecord('api', undefined, { attempt })], aRun(), 9000);
    expect(slots).toEqual([{ slot: 1 }, { slot: 2 }]);
  });

  it('is empty when the run has ended', () => {
    expect(viewOf([], aRun({ phase: endedPhase(1) }), 0).slots).toEqual([]);
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
    const { train } = viewOf([waiting('b', 2000), waiting('a', 1000), riding], run, 9999);
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
    const { train } = viewOf(
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
    expect(viewOf([riding], aRun(), 9999).train[0]?.state).toBe('queued');
  });
});

describe('the quick view', () => {
  it('has the counts of all tasks and the records of few', () => {
    const attempt = anAttempt({ id: 'working', slot: 1, turn: 1, since: 1 });
    const active = [aRecord('api', undefined, { attempt })];
    const troubled = [aRecord('ui', failed), aRecord('docs', undefined, { after: ['ui'] })];
    const heldUp = new Map([['docs', 'ui']]);
    const counts = { landed: 9000, working: 1, failed: 1, blocked: 1 };
    const blocked = [['parent-stuck', 1]] as const;
    const view = partialView(
      { counts, blocked, active, troubled, heldUp },
      aRun({ settings }),
      9000,
    );
    expect(view).toMatchObject({ counts, blocked: { parent: 1 } });
    expect(view.tasks.map(({ id, state }) => [id, state])).toEqual([
      ['api', 'working'],
      ['ui', 'failed'],
      ['docs', 'blocked'],
    ]);
    expect(view.slots[0]).toMatchObject({ slot: 1, task: 'api' });
  });

  it('shows a task once that is active and in trouble', () => {
    const both = [aRecord('api', failed)];
    const view = partialView(
      { counts: {}, blocked: [], active: both, troubled: both },
      undefined,
      0,
    );
    expect(view.tasks).toHaveLength(1);
  });

  it('agrees with the full view where it was given everything', () => {
    fc.assert(
      fc.property(anyRecords, (records) => {
        const full = viewOf(records, aRun(), 9000);
        const input = { counts: full.counts, blocked: [], active: records, troubled: [] };
        const quick = partialView(input, aRun(), 9000);
        expect(quick.slots).toEqual(full.slots);
        expect(quick.train).toEqual(full.train);
      }),
    );
  });

  it('says of declined work what can be done about it, not how to hand it over', () => {
    const failure = {
      kind: 'delivery-failed',
      how: 'pr',
      cause: 'pull request closed: u',
    } as const;
    const view = viewOf([aRecord('api', { id: 'blocked', failure })], undefined, 0);
    expect(view.tasks[0]?.failure).toMatchObject({
      kind: 'delivery-failed',
      what: 'The finished work was declined: pull request closed: u.',
      do: 'Type `ym retry api` to have an agent start over, `ym cancel api` to give it up, or `ym skip api` to count it as done.',
    });
  });
});
