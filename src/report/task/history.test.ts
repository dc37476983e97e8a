import { describe, expect, it } from 'vitest';
import { failures } from '../../../test/report/failures.ts';
import { logOf } from '../../../test/report/fixtures.ts';
import { stepsIn } from '../../../test/report/records-of.ts';
import { trainStory } from '../../../test/report/train-story.ts';
import type { Event, EventBody } from '../../model/event.ts';
import type { Pull } from '../../model/run-record.ts';
import { historyLines } from './history.ts';

const historyOf = (id: string, events: readonly Event[]) => historyLines(stepsIn(events, id));

const of = { run: 'r1', id: 'api', attempt: 1 };
const captured = (commit: string, by: 'agent' | 'engine'): EventBody => ({
  ...of,
  type: 'work-captured',
  commit,
  tree: 't',
  by,
});
const text = (...events: EventBody[]): string[] =>
  historyOf('api', logOf(...events)).map((step) => step.text);

describe('the story of a task', () => {
  it('does not call a commit new that was there before', () => {
    expect(
      text(captured('c1', 'engine'), captured('c1', 'agent'), captured('c2', 'agent')),
    ).toEqual([
      'work is c1, committed by the engine',
      'no new changes; work is still c1',
      'work is c2, committed by the agent',
    ]);
  });

  it('lays an end that a person brought about at that person’s door', () => {
    const interrupted = { kind: 'interrupted', by: 'the run' } as const;
    const ended: EventBody = {
      ...of,
      type: 'turn-ended',
      turn: 1,
      result: { ok: false, failure: interrupted },
    };
    const canceled: EventBody = {
      type: 'task-decided',
      id: 'api',
      decision: { kind: 'cancel', reason: 'not wanted' },
    };
    const last = (...events: EventBody[]) => historyOf('api', logOf(...events)).at(-1)?.failure;
    expect(last(canceled, ended)).toEqual({ kind: 'interrupted', by: 'a person' });
    expect(last(ended)).toEqual(interrupted);
  });

  it('tells a landing that waits once, however often it is tried', () => {
    const built: EventBody = {
      type: 'candidate-built',
      run: 'r1',
      candidate: 'c1',
      parent: 'p',
      commit: 'c',
      tree: 't',
      entries: [{ id: 'api', attempt: 1, commit: 'c' }],
    };
    const waits: EventBody = {
      type: 'landing-waits',
      run: 'r1',
      candidate: 'c1',
      failure: failures['checkout-in-the-way'],
      until: 1,
    };
    expect(text(built, waits, { ...waits, until: 2 }, { ...waits, until: 3 })).toEqual([
      'candidate built on the target',
      'passed, but landing waits',
    ]);
  });

  it('does not speak of a gate that passed where there is none', () => {
    const judged: EventBody = {
      ...of,
      type: 'branch-judged',
      tree: 't',
      gate: 'none',
      verdict: { id: 'passed', ms: 0 },
      cached: false,
    };
    expect(text(judged)).toEqual(['no gate for the branch']);
    expect(text({ ...judged, gate: '8:npm test' })).toEqual(['gate on the branch: passed']);
  });

  it('tells who took a turn, what was said, used and filed, and what a person answered', () => {
    expect(
      text(
        { ...of, type: 'turn-started', turn: 1, slot: 1, agent: 'codex', model: 'gpt-5' },
        {
          ...of,
          type: 'agent-reported',
          turn: 1,
          call: { id: 'report', about: 'finding', text: 'The cache is stale.' },
        },
        {
          ...of,
          type: 'turn-ended',
          turn: 1,
          result: {
            ok: true,
            tail: '',
            signal: { id: 'ask', question: 'Which?' },
            usage: { input: 1000, cacheRead: 0, cacheWrite: 0, output: 24, costUsd: 0.5 },
            followUps: [{ title: 'Warm the cache' }],
          },
        },
        { type: 'task-decided', id: 'api', decision: { kind: 'answer', text: 'That one.' } },
        { ...of, type: 'turn-started', turn: 2, slot: 1 },
        { ...of, type: 'work-planned', filed: ['a', 'b'] },
      ),
    ).toEqual([
      'turn 1 started by codex gpt-5',
      'its agent reports (finding): The cache is stale.',
      'turn 1 ended: question: Which? (1,024 tokens, $0.50); filed: Warm the cache',
      'answered by a person: That one.',
      'turn 2 started',
      'nothing to land; filed a, b',
    ]);
  });

  it('tells who rode with whom, on both sides', () => {
    const entries = [{ id: 'api', attempt: 1, commit: 'c', coClaims: ['docs', 'ui'] }];
    const on = { run: 'r1', candidate: 'c1' };
    const events = logOf(
      { ...on, type: 'candidate-built', parent: 'p', commit: 'c', tree: 't', entries },
      { ...on, type: 'candidate-dropped', reason: { id: 'target-moved', to: 'x' } },
      { ...on, type: 'landed', commit: 'm', from: 'p', entries },
    );
    const stepsOf = (id: string) => historyOf(id, events).map((step) => step.text);
    expect(stepsOf('api')).toEqual([
      'candidate built on the target, with docs, ui',
      'queued again: the target moved to x',
      'landed as m, with docs, ui',
    ]);
    expect(stepsOf('ui')).toEqual([
      'candidate built on the target, claimed by api',
      'queued again: the target moved to x',
      'landed as m, claimed by api',
    ]);
    expect(stepsOf('other')).toEqual([]);
  });

  it('tells of critique, rules, reviews, the person, and the train', () => {
    const steps = historyOf('api', trainStory).map(({ text, failure }) =>
      failure === undefined ? text : `${text} [${failure.kind}]`,
    );
    expect(`\n${steps.join('\n')}\n`).toMatchInlineSnapshot(`
      "
      round 1: gemini critiques the task
      round 1: the task is unclear: F1 blocker: It drops errors (1,000 tokens)
      round 1: mine rewrites the task
      round 1: the task was rewritten
      round 2: gemini critiques the task
      round 2: the task is clear
      turn 1 started
      turn 1 finished
      something outside the worktree changed in turn 1 [tampered]
      work is c1, committed by the agent: 1 file, +3 -1 [rules-broken]
      turn 2 started
      turn 2 finished
      work is c2, committed by the agent
      branch gate skipped: its agent is mostly right
      round 1: review by codex gpt-5
      round 1: codex gave no verdict [review-failed]
      round 1: review by codex gpt-5, for the 2nd time
      round 1: codex wants changes: F1 blocker: It drops errors (gpt-5, 1,000 tokens)
      turn 3 started
      turn 3 finished
      work is c3, handed in by a person, with the work of old
      round 2: codex approves
      waits for your approval [approval-needed]
      rejected by a person: too slow
      approved by a person
      does not merge with docs in a, b
      does not merge with c0, waits until it is done
      candidate built on c0 together with ui
      gate on the candidate with 1 other: failed [gate-red]
      caused the failure: ui passes without it, fails with it
      handed in by a person: 9999999999999999999999999999999999999999
      delivered as https://example.com/pull/7
      "
    `);
  });

  it('leaves out gate runs that did not include the task', () => {
    const steps = historyOf('ui', trainStory).map(({ text }) => text);
    expect(steps).toEqual([
      'candidate built on c0 together with api',
      'gate on the candidate with 1 other: failed',
      'gate on the candidate: passed, npm test passed only when rerun, npm run slow in quarantine',
      'landed as m1',
    ]);
  });

  it('tells what became of a pull request, once for each turn of it', () => {
    const url = 'https://forge/1';
    const delivered: EventBody = {
      type: 'delivered',
      run: 'r1',
      candidate: 'c1',
      how: 'pr',
      branch: 'yard/r1/api-1',
      url,
      entries: [{ id: 'api', attempt: 1, commit: 'c' }],
    };
    const pull = {
      branch: 'yard/r1/api-1',
      number: 1,
      url,
      state: 'open',
      checks: 'pending',
    } as const;
    const other = {
      ...pull,
      branch: 'yard/r1/ui-1',
      url: 'https://forge/2',
      state: 'closed',
    } as const;
    const seen = (...states: readonly Pull[]): EventBody => ({
      type: 'pulls-seen',
      run: 'r2',
      branches: states.map(({ branch }) => branch),
      states,
    });
    const failed = seen({ ...pull, checks: 'failed' });
    expect(
      text(
        { ...of, type: 'turn-started', turn: 1, slot: 1 },
        seen({ ...pull, state: 'closed' }),
        delivered,
        seen(pull, other),
        failed,
        failed,
        { type: 'pulls-seen', run: 'r2', branches: ['yard/r1/api-1'] },
        seen({ ...pull, state: 'merged', checks: 'passed', mergeCommit: 'm' }),
      ),
    ).toEqual([
      'turn 1 started',
      `delivered as ${url}`,
      `checks of ${url} failed`,
      `pull request merged: ${url} as m`,
    ]);
    const begun: EventBody = { ...of, type: 'turn-started', turn: 1, slot: 1 };
    expect(text(begun, delivered, seen({ ...pull, state: 'closed' })).at(-1)).toBe(
      `pull request closed: ${url}`,
    );
  });

  it('tells who of several is to blame, what was green without it, and who queues again', () => {
    const entries = ['a', 'b', 'api', 'z'].map((id) => ({ id, attempt: 1, commit: `c-${id}` }));
    const prefixes = entries.map((_, at) => ({ commit: `m${at + 1}`, tree: 't' }));
    const on = { run: 'r1', candidate: 'c1' };
    const judged = (count: number, green: boolean): EventBody => ({
      ...on,
      type: 'candidate-judged',
      count,
      tree: 't',
      gate: 'g',
      verdict: green
        ? { id: 'passed', ms: 1 }
        : { id: 'failed', ms: 1, failure: failures['gate-red'] },
      cached: false,
    });
    const built: EventBody = {
      ...on,
      type: 'candidate-built',
      parent: 'p',
      commit: 'm4',
      tree: 't',
      entries,
      prefixes,
    };
    const story = logOf(built, judged(4, false), judged(2, true), judged(3, false));
    const stepsOf = (id: string) => historyOf(id, story).map((step) => step.text);
    expect(stepsOf('api').slice(-2)).toEqual([
      'gate on the candidate with 2 others: failed',
      'caused the failure: a, b pass without it, fail with it',
    ]);
    expect(stepsOf('z').at(-1)).toBe('queued again: api caused the failure');
    expect(stepsOf('a').at(-1)).not.toContain('caused');
    const first = logOf(built, judged(4, false), judged(1, false));
    expect(historyOf('a', first).at(-1)?.text).toBe(
      'caused the failure: also fails without the rest of its candidate',
    );
    // Another run has a train of its own, where the same names mean something else.
    const foreign = logOf(built, judged(4, false), { ...judged(3, true), run: 'r2' } as EventBody);
    expect(historyOf('z', foreign).at(-1)?.text).not.toContain('caused');
  });
});
