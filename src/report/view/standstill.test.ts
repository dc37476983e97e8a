import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentStory, crewed, folded } from '../../../test/report/agent-story.ts';
import { anyRecords } from '../../../test/report/any-log.ts';
import { failures } from '../../../test/report/failures.ts';
import {
  anAttempt,
  aRecord,
  aRun,
  clashingWith,
  endedPhase,
} from '../../../test/report/fixtures.ts';
import { viewed } from '../../../test/report/viewed.ts';
import type { TurnReason } from '../../model/attempt.ts';
import type { Pause } from '../../model/run-record.ts';
import { claimText, pauseViews, turnReasonText } from './standstill.ts';
import { taskViewsOf } from './task.ts';

const quota: Pause = { failure: failures['quota-exhausted'], since: 1000, until: 9000, times: 1 };
const resting = (id: string, agent: string, run = 'r1') => {
  const turnReason: TurnReason = { id: 'paused', failure: quota.failure };
  return aRecord(id, undefined, {
    attempt: anAttempt({ id: 'between-turns', turnReason }, { agent, run }),
  });
};
const found = { id: 'F1', severity: 'major', text: 'no' } as const;
const run = aRun({ settings: crewed, accounts: { paused: { anthropic: quota } } });

describe('a paused account', () => {
  it('is named with its reason, its end and how many wait for it', () => {
    const tasks = [
      resting('a', 'claude'),
      resting('b', 'claude'),
      resting('c', 'codex'),
      resting('d', 'claude', 'r0'),
    ];
    expect(pauseViews(run, tasks, 5000)).toEqual([
      {
        account: 'anthropic',
        reason: 'quota',
        since: 1000,
        until: 9000,
        waiting: 2,
        what: 'The quota of claude is used up until 1970-01-01 14:05 UTC.',
        do: expect.stringContaining('continues automatically'),
      },
    ]);
  });

  it('is paused no longer once its time has come, or the run has ended', () => {
    expect(pauseViews(run, [], 8999)).toHaveLength(1);
    expect(pauseViews(run, [], 9000)).toEqual([]);
    expect(pauseViews({ ...run, phase: endedPhase(5) }, [], 5)).toEqual([]);
  });

  it.each([
    ['provider-auth', 'sign-in'],
    ['provider-billing', 'credit'],
    ['provider-rate-limit', 'rate limit'],
    ['other', 'other'],
  ] as const)('for %s is paused for %s', (kind, reason) => {
    const pause = { failure: failures[kind], since: 0, times: 1 };
    const [view] = pauseViews({ ...run, accounts: { paused: { x: pause } } }, [], 5000);
    expect(view).toMatchObject({ reason });
    expect(view?.until).toBeUndefined();
  });
});

describe('what an attempt waits for', () => {
  it('is the end of the pause of its account', () => {
    const [task] = viewed([resting('a', 'claude')], run, 5000).tasks;
    const pause = { turnReason: 'paused', until: 9000 };
    expect(task).toMatchObject({ pause, failure: { kind: 'quota-exhausted' } });
    const [other] = viewed([resting('a', 'codex')], run, 5000).tasks;
    expect(other).toMatchObject({ pause: expect.not.objectContaining({ until: 9000 }) });
  });

  it('is a person where its agent asks', () => {
    const attempt = anAttempt({ id: 'asking', question: 'Which?', since: 2000 });
    const [task] = viewed([aRecord('api', undefined, { attempt })], run, 5000).tasks;
    expect(task).toMatchObject({
      state: 'blocked',
      cause: 'answer',
      question: 'Which?',
      since: 2000,
      run: 'r1',
      command: 'ym answer api "…"',
      failure: { kind: 'question-open', what: 'Its agent asks: Which?' },
    });
  });

  it('is a person where its work must be approved', () => {
    const failure = failures['approval-needed'];
    const state = { id: 'awaiting', commit: 'c', tree: 't', since: 2000, failure } as const;
    const record = aRecord('api', undefined, { attempt: anAttempt(state) });
    const [task] = viewed([record], run, 5000).tasks;
    expect(task).toMatchObject({
      state: 'blocked',
      cause: 'approval',
      failure: {
        kind: 'approval-needed',
        what: 'Waits for your approval: reviewers still want changes after 3 rounds.',
        details: [expect.any(String), expect.any(String)],
      },
      since: 2000,
      command: 'ym approve api',
      reject: 'ym reject api "…"',
    });
  });

  it('is the end of a candidate that it does not merge with', () => {
    const state = { id: 'queued', commit: 'c', tree: 't', since: 1, behind: 'c3' } as const;
    const reviews = [{ round: 1, commit: 'c', votes: [] }];
    const attempt = anAttempt(state, { ...clashingWith('ui'), reviews });
    expect(taskViewsOf([aRecord('api', undefined, { attempt })])[0]).toMatchObject({
      behind: 'c3',
      clashes: ['ui'],
      reviewRounds: 1,
    });
  });

  it('is whoever merges what was handed over', () => {
    const status = { id: 'delivered', how: 'pr', branch: 'yard/api', commit: 'c' } as const;
    expect(taskViewsOf([aRecord('api', status)])[0]).toMatchObject({
      delivery: { how: 'pr', branch: 'yard/api' },
    });
    const url = 'https://example.com/7';
    const [task, child] = viewed(
      [aRecord('api', { ...status, url }), aRecord('ui', undefined, { after: ['api'] })],
      undefined,
      0,
    ).tasks;
    expect(task).toMatchObject({ state: 'delivered', commit: 'c', delivery: { url } });
    expect(child).toMatchObject({
      state: 'blocked',
      cause: 'parent',
      parent: 'api',
      command: 'ym why api',
      failure: {
        kind: 'parent-stuck',
        do: expect.stringContaining('Merge the delivered work; `ym show api`'),
      },
    });
  });

  it('is nothing once a person has decided otherwise', () => {
    const { attempt } = resting('a', 'claude');
    const failure = failures['blocked-by-person'];
    const record = aRecord(
      'a',
      { id: 'blocked', failure },
      attempt === undefined ? {} : { attempt },
    );
    expect(taskViewsOf([record])[0]).toMatchObject({ state: 'blocked', cause: 'person' });
    expect(taskViewsOf([record])[0]).not.toHaveProperty('pause');
  });

  it.each([
    [
      { id: 'silent', times: 1, nudge: false },
      'It ended its last turn without saying whether it is done; its conversation continues.',
    ],
    [
      { id: 'silent', times: 5, nudge: true },
      'It ended its last 5 turns without saying whether it is done; it is asked one last time.',
    ],
    [
      { id: 'answer', question: 'Which?', text: 'That.' },
      'Its question was answered; its conversation continues.',
    ],
    [
      { id: 'paused', failure: failures['provider-server'] },
      'The service behind gemini is overloaded.',
    ],
    [{ id: 'rejected', reason: 'too\nslow.' }, 'A person rejected its work: too slow.'],
    [
      { id: 'tests-red', tests: ['a', 'b', 'c', 'd'], files: [] },
      'Its new tests fail as they should: a; b; c; and 1 more. The next turn makes them pass.',
    ],
    [{ id: 'rejected', reason: '' }, 'A person rejected its work: no reason was given.'],
    [
      {
        id: 'review',
        rounds: [
          {
            round: 2,
            commit: 'c',
            votes: [
              { reviewer: 'codex', verdict: 'needs-changes', findings: [found] },
              { reviewer: 'gemini', verdict: 'approved', findings: [found] },
            ],
          },
        ],
      },
      'codex wanted changes in round 2 (1 finding); the agent fixes them next.',
    ],
    [
      { id: 'review', rounds: [] },
      'Its reviewers wanted changes in round 1; the agent fixes them next.',
    ],
    [{ id: 'new-in-a-later-version' }, 'Its conversation continues.'],
  ] as const)('is told for %j', (turnReason, text) => {
    expect(turnReasonText(turnReason as TurnReason)).toBe(text);
  });

  it('tells which tasks it got, and why not the others', () => {
    expect(
      claimText([
        { id: 'a', claimed: true },
        { id: 'b', claimed: false, reason: 'it is landed' },
        { id: 'c', claimed: false },
      ]),
    ).toBe('It asked for further tasks and got a; it did not get b (it is landed), c.');
    expect(claimText([])).toBe('It asked for further tasks and named none.');
  });
});

describe('tasks that ride', () => {
  it('are named on both sides while the attempt lives', () => {
    const claimed = agentStory.filter(({ seq }) => seq <= 14);
    const { tasks, run: record } = folded(claimed);
    const view = viewed(tasks, record, 20_000);
    const task = (id: string) => view.tasks.find((one) => one.id === id);
    expect(task('schema')).toMatchObject({
      state: 'claimed',
      coClaimedBy: { task: 'api', attempt: 1 },
    });
    expect(task('api')?.coClaims).toEqual(['schema']);
  });

  it('are not named once they have landed', () => {
    const { tasks, run: record } = folded(agentStory);
    for (const task of viewed(tasks, record, 50_000).tasks) {
      expect(task).not.toHaveProperty('coClaimedBy');
      expect(task.coClaims).toEqual([]);
    }
  });
});

describe('a task that only filed others', () => {
  it('is done, and says which', () => {
    const attempt = anAttempt({ id: 'planned', filed: ['a', 'b'] });
    const record = aRecord('plan', { id: 'skipped', reason: 'planned: a, b' }, { attempt });
    expect(taskViewsOf([record])[0]).toMatchObject({ state: 'skipped', filed: ['a', 'b'] });
  });
});

it('a view of any records is plain data', () => {
  fc.assert(
    fc.property(anyRecords, fc.boolean(), (records, held) => {
      const { until: _until, ...endless } = quota;
      const paused = { mine: held ? endless : quota };
      const view = viewed(records, aRun({ accounts: { paused, cooldown: { left: 1 } } }), 5000);
      expect(JSON.parse(JSON.stringify(view))).toEqual(view);
      expect(view.paused[0]?.waiting).toBeGreaterThanOrEqual(0);
    }),
  );
});
