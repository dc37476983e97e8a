import { expect, it } from 'vitest';
import type { FilePart } from '../app/log-file.ts';
import { EntryReader } from './entries.ts';

function logOf(...batches: FilePart[][]) {
  return {
    *more(): Generator<FilePart> {
      yield* batches.shift() ?? [];
    },
    *end(): Generator<FilePart> {
      yield* batches.shift() ?? [];
    },
  };
}

const text = (file: string, written: string): FilePart => ({ id: 'text', file, text: written });
const line = (written: string) => ({ id: 'line', text: written });

it('cuts text into whole lines, for each file', () => {
  const log = logOf([text('out', 'one\ntw'), text('err', 'x')], [text('out', 'o\n')], []);
  const entries = new EntryReader(log);
  expect([...entries.more()].flat()).toEqual([line('one')]);
  expect([...entries.more()].flat()).toEqual([line('two')]);
  expect([...entries.end()].flat()).toEqual([line('x')]);
  expect([...entries.end()].flat()).toEqual([]);
});

it('passes on what an agent did, and at the end the calls that never ended', () => {
  const said = { id: 'text', text: 'hi' } as const;
  const call = { key: 'k', name: 'Bash', subject: 'ls' };
  const log = logOf(
    [{ id: 'entries', file: 'out', entries: [said] }],
    [{ id: 'end', file: 'out', open: [call] }],
  );
  const entries = new EntryReader(log);
  expect([...entries.more()].flat()).toEqual([said]);
  expect([...entries.end()].flat()).toEqual([{ id: 'tool', call }]);
});
