import { describe, expect, it } from 'vitest';
import type { Entry } from '../model/action.ts';
import { afterEntries, shownEntries } from './tail.ts';

const line = (text: string): Entry => ({ id: 'line', text });
const message = (from: number, ...texts: readonly string[]) => ({
  task: 'a',
  attempt: 1,
  part: 'turn 1',
  from,
  entries: texts.map(line),
});

describe('the output of a live attempt', () => {
  it('grows, and what comes again after a reconnect replaces itself', () => {
    const first = afterEntries(undefined, message(0, 'a', 'b'));
    const again = afterEntries(first, message(1, 'b', 'c'));
    expect(again.parts[0]?.entries).toEqual([line('a'), line('b'), line('c')]);
  });

  it('begins again after a gap, and for another attempt', () => {
    const first = afterEntries(undefined, message(0, 'a'));
    expect(afterEntries(first, message(7, 'h')).parts[0]).toMatchObject({
      from: 7,
      entries: [line('h')],
    });
    expect(afterEntries(first, { ...message(0, 'x'), attempt: 2 }).parts).toHaveLength(1);
  });

  it('keeps its parts apart, and the newest entries of each', () => {
    const many = Array.from({ length: 2_500 }, (_, at) => String(at));
    const tail = afterEntries(undefined, message(0, ...many));
    expect(tail.parts[0]).toMatchObject({ from: 500 });
    expect(tail.parts[0]?.entries).toHaveLength(2_000);
    const reviewed = afterEntries(tail, { ...message(0, 'ok'), part: 'review 1' });
    expect(reviewed.parts.map(({ name }) => name)).toEqual(['turn 1', 'review 1']);
  });
});

describe('entries as they are shown', () => {
  it('join pieces of text and end each call where it began', () => {
    const call = { key: 'k', name: 'Bash', subject: 'npm test' };
    const entries: Entry[] = [
      { id: 'text', text: 'Hel', piece: true },
      { id: 'text', text: 'lo', piece: true },
      { id: 'tool', call },
      line(' '),
      { id: 'text', text: 'Next.' },
      { id: 'tool', call: { ...call, subject: '', outcome: { ok: false, exit: 1 } } },
    ];
    expect(shownEntries(entries)).toEqual([
      { id: 'text', text: 'Hello', piece: true },
      { id: 'tool', call: { ...call, outcome: { ok: false, exit: 1 } } },
      { id: 'text', text: 'Next.' },
    ]);
  });
});
