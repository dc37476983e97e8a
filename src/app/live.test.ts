import { expect, test } from 'vitest';
import { ManualClock } from '../../test/memory/clock.ts';
import { need } from '../../test/rig/need.ts';
import { Story, task } from '../../test/story.ts';
import { viewer } from './live.ts';

test('a view has all landings of a run that has just ended, and none of the run shown before', async () => {
  const clock = new ManualClock(0);
  const view = await viewer({ clock, lastActions: async () => () => undefined });
  const story = new Story().tasks(task('a'), task('b')).start();
  const seen = (id: string) => {
    const record = need(story.state.run(id));
    const driver = { at: 'here' } as const;
    return view({ state: story.state, underWay: [], run: { record, driver } }).landings;
  };
  expect(seen('r1')).toEqual([]);
  story.landed('a').tell({ type: 'run-ended', run: 'r1', stop: { reason: 'drained' } });
  expect(seen('r1')).toMatchObject([{ task: 'a' }]);
  const { owner, settings } = story.record();
  story.tell({ type: 'run-started', run: 'r2', owner, settings, base: 'landing-a' });
  expect(seen('r2')).toEqual([]);
});
