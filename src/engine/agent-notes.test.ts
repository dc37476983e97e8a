import { expect, test } from 'vitest';
import { Story, task } from '../../test/story.ts';
import { type Note, type NoteOrigin, noteLimits } from '../model/note.ts';
import { noteAnswer, notedIn } from './agent-notes.ts';
import { statusNotes } from './verify.ts';

const story = new Story().tasks(task('a', { labels: ['ui'], paths: ['a.ts'] })).start();
const record = story.prepared('a').task('a');
const { attempt } = record;
if (attempt === undefined) throw new Error('a has no attempt');
const work = { task: record.task, attempt };
const context = { run: 'r1', target: 'main' };
const agent: NoteOrigin = { by: 'agent', agent: 'scripted', task: 'a', attempt: 1, run: 'r1' };

function note(number: number, text: string, more: Partial<Note> = {}): Note {
  const about = { kind: 'decision', labels: [], paths: [] } as const;
  const state = { id: 'current' } as const;
  return { number, seq: number * 10, at: 1, text, ...about, origin: agent, state, ...more };
}

const found = { kind: 'decision', text: 'Use UTC' } as const;
const event = { type: 'note-added', ...found, labels: ['ui'], paths: ['a.ts'], origin: agent };

test('a note of an agent has its origin, and the labels and paths of its task', () => {
  expect(noteAnswer(context, work, found, [])).toEqual({ id: 'new', number: 1, event });
});

test('the same note again changes nothing', () => {
  expect(noteAnswer(context, work, found, [note(1, 'Use UTC')])).toEqual({
    id: 'known',
    number: 1,
  });
});

test('an agent replaces current notes of agents only', () => {
  const answer = (old: Note, supersedes = 1) =>
    noteAnswer(context, work, { ...found, supersedes }, [old]);
  expect(answer(note(1, 'x'))).toMatchObject({ id: 'new', event: { supersedes: 10 } });
  expect(answer(note(1, 'x'), 2)).toMatchObject({ id: 'refused', problem: 'there is no note 2' });
  expect(answer(note(1, 'x', { state: { id: 'superseded', by: 2 } }))).toMatchObject({
    id: 'refused',
  });
  expect(answer(note(1, 'x', { origin: { by: 'person' } }))).toMatchObject({ id: 'refused' });
});

test('a task writes a bounded number of notes', () => {
  const many = Array.from({ length: noteLimits.perTask }, (_, at) => note(at + 1, `n${at}`));
  expect(noteAnswer(context, work, found, many)).toMatchObject({ id: 'refused' });
  expect(notedIn(context, work, [found], many)).toEqual([]);
});

test('notes in a last message are kept even if they name a wrong note to replace', () => {
  expect(notedIn(context, work, [{ ...found, supersedes: 9 }, found], [])).toEqual([event]);
});

test('a failed verification leaves a status note until one passes', () => {
  const failed = { kind: 'failed', command: 'npm test', exit: 1, ms: 1, tail: '' } as const;
  const origin = { by: 'run', run: 'r1' };
  const [left] = statusNotes(context, failed, []);
  expect(left).toMatchObject({
    kind: 'status',
    text: expect.stringContaining('`npm test` failed with exit status 1 on main after run r1'),
    origin,
  });
  const old = note(1, 'red', { kind: 'status' });
  expect(statusNotes(context, failed, [old])).toMatchObject([{ supersedes: 10 }]);
  const passed = { kind: 'passed', command: 'npm test', ms: 1 } as const;
  const removed = { type: 'note-removed', note: 10, origin, reason: '`npm test` passed on main' };
  expect(statusNotes(context, passed, [old, note(2, 'x')])).toEqual([removed]);
  expect(statusNotes(context, passed, [note(2, 'x')])).toEqual([]);
  expect(statusNotes(context, { kind: 'skipped', reason: 'x' }, [old])).toEqual([]);
});
