import { expect, it } from 'vitest';
import {
  aConversation,
  anAttempt,
  aRecord,
  aRun,
  aTask,
  settings,
} from '../../../test/report/fixtures.ts';
import { viewed } from '../../../test/report/viewed.ts';
import { plain } from '../format/style.ts';
import { countsLine } from '../status/status.ts';
import { stateText } from './state-text.ts';

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

it('counts as preparing only tasks in the scope of the run', () => {
  const turn = { id: 'working', slot: 1, turn: 1, since: 1 } as const;
  const inside = aRecord('in', undefined, { attempt: anAttempt(turn) });
  const preparing = anAttempt({ id: 'preparing', slot: 2 }, aConversation({ turns: 0 }));
  const records = [inside, aRecord('out', undefined, { attempt: preparing })];
  const scope = { kind: 'only', tasks: ['in'] } as const;
  const run = aRun({ settings: { ...settings, scope } });
  const full = viewed(records, run, 9);
  expect(countsLine(full, plain, 80)).toBe('▶ 1 working');
  const { counts, outside } = full;
  const few = {
    id: 'some',
    records,
    counts,
    blocked: [],
    outside,
    activeOutside: ['out'],
  } as const;
  expect(countsLine(viewed(records, run, 9, {}, few), plain, 80)).toBe('▶ 1 working');
});

it('counts tasks without an agent yet as preparing, which is no state of its own', () => {
  const preparing = aRecord('a', undefined, {
    attempt: anAttempt({ id: 'preparing', slot: 1 }, aConversation({ turns: 0 })),
  });
  const variant = { ...preparing, task: aTask('b.v1', { variantOf: 'b' }) };
  const turn = { id: 'working', slot: 2, turn: 1, since: 1 } as const;
  const working = aRecord('c', undefined, { attempt: anAttempt(turn) });
  const view = viewed([preparing, variant, working], aRun(), 9);
  expect(view.counts).toEqual({ working: 2 });
  expect(countsLine(view, plain, 80)).toBe('▶ 1 working  ▶ 1 preparing');
  expect(view.tasks.map(stateText)).toEqual(['preparing', 'preparing', 'working']);
});
