import { expect, it } from 'vitest';
import { eventRows } from './event-rows.ts';

const line = {
  seq: 1,
  at: '',
  type: 'task-decided',
  tasks: ['a'],
  by: 'Ann',
  via: 'watch',
} as const;

it('the person who caused an event is named once', () => {
  const texts = ['chosen a a.v1 was chosen by Ann (ym watch)', 'task added a'];
  const rows = eventRows(texts.map((text) => ({ ...line, text })));
  expect(rows.map(({ by }) => by)).toEqual([undefined, 'Ann']);
});

it('equal events in a row are one row', () => {
  const rows = eventRows(['x', 'y', 'y', 'x'].map((text) => ({ ...line, text })));
  expect(rows.map(({ event, times }) => [event.text, times])).toEqual([
    ['x', 1],
    ['y', 2],
    ['x', 1],
  ]);
});
