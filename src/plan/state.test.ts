import { expect, test } from 'vitest';
import { landedStory } from '../../test/report/landed-story.ts';
import { Story, settings, task } from '../../test/story.ts';
import { inScope } from '../task/scope.ts';
import { fold } from './fold.ts';
import { State } from './state.ts';

test('a task follows its epic into the scope and out of it', () => {
  const story: Story = new Story(
    inScope({ kind: 'ready', labels: ['ui'] }, (id) => story.state.task(id)?.task),
  );
  const epic = task('big', { type: 'epic', after: ['part'] });
  const ready = () => {
    story.state.rank(settings());
    return [...story.state.ready.ids()];
  };
  story.tasks(task('part', { parent: 'big' }), epic);
  expect(ready()).toEqual([]);
  story.tell({ type: 'task-changed', task: { ...epic, labels: ['ui'] } });
  expect(ready()).toEqual(['part']);
  story.tell({ type: 'task-changed', task: epic });
  expect(ready()).toEqual([]);
});

test('a task that another run claimed is not offered again when other tasks change', () => {
  const story = new Story().tasks(task('a'), task('b'));
  story.state.withdraw('a');
  story.tasks(task('c'));
  story.state.rank(settings());
  expect([...story.state.ready.ids()].sort()).toEqual(['b', 'c']);
});

test('each step of the merge queue is passed on as it happens, with its run', () => {
  const steps: string[] = [];
  const state = new State(undefined, (run, { what }) => steps.push(`${run} ${what.type}`));
  for (const event of landedStory) fold(state, event);
  expect(steps).toEqual(['r1 built', 'r1 gated', 'r1 landed']);
});
