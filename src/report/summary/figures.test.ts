import { describe, expect, it } from 'vitest';
import { agentStory } from '../../../test/report/agent-story.ts';
import { logOf } from '../../../test/report/fixtures.ts';
import { sourceOf } from '../../../test/report/records-of.ts';
import { start } from '../../../test/report/story.ts';
import { trainStory } from '../../../test/report/train-story.ts';
import type { Event } from '../../model/event.ts';
import { summaryFigures } from './figures.ts';
import { summaryOf } from './summary.ts';

const figures = (events: readonly Event[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    summaryFigures(summaryOf(sourceOf(events))).map(({ name, value }) => [name, value]),
  );

describe('the figures of a run', () => {
  it('are those that are known', () => {
    expect(Object.keys(figures(logOf(start)))).toEqual([
      'landed',
      'need you',
      'left',
      'time',
      'gate runs',
    ]);
  });

  it('include tokens and cost of agents that report them', () => {
    const seen = figures(agentStory);
    expect(seen).toHaveProperty('tokens');
    expect(seen.tokens).toMatch(/^[\d,]+$/);
  });

  it('include deliveries if there are any', () => {
    const summary = summaryOf(sourceOf(trainStory));
    const result = { ...summary.result, delivered: 2 };
    expect(summaryFigures({ ...summary, result })).toContainEqual({
      name: 'delivered',
      value: '2',
    });
  });
});
