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
import {
  changeText,
  comparisonOf,
  comparisonText,
  figureText,
  type TaskInRun,
  taskChange,
  taskText,
} from './run-comparison.ts';

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

describe('a figure of two runs', () => {
  it.each([
    ['count', 1_200, 900, '1,200', '−300'],
    ['ms', 61_000, 65_000, '1 m 01 s', '+4 s'],
    ['usd', 0.5, 0.75, '$0.50', '+$0.25'],
    ['ratio', 1.5, 1.5, '1.50', '='],
    ['tokens', 5_000, 5_001, '5,000', '+1'],
  ] as const)('of the unit %s has a text and a change', (unit, a, b, text, change) => {
    expect(figureText(a, unit)).toBe(text);
    expect(changeText(a, b, unit)).toBe(change);
  });

  it('has no change if one run does not have it', () => {
    expect(figureText(null, 'usd')).toBe('-');
    expect(changeText(null, 3, 'count')).toBe('');
  });

  it('of a task is its outcome, its attempts if it had several, and its time', () => {
    const once: TaskInRun = { outcome: 'no-changes', attempts: 1, ms: 2_000, tokens: 0 };
    const twice: TaskInRun = { outcome: 'landed', attempts: 2, ms: 5_000, tokens: 0 };
    expect([taskText(once), taskText(twice), taskText(null)]).toEqual([
      'no changes 2 s',
      'landed (2) 5 s',
      '-',
    ]);
    expect(taskChange(once, twice)).toBe('+3 s');
  });
});
