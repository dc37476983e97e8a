import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentStory } from '../../../test/report/agent-story.ts';
import { anyLog } from '../../../test/report/any-log.ts';
import { sourceOf } from '../../../test/report/records-of.ts';
import { story } from '../../../test/report/story.ts';
import type { Event } from '../../model/event.ts';
import { plain } from '../format/style.ts';
import { widthOf } from '../format/width.ts';
import { summaryOf } from '../summary/summary.ts';
import { comparisonOf, comparisonText } from './run-comparison.ts';

const summary = (events: readonly Event[], run: string) => ({
  ...summaryOf(sourceOf(events)),
  run,
});
const two = comparisonOf(summary(story, 'r1'), summary(agentStory, 'r2'));

describe('two runs side by side', () => {
  it.each([40, 100])('are read in %i columns', (width) => {
    expect(`\n${comparisonText(two, plain, width).join('\n')}\n`).toMatchSnapshot();
  });

  it('name a task of either run once', () => {
    const names = two.tasks.map(({ task }) => task);
    expect(new Set(names).size).toBe(names.length);
    expect(two.tasks.find(({ task }) => task === 'lost')?.values[1]).toBeNull();
  });

  it('do not differ from themselves, and fit, on any log', () => {
    fc.assert(
      fc.property(anyLog, fc.integer({ min: 40, max: 300 }), (events, width) => {
        const same = comparisonOf(summary(events, 'r1'), summary(events, 'r1'));
        for (const { values } of same.figures) expect(values[0]).toBe(values[1]);
        for (const line of comparisonText(same, plain, width)) {
          expect(widthOf(line)).toBeLessThanOrEqual(width);
        }
      }),
    );
  });
});
