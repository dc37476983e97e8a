import { expect, it } from 'vitest';
import { aRecord, aRun, aTask, settings } from '../../../test/report/fixtures.ts';
import { viewed } from '../../../test/report/viewed.ts';

it.each([
  [{ kind: 'only', tasks: ['big'] }, 2],
  [{ kind: 'epics', epics: ['big'] }, 2],
  [{ kind: 'ready', labels: ['ui'] }, 3],
  [{ kind: 'ready', types: ['bug'] }, 1],
  [{ kind: 'only', tasks: ['big'], except: ['c2'] }, 1],
] as const)('counts the tasks that a run with the scope %j works on', (scope, number) => {
  const tasks = [
    aTask('c1', { parent: 'big' }),
    aTask('c2', { parent: 'big' }),
    aTask('big', { type: 'epic', labels: ['ui'] }),
    aTask('x', { labels: ['ui'] }),
    aTask('y', { type: 'bug' }),
  ];
  const records = tasks.map((task) => aRecord(task.id, undefined, { task }));
  const { counts, outside } = viewed(records, aRun({ settings: { ...settings, scope } }), 9);
  expect({ counts, outside }).toEqual({ counts: { ready: number }, outside: 4 - number });
});
