import { expect, it } from 'vitest';
import { childrenIn, unblocksOf } from './unblocks.ts';

const children = childrenIn([
  { id: 'b', after: ['a'] },
  { id: 'c', after: ['a', 'a'] },
  { id: 'd', after: ['b', 'c'] },
  { id: 'e', after: ['d'] },
  { id: 'done', after: ['a'] },
  { id: 'behind', after: ['done'] },
]);
const isOpen = (id: string): boolean => id !== 'done';

it('counts open tasks that wait for a task, each once, and those behind them', () => {
  expect(unblocksOf('a', children, isOpen)).toEqual({ direct: 2, all: 4 });
  expect(unblocksOf('d', children, isOpen)).toEqual({ direct: 1, all: 1 });
  expect(unblocksOf('e', children, isOpen)).toEqual({ direct: 0, all: 0 });
});

it('gives up if too many tasks wait', () => {
  expect(unblocksOf('a', children, isOpen, 3)).toBeUndefined();
  expect(unblocksOf('a', children, isOpen, 4)).toEqual({ direct: 2, all: 4 });
});
