import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentStory } from '../../test/report/agent-story.ts';
import { anyLog } from '../../test/report/any-log.ts';
import { violations } from '../../test/report/any-work.ts';
import { allFailures, failures } from '../../test/report/failures.ts';
import { logOf } from '../../test/report/fixtures.ts';
import { attemptsIn } from '../../test/report/records-of.ts';
import { story } from '../../test/report/story.ts';
import { trainStory } from '../../test/report/train-story.ts';
import { task } from '../../test/story.ts';
import { type AttemptRecord, endedAt, outcomes } from '../model/history.ts';
import { outcomeOf, outcomeOfEnd, partIn } from './attempt-history.ts';

const of = { run: 'r1', id: 'api', attempt: 1 };
const began = {
  ...of,
  type: 'attempt-started',
  slot: 2,
  fence: 1,
  agent: 'mine',
  branch: 'yard/r1/api-1',
} as const;
const turn = { ...of, type: 'turn-started', turn: 1, slot: 2 } as const;
const built = {
  type: 'candidate-built',
  run: 'r1',
  candidate: 'c1',
  parent: 'p',
  commit: 'c',
  tree: 't',
  entries: [{ id: 'api', attempt: 1, commit: 'c' }],
} as const;

function only(stories: readonly AttemptRecord[]): AttemptRecord {
  const [first] = stories;
  if (first === undefined || stories.length !== 1) throw new Error(`${stories.length} stories`);
  return first;
}

describe('the attempts of a run', () => {
  it('know what a worker pushed for them, also after the next attempt began', () => {
    const refs = [{ ref: 'refs/yard/keep/r1/api-1.stray1', commit: 'c' }];
    const shared = { ...of, type: 'work-shared', worker: 'w1', refs } as const;
    const failed = { ...of, type: 'attempt-failed', failure: failures['worker-gone'] } as const;
    const again = { ...began, attempt: 2, fence: 2, branch: 'yard/r1/api-2' };
    const found = attemptsIn(logOf(began, failed, again, shared));
    expect(found.map((one) => one.shared)).toEqual([refs, undefined]);
    expect(found[0]?.end.id).toBe('failed');
  });

  it('are listed in the order they began, with how they came out', () => {
    const stories = attemptsIn(story).map(({ task, number, end }) => [
      task,
      number,
      outcomeOfEnd(end),
    ]);
    expect(stories).toEqual([
      ['api', 1, 'landed'],
      ['ui', 1, 'error'],
      ['ui', 2, 'error'],
      ['docs', 1, 'no-changes'],
      ['cut', 1, 'interrupted'],
      ['lost', 1, 'incomplete'],
    ]);
  });

  it('keep what became of each turn', () => {
    const api = attemptsIn(story)[0];
    expect(api?.turns.map(({ outcome }) => outcome)).toEqual(['returned', 'landed']);
    expect(api?.turns[0]?.failure).toEqual(failures['gate-red']);
  });

  it('are incomplete until an end is recorded', () => {
    const stories = only(attemptsIn(logOf(began, turn)));
    expect(stories).toMatchObject({ end: { id: 'live' }, slot: 2, agent: 'mine' });
    expect(stories.turns).toMatchObject([
      { turn: 1, slot: 2, startedAt: 2000, outcome: 'incomplete' },
    ]);
    expect(stories.turns[0]?.end).toBeUndefined();
  });

  it('are returned when the candidate they ride on is red', () => {
    const red = {
      type: 'candidate-judged',
      run: 'r1',
      candidate: 'c1',
      tree: 't',
      gate: 'g',
      verdict: { id: 'failed', ms: 1, failure: failures['gate-red'] },
      cached: false,
    } as const;
    const stories = only(attemptsIn(logOf(began, turn, built, red)));
    expect(stories.turns[0]?.outcome).toBe('returned');
    expect(stories.end.id).toBe('live');
  });

  it('are returned when they conflict with the target', () => {
    const refused = { ...of, type: 'merge-refused', failure: failures.conflict } as const;
    const stories = only(attemptsIn(logOf(began, turn, refused)));
    expect(stories.turns[0]).toMatchObject({ outcome: 'returned', failure: failures.conflict });
  });

  it('show a turn as failed that ended well before its attempt was given up', () => {
    const failure = failures['capture-failed'];
    const stories = only(
      attemptsIn(
        logOf(
          began,
          turn,
          { ...of, type: 'turn-ended', turn: 1, result: { ok: true, tail: '' } },
          { ...of, type: 'attempt-given-up', failure },
        ),
      ),
    );
    expect(stories.turns[0]?.outcome).toBe('error');
    expect(stories.end).toEqual({ id: 'giving-up', failure });
    expect(endedAt(stories)).toBeUndefined();
  });

  it('begin with whatever event is the first one left', () => {
    const ended = { ...of, type: 'turn-ended', turn: 3, result: { ok: true, tail: '' } } as const;
    expect(only(attemptsIn(logOf(ended)))).toMatchObject({ task: 'api', number: 1, turns: [] });
  });

  it('land with the commit of their own branch, on the one before', () => {
    const entries = [
      { id: 'api', attempt: 1, commit: 'c-api' },
      { id: 'ui', attempt: 1, commit: 'c-ui', coClaims: ['docs'] },
    ];
    const landed = {
      type: 'landed',
      run: 'r1',
      candidate: 'c1',
      commit: 'm2',
      commits: ['m1', 'm2'],
      from: 'm0',
      entries,
    } as const;
    const ends = attemptsIn(logOf(began, { ...began, id: 'ui' }, landed, landed));
    expect(ends.map(({ end }) => end)).toEqual([
      {
        id: 'landed',
        at: 3000,
        run: 'r1',
        work: 'c-api',
        commit: 'm1',
        from: 'm0',
        order: 0,
        coClaims: [],
      },
      {
        id: 'landed',
        at: 3000,
        run: 'r1',
        work: 'c-ui',
        commit: 'm2',
        from: 'm1',
        order: 1,
        coClaims: ['docs'],
      },
    ]);
  });

  it('belong to every run that drove them, with the turns of each', () => {
    const adopted = { ...of, run: 'r2', type: 'attempt-adopted', from: 'r1', fence: 2 } as const;
    const again = { ...turn, run: 'r2', turn: 2 } as const;
    const record = only(attemptsIn(logOf(began, turn, adopted, again)));
    expect(record.runs).toEqual(['r1', 'r2']);
    expect(partIn(record, 'r1').turns.map((one) => one.turn)).toEqual([1]);
    expect(partIn(record, 'r2').turns.map((one) => one.turn)).toEqual([2]);
    const failed = {
      ...of,
      run: 'r2',
      type: 'attempt-failed',
      failure: failures.conflict,
    } as const;
    const over = only(attemptsIn(logOf(began, turn, adopted, again, failed)));
    expect([partIn(over, 'r1').end.id, partIn(over, 'r2').end.id]).toEqual(['live', 'failed']);
  });

  it('that only filed tasks are planned, and no failure', () => {
    const of = { run: 'r1', id: 'api', attempt: 1 };
    const [stories] = attemptsIn(
      logOf(
        began,
        { ...of, type: 'turn-started', turn: 1, slot: 1 },
        { ...of, type: 'work-planned', filed: ['a'] },
      ),
    );
    expect(stories).toMatchObject({
      end: { id: 'planned', at: 3000 },
      turns: [{ outcome: 'planned' }],
    });
  });

  it('keep what their agent said at the end of each turn', () => {
    const [api] = attemptsIn(agentStory);
    expect(api?.turns.map(({ end }) => end?.signal)).toEqual(['nothing', 'claim', 'complete']);
  });

  it('of other runs are passed over where a run is named', () => {
    const other = { ...began, run: 'r0', id: 'old' } as const;
    expect(attemptsIn(logOf(other, began), 'r1').map(({ task }) => task)).toEqual(['api']);
    expect(attemptsIn(logOf(other, began))).toHaveLength(2);
  });

  it('are each told once, on any log', () => {
    fc.assert(
      fc.property(anyLog, (log) => {
        const stories = attemptsIn(log);
        const keys = stories.map(({ task, number }) => `${task} ${number}`);
        expect(new Set(keys).size).toBe(keys.length);
        for (const { end, turns } of stories) {
          expect(outcomes).toContain(outcomeOfEnd(end));
          for (const one of turns) expect(outcomes).toContain(one.outcome);
        }
      }),
    );
  });
});

describe('the outcome of a failure', () => {
  it.each([
    ['gate-red', 'returned'],
    ['conflict', 'returned'],
    ['no-changes', 'no-changes'],
    ['interrupted', 'interrupted'],
    ['canceled-by-person', 'interrupted'],
    ['agent-exited', 'error'],
    ['capture-failed', 'error'],
    ['gate-not-run', 'interrupted'],
    ['git-failed', 'interrupted'],
    ['quota-exhausted', 'interrupted'],
    ['provider-auth', 'interrupted'],
    ['provider-server', 'error'],
    ['session-lost', 'error'],
    ['model-unknown', 'error'],
  ] as const)('%s is %s', (kind, outcome) => {
    expect(outcomeOf(failures[kind])).toBe(outcome);
  });

  it('is never a landing', () => {
    for (const failure of allFailures) {
      expect(['landed', 'incomplete']).not.toContain(outcomeOf(failure));
    }
  });
});

describe('attempts under review', () => {
  it('go back to their agent for rules and reviewers, and are over when they are handed over', () => {
    const [api] = attemptsIn(trainStory);
    expect(api?.turns.map(({ outcome, failure }) => [outcome, failure?.kind])).toEqual([
      ['returned', 'rules-broken'],
      ['returned', undefined],
      ['delivered', undefined],
    ]);
    expect(api).toMatchObject({
      end: { id: 'delivered', work: 'c-api', url: 'https://example.com/pull/7' },
    });
  });

  it('do not go back for what only a person may permit', () => {
    const of = { run: 'r1', id: 'api', attempt: 1 };
    const captured = { ...of, type: 'work-captured', commit: 'c', tree: 't', by: 'agent' } as const;
    const [api] = attemptsIn(
      logOf(
        { type: 'task-added', task: task('api') },
        began,
        { ...of, type: 'worktree-ready', worktree: { id: 'w', dir: '/w' }, base: 'b' },
        { ...of, type: 'turn-started', turn: 1, slot: 1 },
        { ...of, type: 'turn-ended', turn: 1, result: { ok: true, tail: '' } },
        { ...captured, violations: [violations['protected-path']] },
      ),
    );
    expect(api?.turns[0]).toMatchObject({
      outcome: 'incomplete',
      failure: { kind: 'approval-needed' },
    });
  });
});
