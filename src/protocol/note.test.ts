import fc from 'fast-check';
import { expect, test } from 'vitest';
import { noteLimits } from '../model/note.ts';
import { notesIn } from './note.ts';

const block = (json: unknown) => `Done.\n\n\`\`\`note\n${JSON.stringify(json)}\n\`\`\`\n`;

test('notes are read from a fenced block, one or several', () => {
  const decision = { kind: 'decision', text: 'Use UTC' };
  expect(notesIn(block(decision))).toEqual([decision]);
  expect(notesIn(block([decision, { kind: 'finding', text: ' x ', supersedes: 3 }]))).toEqual([
    decision,
    { kind: 'finding', text: 'x', supersedes: 3 },
  ]);
});

test.each([
  ['another kind', { kind: 'status', text: 'x' }],
  ['no text', { kind: 'decision', text: ' ' }],
  ['a word', 'decision'],
  ['nothing', null],
])('%s is dropped', (_, json) => {
  expect(notesIn(block([json]))).toEqual([]);
});

test('an invalid number is dropped, a long text is cut, and the number of notes is limited', () => {
  const wrong = { kind: 'decision', text: 'x'.repeat(5_000), supersedes: 1.5 };
  const [note, ...others] = notesIn(block(Array(50).fill(wrong)));
  expect(note).toEqual({ kind: 'decision', text: 'x'.repeat(noteLimits.chars) });
  expect(others).toHaveLength(noteLimits.perTurn - 1);
});

test('any message is read without an error', () => {
  fc.assert(
    fc.property(fc.string(), fc.json(), (before, json) => {
      for (const note of notesIn(`${before}\n\`\`\`note\n${json}\n\`\`\``)) {
        expect(note.text).not.toBe('');
      }
    }),
  );
});
