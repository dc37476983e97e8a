import { expect, it } from 'vitest';
import { Story, task } from '../../../test/story.ts';
import { taskNodes } from './nodes.ts';

it('lists tasks with their edges, and the longest path of work that is left', () => {
  const story = new Story().tasks(
    task('a', { estimate: '1h' }),
    task('b', { after: ['a'], estimate: '5m' }),
    task('c', { after: ['a'], estimate: '2h' }),
    task('gone'),
    task('done'),
  );
  story.tell(
    { type: 'task-decided', id: 'gone', decision: { kind: 'cancel', reason: 'x', removed: true } },
    { type: 'task-decided', id: 'done', decision: { kind: 'skip', reason: 'x' } },
  );
  const { nodes, critical } = taskNodes([...story.state.tasks.values()]);
  expect(nodes.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'done']);
  expect(nodes[1]).toMatchObject({ after: ['a'], state: 'open' });
  expect(critical).toEqual(['a', 'c']);
});
