import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyLog } from '../../../test/report/any-log.ts';
import { aRecord } from '../../../test/report/fixtures.ts';
import { attemptsIn } from '../../../test/report/records-of.ts';
import { story } from '../../../test/report/story.ts';
import { need } from '../../../test/rig/need.ts';
import type { AttemptEnd } from '../../model/history.ts';
import type { TaskStatus } from '../../model/task-record.ts';
import { plain } from '../format/style.ts';
import { widthOf } from '../format/width.ts';
import { failuresText, frequentFailures } from './frequent-failures.ts';

const attempts = attemptsIn(story);
const found = frequentFailures(attempts, (id) => aRecord(id));

describe('the most frequent failures', () => {
  it.each([40, 100])('are read in %i columns', (width) => {
    const lines = failuresText(found, attempts.length, plain, width);
    expect(`\n${lines.join('\n')}\n`).toMatchSnapshot();
  });

  it('leave out what a person or the end of the run stopped', () => {
    expect(found.map(({ kind }) => kind)).not.toContain('interrupted');
    expect(failuresText([], 3, plain, 80)).toEqual(['No failures in 3 attempts.']);
  });

  it('leave out no set-up that failed, and name what became of a task since', () => {
    const failure = {
      kind: 'setup-failed',
      where: 'attempt',
      command: 'npm ci',
      exit: 1,
      tail: '',
      log: '/x.out',
    } as const;
    const first = need(attempts[0]);
    const end: AttemptEnd = { id: 'failed', at: 9, failure };
    const afterwards = (status: TaskStatus) =>
      frequentFailures([{ ...first, turns: [], end }], () => aRecord('late', status))[0]?.example;
    expect(afterwards({ id: 'open' })?.do).toContain('ym resume');
    expect(afterwards({ id: 'landed', commit: 'c', run: 'r1', at: 9 })?.do).toBe(
      'The task has landed since.',
    );
    expect(afterwards({ id: 'skipped', reason: 'x' })?.do).toBe('The task was skipped since.');
  });

  it('count each failure of a turn once, by agent and by type, on any log', () => {
    fc.assert(
      fc.property(anyLog, fc.integer({ min: 40, max: 300 }), (events, width) => {
        const all = frequentFailures(attemptsIn(events), () => aRecord('x'));
        for (const { times, agents, types } of all) {
          expect(agents.reduce((sum, one) => sum + one.times, 0)).toBe(times);
          expect(types).toEqual([{ name: 'task', times }]);
        }
        for (const line of failuresText(all, 9, plain, width)) {
          // A path or a command is never cut, so it may be wider, alone on its line.
          if (line.trim().includes(' ')) expect(widthOf(line)).toBeLessThanOrEqual(width);
        }
      }),
    );
  });
});
