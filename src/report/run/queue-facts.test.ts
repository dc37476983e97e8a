import { describe, expect, it } from 'vitest';
import { logOf } from '../../../test/report/fixtures.ts';
import { recordsOf } from '../../../test/report/records-of.ts';
import { trainStory } from '../../../test/report/train-story.ts';
import type { GateRun, QueueStep } from '../../model/queue-history.ts';
import { gatesText, greenText, noQueueFacts, queueFacts } from './queue-facts.ts';

const gated = (
  candidate: string,
  tasks: readonly string[],
  verdict: GateRun['verdict'],
  cached = false,
): QueueStep => {
  const work = { id: 'candidate', candidate, tasks, of: 3 } as const;
  return {
    at: 1,
    what: { type: 'gated', run: { work, since: 1, verdict, cached, failing: [] } },
  };
};
const landed = (candidate: string, ...tasks: readonly string[]): QueueStep => ({
  at: 2,
  what: { type: 'landed', candidate, tasks, commit: 'c' },
});

describe('the facts about landings', () => {
  it('count each value of the target that the gate had passed on', () => {
    const steps = [
      gated('c1', ['a', 'b', 'c'], 'failed'),
      gated('c1', ['a', 'b'], 'passed'),
      landed('c1', 'a', 'b'),
      gated('c2', ['c', 'd'], 'passed', true),
      landed('c2', 'c'),
      landed('c2', 'd'),
    ];
    expect(queueFacts(steps)).toEqual({ values: 3, green: 2, landed: 4, gates: 2 });
  });

  it('know the rest of a candidate by its last branch, since the first ones landed before', () => {
    const steps = [
      gated('c1', ['a'], 'passed'),
      landed('c1', 'a'),
      gated('c1', ['a', 'b'], 'passed'),
      landed('c1', 'b'),
    ];
    expect(queueFacts(steps)).toMatchObject({ values: 2, green: 2 });
  });

  it('leave out gates without a verdict, of branches and of the target', () => {
    const others: readonly QueueStep[] = [
      gated('c1', ['a'], 'abandoned'),
      gated('c1', ['a'], 'not-run'),
      ...(
        [
          { id: 'branch', task: 'a', attempt: 1 },
          { id: 'target', commit: 'c' },
        ] as const
      ).map(
        (work): QueueStep => ({
          at: 1,
          what: {
            type: 'gated',
            run: { work, since: 1, verdict: 'passed', cached: false, failing: [] },
          },
        }),
      ),
    ];
    expect(queueFacts(others)).toEqual(noQueueFacts);
  });

  it('are read as texts, and as nothing before the first landing', () => {
    const facts = { values: 23, green: 23, landed: 46, gates: 19 };
    expect(greenText(facts, 'main')).toBe('main green 23/23');
    expect(gatesText(facts)).toBe('0.41 gates per landing');
    expect(greenText(noQueueFacts, 'main') + gatesText(noQueueFacts)).toBe('');
  });

  it('find every landing of a whole story green', () => {
    const queue = recordsOf(trainStory).queueSteps.get('r1') ?? [];
    const { values, green } = queueFacts(queue);
    expect(values).toBeGreaterThan(0);
    expect(green).toBe(values);
    expect(queueFacts(recordsOf(logOf()).queueSteps.get('r1') ?? [])).toEqual(noQueueFacts);
  });
});
