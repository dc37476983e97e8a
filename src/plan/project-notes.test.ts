import { expect, test } from 'vitest';
import { task } from '../../test/story.ts';
import { type Note, noteLimits } from '../model/note.ts';
import { notesFor, projectNotes } from './project-notes.ts';

function note(number: number, more: Partial<Note> = {}): Note {
  return {
    number,
    seq: number,
    at: number,
    kind: 'finding',
    text: `note ${number}`,
    labels: [],
    paths: [],
    origin: { by: 'person' },
    state: { id: 'current' },
    ...more,
  };
}
const numbers = (notes: readonly Note[]) => notes.map(({ number }) => number);

test('every task gets the status, then conventions and decisions, the newest first', () => {
  const notes = [
    note(1, { kind: 'decision' }),
    note(2, { kind: 'convention' }),
    note(3),
    note(4, { kind: 'decision' }),
    note(5, { kind: 'status' }),
    note(6, { kind: 'decision', state: { id: 'superseded', by: 4 } }),
  ];
  expect(numbers(projectNotes(notes))).toEqual([5, 2, 4, 1]);
});

test('of too many notes the oldest are left out', () => {
  const many = Array.from({ length: noteLimits.ofProject + 5 }, (_, at) =>
    note(at + 1, { kind: 'decision' }),
  );
  const shown = numbers(projectNotes(many));
  expect(shown).toHaveLength(noteLimits.ofProject);
  expect([shown[0], shown.at(-1)]).toEqual([noteLimits.ofProject + 5, 6]);
});

test('notes of people stay, however many an agent writes', () => {
  const origin = { by: 'agent', agent: 'x', task: 't', attempt: 1, run: 'r' } as const;
  const many = Array.from({ length: noteLimits.ofProject }, (_, at) =>
    note(at + 2, { kind: 'convention', origin }),
  );
  expect(numbers(projectNotes([note(1, { kind: 'decision' }), ...many]))[0]).toBe(1);
});

test('a task gets notes that share a file or a label with it, or come from a task that it builds on', () => {
  const agent = { by: 'agent', agent: 'x', attempt: 1, run: 'r' } as const;
  const notes = [
    note(1, { labels: ['ui'] }),
    note(2, { paths: ['src/menu.ts'] }),
    note(3, { text: 'Beware of src/menu.ts: it is generated.' }),
    note(4, { origin: { ...agent, task: 'before' } }),
    note(5, { origin: { ...agent, task: 'other' }, labels: ['db'], paths: ['src/db.ts'] }),
    note(6, { labels: ['ui'], state: { id: 'removed', at: 1, origin: { by: 'person' } } }),
    note(7, { labels: ['ui'], kind: 'decision' }),
  ];
  const own = task('menu', { labels: ['ui'], paths: ['src/menu.ts'], after: ['before'] });
  expect(numbers(notesFor(own, notes, []))).toEqual([7, 3, 2, 1, 4]);
  expect(numbers(notesFor(own, notes, notes.slice(0, 2)))).toEqual([7, 3, 4]);
  expect(numbers(notesFor(task('else'), notes, []))).toEqual([]);
});
