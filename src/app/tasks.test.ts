import { describe, expect, it } from 'vitest';
import { aRecord } from '../../test/report/fixtures.ts';
import { newTask } from '../model/task.ts';
import { changedTask, toRemove } from './tasks.ts';

const tasks = [
  aRecord('a'),
  aRecord('b', undefined, { after: ['a'] }),
  aRecord('c', undefined, { after: ['b'] }),
  aRecord('done', { id: 'skipped', reason: '' }, { after: ['a'] }),
];

describe('removing a task', () => {
  it('is refused while others wait for it, which are named', () => {
    expect(toRemove(tasks, ['a'], false)).toMatchObject({
      failure: { kind: 'usage', problem: 'other tasks wait for a: b, c' },
    });
  });

  it('takes all that waits for it, where that is said', () => {
    expect(toRemove(tasks, ['a'], true)).toEqual({ ok: true, value: ['a', 'b', 'c'] });
    expect(toRemove(tasks, ['b', 'c'], false)).toEqual({ ok: true, value: ['b', 'c'] });
  });

  it('that has landed is refused', () => {
    const landed = aRecord('x', { id: 'landed', commit: 'c', run: 'r1', at: 1 });
    expect(toRemove([landed], ['x'], true)).toMatchObject({ failure: { kind: 'task-busy' } });
  });
});

it('keeps who chooses the variant if an edit names only their number or agents', () => {
  const task = newTask({ id: 'a', title: 'A', attempts: { best_of: 2, choose: 'person' } });
  expect(changedTask(task, { attempts: { best_of: 3 } })).toMatchObject({
    value: { attempts: { best_of: 3, choose: 'person' } },
  });
  expect(changedTask(task, { attempts: { best_of: 3, choose: 'auto' } })).toMatchObject({
    value: { attempts: { choose: 'auto' } },
  });
  expect(changedTask(task, { attempts: null })).toMatchObject({ ok: true });
});
