import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { runIn } from '../../src/app/lookup.ts';
import {
  firstLine,
  optional,
  outcomeOf,
  readRecord,
  readRecords,
  text,
  time,
  timeOf,
} from '../../src/foreign/record.ts';

const noon = Date.UTC(2026, 4, 30, 12);

describe('a time in a foreign file', () => {
  it.each([
    ['2026-05-30T12:00:00Z', noon],
    ['2026-05-30T12:00:00.000Z', noon],
    ['2026-05-30T12:00:00.000000999Z', noon],
    ['2026-05-30T14:00:00+02:00', noon],
    ['2026-05-30T12:00:00', noon],
    ['2026-05-30 12:00:00', noon],
    [' 2026-05-30T12:00Z ', noon],
    ['2026-02-31T99:00:00Z', undefined],
    ['30 May 2026', undefined],
    ['1', undefined],
    ['', undefined],
  ])('%j', (written, at) => {
    expect(timeOf(written)).toBe(at);
  });
});

describe('a foreign file', () => {
  const schema = z.object({ at: time, name: optional(text) });

  it('may have keys that are not known, and empty ones', () => {
    const read = readRecord(
      { name: 'a.json', text: '{"at":"2026-05-30T12:00:00Z","name":null,"new":[1]}' },
      schema,
    );
    expect(read).toEqual({ ok: true, value: { at: noon } });
  });

  it('is reported with every wrong value, in the order of its lines', () => {
    const read = readRecord({ name: 'a.json', text: '{\n "name": 7,\n "at": "never"\n}' }, schema);
    expect(read.ok ? [] : read.failure).toEqual([
      { file: 'a.json', line: 2, problem: '"name" is 7; expected a text' },
      {
        file: 'a.json',
        line: 3,
        problem: '"at" is "never"; expected a time such as 2026-05-30T12:00:00Z',
      },
    ]);
  });

  it('is refused if it gives a key twice', () => {
    const read = readRecord({ name: 'a.json', text: '{"at": "x",\n"at": "y"}' }, schema);
    expect(read.ok ? [] : read.failure).toMatchObject([{ file: 'a.json', line: 2 }]);
  });

  it('is read if its name fits, with the parts of its name', () => {
    const file = (name: string) => ({ name, text: '{"at":"2026-05-30T12:00:00Z"}' });
    const { records, problems } = readRecords(
      [file('w-1/a.json'), file('b.json')],
      /^w-(\d)\//,
      schema,
    );
    expect(records).toEqual([{ parts: ['1'], value: { at: noon } }]);
    expect(problems).toEqual([]);
  });
});

it('looks words up whatever their case and their dashes', () => {
  const words = { 'timed-out': 'error' } as const;
  expect(outcomeOf(words, 'TIMED_OUT')).toBe('error');
  expect(outcomeOf(words, 'toString')).toBe('unknown');
});

it('takes the first line that says something', () => {
  expect(firstLine('\n  \n  boom \nmore')).toBe('boom');
  expect(firstLine(' \n')).toBeUndefined();
  expect(firstLine(undefined)).toBeUndefined();
  expect(firstLine('x'.repeat(500))).toHaveLength(200);
});

it('suggests the command that lists the runs in question', () => {
  const found = runIn([{ id: 'aa' }, { id: 'ab' }], 'a', 'ym runs --from DIR');
  expect(found.ok ? undefined : found.failure).toMatchObject({
    problem: '"a" matches 2 runs: aa, ab',
    remedy: 'Type more of the id; `ym runs --from DIR` lists all runs.',
  });
});
