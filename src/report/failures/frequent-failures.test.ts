import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyLog } from '../../../test/report/any-log.ts';
import { attemptsIn } from '../../../test/report/records-of.ts';
import { story } from '../../../test/report/story.ts';
import { plain } from '../format/style.ts';
import { widthOf } from '../format/width.ts';
import { failuresText, frequentFailures } from './frequent-failures.ts';

const attempts = attemptsIn(story);
const found = frequentFailures(attempts, () => 'feature');

describe('the most frequent failures', () => {
  it.each([40, 100])('are read in %i columns', (width) => {
    const lines = failuresText(found, attempts.length, plain, width);
    expect(`\n${lines.join('\n')}\n`).toMatchSnapshot();
  });

  it('leave out what a person or the end of the run stopped', () => {
    expect(found.map(({ kind }) => kind)).not.toContain('interrupted');
    expect(failuresText([], 3, plain, 80)).toEqual(['No failures in 3 attempts.']);
  });

  it('count each failure of a turn once, by agent and by type, on any log', () => {
    fc.assert(
      fc.property(anyLog, fc.integer({ min: 40, max: 300 }), (events, width) => {
        const all = frequentFailures(attemptsIn(events), () => 'bug');
        for (const { times, agents, types } of all) {
          expect(agents.reduce((sum, one) => sum + one.times, 0)).toBe(times);
          expect(types).toEqual([{ name: 'bug', times }]);
        }
        for (const line of failuresText(all, 9, plain, width)) {
          expect(widthOf(line)).toBeLessThanOrEqual(width);
        }
      }),
    );
  });
});
