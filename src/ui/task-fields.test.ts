import { expect, it } from 'vitest';
import { newTask } from '../model/task.ts';
import { changesIn, textsOf } from './task-fields.ts';

const task = newTask({
  id: 'a',
  title: 'A',
  parent: 'search',
  checks: ['npm test', 'grep -q a,b x'],
  attempts: { best_of: 2, agents: ['claude', 'codex'] },
});
const before = textsOf(task);

it('shows every field of a task as text', () => {
  expect(before).toMatchObject({
    title: 'A',
    parent: 'search',
    checks: 'npm test\ngrep -q a,b x',
    bestOf: '2',
    agents: 'claude, codex',
    type: 'task',
    wait: '',
  });
  expect(textsOf({})).toMatchObject({ title: '', parent: '', bestOf: '', type: '' });
});

it.each([
  [{}, {}],
  [{ parent: '' }, { parent: null }],
  [{ checks: ' make \n\nmake a, b ' }, { checks: ['make', 'make a, b'] }],
  [{ after: 'x, y,' }, { after: ['x', 'y'] }],
  [{ type: '' }, { type: 'task' }],
  [{ bestOf: '3' }, { attempts: { best_of: 3, agents: ['claude', 'codex'] } }],
  [{ agents: '' }, { attempts: { best_of: 2 } }],
  [{ bestOf: '' }, { attempts: { agents: ['claude', 'codex'] } }],
  [{ bestOf: '', agents: '' }, { attempts: { best_of: 1 } }],
])('takes %j for the change %j', (texts, changes) => {
  expect(changesIn(before, { ...before, ...texts })).toEqual(changes);
});
