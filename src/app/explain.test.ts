import { expect, it } from 'vitest';
import { ManualClock } from '../../test/memory/clock.ts';
import { memoryStore } from '../../test/memory/store.ts';
import { owner, task } from '../../test/story.ts';
import { storyAt } from './explain.ts';
import { viewAt } from './moment.ts';

it('counts what a task unblocked at a moment of the past, as for the present', async () => {
  const store = memoryStore();
  await store.append(1_000, [{ type: 'task-added', task: task('a') }]);
  await store.append(2_000, [{ type: 'task-added', task: task('b', { after: ['a'] }) }]);
  await store.append(3_000, [{ type: 'task-added', task: task('c', { after: ['b'] }) }]);
  const ports = { store, clock: new ManualClock(9_000), self: () => owner };
  const unblocksAt = async (seq: number) => {
    const past = await viewAt(ports, seq);
    const story = past.ok ? await storyAt(ports, past.value, 'a') : past;
    return story.ok ? [story.value.unblocks, 'unblocks' in story.value.view] : story.failure;
  };
  expect(await unblocksAt(1)).toEqual([undefined, false]);
  expect(await unblocksAt(2)).toEqual([{ direct: 1, all: 1 }, false]);
  expect(await unblocksAt(3)).toEqual([{ direct: 1, all: 2 }, false]);
});
