import { expect, test } from 'vitest';
import { isCurrent, type NoteOrigin, notesOf } from './note.ts';

const origin: NoteOrigin = { by: 'person' };
const added = (seq: number, text: string, supersedes?: number) =>
  ({
    type: 'note-added',
    seq,
    at: seq,
    kind: 'decision',
    text,
    labels: [],
    paths: [],
    origin,
    supersedes,
  }) as const;
const removed = (seq: number, note: number) =>
  ({ type: 'note-removed', seq, at: seq, note, origin, reason: 'old' }) as const;

test('notes are numbered in order, whatever their events are', () => {
  const notes = notesOf([added(5, 'a'), added(9, 'b')]);
  expect(notes.map(({ number, seq, text }) => [number, seq, text])).toEqual([
    [1, 5, 'a'],
    [2, 9, 'b'],
  ]);
  expect(notes.every(isCurrent)).toBe(true);
});

test('a note is replaced once; a second replacement is a note of its own', () => {
  const notes = notesOf([added(1, 'a'), added(2, 'b', 1), added(3, 'c', 1)]);
  expect(notes.map(({ supersedes, state }) => [supersedes, state])).toEqual([
    [undefined, { id: 'superseded', by: 2 }],
    [1, { id: 'current' }],
    [undefined, { id: 'current' }],
  ]);
});

test('a removed note stays removed; an unknown one changes nothing', () => {
  const notes = notesOf([added(1, 'a'), removed(2, 1), removed(3, 1), removed(4, 7)]);
  expect(notes.map(({ state }) => state)).toEqual([
    { id: 'removed', at: 2, origin, reason: 'old' },
  ]);
});
