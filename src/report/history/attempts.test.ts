import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentStory } from '../../../test/report/agent-story.ts';
import { violations } from '../../../test/report/any-work.ts';
import { allFailures, anyLog, failures, logOf } from '../../../test/report/fixtures.ts';
import { story } from '../../../test/report/story.ts';
import { trainStory } from '../../../test/report/train-story.ts';
import { type AttemptStory, attemptsOf, outcomeOf, outcomes } from './attempts.ts';

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

function only(stories: readonly AttemptStory[]): AttemptStory {
  const [first] = stories;
  if (first === undefined || stories.length !== 1) throw new Error(`${stories.length} stories`);
  return first;
}

describe('the attempts of a run', () => {
  it('are listed in the order they began, with how they came out', () => {
    const stories = attemptsOf(story).map(({ task, attempt, outcome }) => [task, attempt, outcome]);
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
    const api = attemptsOf(story)[0];
    expect(api?.turns.map(({ outcome }) => outcome)).toEqual(['returned', 'landed']);
    expect(api?.turns[0]?.failure).toEqual(failures['gate-red']);
  });

  it('are incomplete until an end is recorded', () => {
    const stories = only(attemptsOf(logOf(began, turn)));
    expect(stories).toMatchObject({ outcome: 'incomplete', slot: 2, agent: 'mine' });
    expect(stories.turns).toEqual([{ turn: 1, slot: 2, startedAt: 2000, outcome: 'incomplete' }]);
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
    const stories = only(attemptsOf(logOf(began, turn, built, red)));
    expect(stories.turns[0]?.outcome).toBe('returned');
    expect(stories.outcome).toBe('incomplete');
  });

  it('are returned when they conflict with the target', () => {
    const refused = { ...of, type: 'merge-refused', failure: failures.conflict } as const;
    const stories = only(attemptsOf(logOf(began, turn, refused)));
    expect(stories.turns[0]).toMatchObject({ outcome: 'returned', failure: failures.conflict });
  });

  it('show a turn as failed that ended well before its attempt was given up', () => {
    const failure = failures['gate-not-run'];
    const stories = only(
      attemptsOf(
        logOf(
          began,
          turn,
          { ...of, type: 'turn-ended', turn: 1, result: { ok: true, tail: '' } },
          { ...of, type: 'attempt-given-up', failure },
        ),
      ),
    );
    expect(stories.turns[0]?.outcome).toBe('error');
    expect(stories).toMatchObject({ outcome: 'error', failure });
    expect(stories.endedAt).toBeUndefined();
  });

  it('begin with whatever event is the first one left', () => {
    const landed = {
      type: 'landed',
      run: 'r1',
      candidate: 'c1',
      commit: 'c',
      from: 'f',
      entries: built.entries,
    } as const;
    const stories = only(attemptsOf(logOf(landed)));
    expect(stories).toMatchObject({ task: 'api', outcome: 'landed', commit: 'c', startedAt: 1000 });
    const ended = { ...of, type: 'turn-ended', turn: 3, result: { ok: true, tail: '' } } as const;
    expect(only(attemptsOf(logOf(ended))).turns).toMatchObject([{ turn: 3, endedAt: 1000 }]);
  });

  it('that only filed tasks are planned, and no failure', () => {
    const of = { run: 'r1', id: 'api', attempt: 1 };
    const [stories] = attemptsOf(
      logOf(
        began,
        { ...of, type: 'turn-started', turn: 1, slot: 1 },
        { ...of, type: 'work-planned', filed: ['a'] },
      ),
    );
    expect(stories).toMatchObject({
      outcome: 'planned',
      endedAt: 3000,
      turns: [{ outcome: 'planned' }],
    });
  });

  it('keep what their agent said at the end of each turn', () => {
    const [api] = attemptsOf(agentStory);
    expect(api?.turns.map(({ signal }) => signal)).toEqual(['nothing', 'claim', 'complete']);
  });

  it('of other runs are passed over where a run is named', () => {
    const other = { ...began, run: 'r0', id: 'old' } as const;
    expect(attemptsOf(logOf(other, began), 'r1').map(({ task }) => task)).toEqual(['api']);
    expect(attemptsOf(logOf(other, began))).toHaveLength(2);
  });

  it('are each told once, on any log', () => {
    fc.assert(
      fc.property(anyLog, (log) => {
        const stories = attemptsOf(log, 'r1');
        const keys = stories.map(({ task, attempt }) => `${task} ${attempt}`);
        expect(new Set(keys).size).toBe(keys.length);
        for (const { outcome, turns } of stories) {
          expect(outcomes).toContain(outcome);
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
    ['cancelled-by-person', 'interrupted'],
    ['agent-exited', 'error'],
    ['gate-not-run', 'error'],
    ['internal', 'error'],
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
    const [api] = attemptsOf(trainStory);
    expect(api?.turns.map(({ outcome, failure }) => [outcome, failure?.kind])).toEqual([
      ['returned', 'rules-broken'],
      ['returned', undefined],
      ['delivered', undefined],
    ]);
    expect(api).toMatchObject({
      outcome: 'delivered',
      commit: 'c-api',
      delivery: 'https://example.com/pull/7',
    });
  });

  it('do not go back for what only a person may permit', () => {
    const of = { run: 'r1', id: 'api', attempt: 1 };
    const captured = { ...of, type: 'work-captured', commit: 'c', tree: 't', by: 'agent' } as const;
    const [api] = attemptsOf(
      logOf(
        { ...of, type: 'turn-started', turn: 1, slot: 1 },
        { ...captured, violations: [violations['protected-path']] },
        { ...of, type: 'approval-asked', failure: failures['approval-needed'] },
      ),
    );
    expect(api?.turns[0]).toMatchObject({
      outcome: 'incomplete',
      failure: { kind: 'approval-needed' },
    });
  });
});
