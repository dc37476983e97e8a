import { expect, test } from 'vitest';
import { Story, task } from '../../test/story.ts';
import { waitOrStop } from './wait-or-stop.ts';

test('a run is not drained while a single attempt is live that nothing moves on', () => {
  const story = new Story().tasks(task('a')).start({ jobs: 1 });
  const waits = () => waitOrStop(story.state, story.record(), [story.task('a')], [], story.now);
  story.prepared('a').turn('a');
  expect(waits()).toEqual({ stop: { reason: 'slot-errors' } });
});
