import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyLog } from '../../test/report/any-log.ts';
import { failures } from '../../test/report/failures.ts';
import { logOf } from '../../test/report/fixtures.ts';
import { recordsOf } from '../../test/report/records-of.ts';
import type { EventBody } from '../model/event.ts';
import type { QueueStep } from '../model/queue-history.ts';

const red = failures['gate-red'];
const built = (candidate: string, tasks: readonly string[]): EventBody => ({
  type: 'candidate-built',
  run: 'r1',
  candidate,
  parent: 'base',
  commit: `${candidate}-${tasks.length}`,
  tree: 't',
  entries: tasks.map((id) => ({ id, attempt: 1, commit: `c-${id}` })),
  prefixes: tasks.map((_, at) => ({ commit: `${candidate}-${at + 1}`, tree: 't' })),
});
const begun = (candidate: string, count: number, slot = 1): EventBody => ({
  type: 'gate-started',
  run: 'r1',
  candidate,
  count,
  commit: `${candidate}-${count}`,
  tree: 't',
  slot,
  tasks: [],
});
const judged = (candidate: string, count: number, green: boolean): EventBody => ({
  type: 'candidate-judged',
  run: 'r1',
  candidate,
  count,
  tree: 't',
  gate: 'g',
  verdict: green ? { id: 'passed', ms: 1 } : { id: 'failed', ms: 1, failure: red },
  cached: false,
});

const stepsIn = (...bodies: readonly EventBody[]): readonly QueueStep[] =>
  recordsOf(logOf(...bodies)).queueSteps.get('r1') ?? [];
const runsIn = (...bodies: readonly EventBody[]) =>
  stepsIn(...bodies).flatMap(({ at, what }) =>
    what.type === 'gated' ? [{ at, ...what.run }] : [],
  );

describe('the history of the merge queue', () => {
  it('keeps each gate run with its time, slot and verdict, and the bisection that found the culprit', () => {
    const steps = stepsIn(
      built('c1', ['a', 'b', 'c']),
      begun('c1', 3),
      judged('c1', 3, false),
      begun('c1', 1),
      begun('c1', 2, 2),
      judged('c1', 1, true),
      judged('c1', 2, false),
    );
    expect(steps.map(({ at, what }) => [at, what.type])).toEqual([
      [1000, 'built'],
      [3000, 'gated'],
      [6000, 'gated'],
      [7000, 'gated'],
      [7000, 'blamed'],
    ]);
    expect(steps[1]?.what).toMatchObject({
      run: {
        work: { id: 'candidate', candidate: 'c1', tasks: ['a', 'b', 'c'], of: 3 },
        slot: 1,
        since: 2000,
        verdict: 'failed',
      },
    });
    expect(steps[3]?.what).toMatchObject({
      run: { work: { tasks: ['a', 'b'] }, slot: 2, since: 5000, verdict: 'failed' },
    });
    expect(steps[4]?.what).toMatchObject({ task: 'b', green: ['a'], behind: ['c'] });
  });

  it('says that a gate was stopped, by the queue or with the run', () => {
    const abandoned: EventBody = { type: 'gate-abandoned', run: 'r1', candidate: 'c1', count: 1 };
    const ended: EventBody = { type: 'run-ended', run: 'r1', stop: { reason: 'quota' } };
    const start = [built('c1', ['a', 'b']), begun('c1', 1), begun('c1', 2, 2)];
    expect(runsIn(...start, abandoned, ended)).toMatchObject([
      { at: 4000, since: 2000, slot: 1, verdict: 'abandoned' },
      { at: 5000, since: 3000, slot: 2, verdict: 'abandoned' },
    ]);
  });

  it('keeps the gates of the target, and the first failing tests', () => {
    const commit = 'm1';
    const reason = 'preflight';
    const evidence = { unlisted: 0, signs: [], head: '' };
    const tests = ['one', 'two', 'three', 'four'].map((name) => ({ name, message: '' }));
    const failure = { ...red, evidence: { ...evidence, failures: tests } };
    const verdict = { id: 'failed', ms: 5, failure } as const;
    const target = { run: 'r1', commit, tree: 't', gate: 'g' };
    expect(
      runsIn(
        { type: 'target-check-started', run: 'r1', commit, reason },
        { type: 'target-judged', ...target, verdict },
      ),
    ).toMatchObject([
      { work: { id: 'target', commit }, since: 1000, at: 2000, failing: ['one', 'two', 'three'] },
    ]);
  });

  it('keeps conflicts with their files, and what a branch waits for', () => {
    const of = { run: 'r1', id: 'a', attempt: 1 };
    expect(
      stepsIn(
        { ...of, type: 'merge-refused', failure: failures.conflict },
        { ...of, type: 'merge-deferred', behind: 'c2' },
      ).map(({ what }) => what),
    ).toMatchObject([
      { type: 'conflicted', task: 'a', files: failures.conflict.files },
      { type: 'conflicted', behind: 'c2', files: [] },
    ]);
  });

  it('has no gate run without a gate, and none that ends before it starts, on any log', () => {
    fc.assert(
      fc.property(anyLog, (log) => {
        for (const { at, what } of recordsOf(log).queueSteps.get('r1') ?? []) {
          if (what.type === 'gated') expect(what.run.since).toBeLessThanOrEqual(at);
        }
      }),
    );
    const none = { ...judged('c1', 1, true), gate: 'none' } as EventBody;
    expect(runsIn(built('c1', ['a']), none)).toEqual([]);
  });
});
