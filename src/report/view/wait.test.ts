import { describe, expect, it } from 'vitest';
import { need } from '../../../test/rig/need.ts';
import { Story, task } from '../../../test/story.ts';
import { limits } from '../../model/limits.ts';
import { plain } from '../format/style.ts';
import { noticeLines } from '../status/waiting.ts';
import { readingOf } from '../task/message.ts';
import { whyText } from '../task/task.ts';
import { stateText } from './state-text.ts';
import { taskViewer } from './task.ts';
import { viewOf } from './view.ts';

/** `a` waits for a pull request and a day, `b` for `a` and a file. A run has checked once. */
function story(): Story {
  return new Story()
    .tasks(
      task('a', { wait: ['pull 12', 'until 2026-12-01'] }),
      task('b', { after: ['a'], wait: ['file x'] }),
    )
    .start()
    .tell({
      type: 'waits-checked',
      run: 'r1',
      waits: ['pull 12'],
      over: [],
      notes: [{ wait: 'pull 12', note: 'it is open' }],
    });
}

describe('the view of a task that waits for something outside', () => {
  it('names it as its state, and what the last check found out as the reason', () => {
    const told = story();
    const records = [...told.state.tasks.values()];
    const seen = { run: told.state.run('r1'), underWay: ['r1'], now: told.now };
    const [a, b] = records.map(taskViewer(records, seen));
    if (a === undefined || b === undefined) throw new Error('two tasks');
    expect(a).toMatchObject({
      state: 'open',
      waits: [{ wait: 'pull 12' }, { wait: 'until 2026-12-01' }],
    });
    expect(stateText(a)).toBe('waits for pull request #12 and 2026-12-01');
    expect(whyText(a, [], plain, 200).join('\n')).toContain(
      'It waits for pull request #12 (it is open) and 2026-12-01. Runs check this regularly; `ym edit a --wait none` lets it start without waiting.',
    );
    expect(a).toMatchObject({
      waits: [{ checkedAt: told.now, nextCheckAt: told.now + limits.waitWatchMs }, {}],
    });
    expect(whyText(a, [], plain, 200).join('\n')).toMatch(
      /^When {2}Last checked at 1970-01-01 [\d:]+; it is checked again at 1970-01-01 [\d:]+\.$/m,
    );
    const [left] = records.map(taskViewer(records, { ...seen, underWay: [] }));
    expect(left === undefined ? '' : whyText(left, [], plain, 200).join('\n')).toContain(
      'no run is under way that checks it again.',
    );
    // Its parent comes first.
    expect(stateText(b)).toBe('open');
    expect(whyText(b, [], plain, 80).join('\n')).toContain('It waits for a to land.');
  });

  it('tells when a message is read', () => {
    expect(readingOf(story().task('a'), true)).toMatchObject({
      when: expect.stringContaining('which waits for pull request #12 and 2026-12-01'),
    });
  });

  it('is part of the status of the run, and no longer when that has ended', () => {
    const told = story();
    const lines = () => {
      const record = need(told.state.run('r1'));
      const view = viewOf(
        {
          tasks: { id: 'all', records: [...told.state.tasks.values()] },
          run: { record, driver: { at: 'here' } },
          underWay: ['r1'],
          quarantinedChecks: [],
          lastActions: new Map(),
        },
        told.now,
      );
      return noticeLines(view, { now: told.now }, plain, 80);
    };
    expect(lines()).toEqual(['a task waits for pull request #12 (it is open)']);
    told.tell({ type: 'run-ended', run: 'r1', stop: { reason: 'drained' } });
    expect(lines()).toEqual([]);
  });
});
