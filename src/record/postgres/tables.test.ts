import { describe, expect, it } from 'vitest';
import type { Changes } from '../draft.ts';
import { Keys } from '../keys.ts';
import { BadRow } from '../trouble.ts';
import type { Call } from './session.ts';
import { beginningOf, loading, writing } from './tables.ts';

const nameOf = (call: Call): string => (typeof call === 'string' ? call : call[0].name);
const nothing: Changes = {
  events: [],
  tasks: [],
  runs: [],
  runHistories: [],
  attempts: [],
  verdicts: [],
  steps: [],
  queueSteps: [],
  claims: new Map(),
  fence: undefined,
};

describe('loading', () => {
  it('asks once for each kind of record, and for nothing that is not needed', () => {
    expect(loading(new Keys()).calls).toEqual([]);
    const keys = new Keys().add('tasks', 'a', 'b').add('runs', 'r').addAttempt('a', 2);
    const { calls } = loading(keys);
    expect(calls.map(nameOf)).toEqual(['table_tasks', 'table_runs', 'table_attempts']);
    expect(calls.map(([, ...lists]) => lists)).toEqual([[['a', 'b']], [['r']], [['a'], [2]]]);
  });

  it('has no records where no rows came back', () => {
    const { read } = loading(new Keys().add('runHistories', 'r').add('parents', 'a'));
    expect(read([[], []])).toEqual({
      tasks: [],
      children: [],
      runs: [],
      runHistories: [],
      attempts: [],
    });
  });

  it('throws at a row that cannot be read', () => {
    const { read } = loading(new Keys().add('runs', 'r'));
    expect(() => read([[{ id: 'r', record: '{' }]])).toThrow(BadRow);
  });
});

describe('writing', () => {
  it('leaves out statements about nothing', () => {
    expect(writing(nothing)).toEqual([]);
  });

  it('writes all rows of a table with one statement, one list per column', () => {
    const steps = [
      ['a', { at: 1, type: 'added' }],
      ['b', { at: 2, type: 'added' }],
    ] as unknown as Changes['steps'];
    const [call] = writing({ ...nothing, steps });
    expect(call?.slice(1)).toEqual([
      ['a', 'b'],
      ['{"at":1,"type":"added"}', '{"at":2,"type":"added"}'],
    ]);
  });

  it('writes new claims and drops ended ones', () => {
    const claim = { task: 'a', run: 'r', fence: 7, leaseUntil: 90 };
    const claims = new Map([
      ['a', claim],
      ['b', undefined],
    ]);
    expect(writing({ ...nothing, claims, fence: 7 }).map((call) => call.slice(1))).toEqual([
      [['a'], ['r'], [7], [90]],
      [['b']],
    ]);
  });

  it('writes a verdict that is known already once more', () => {
    const verdicts = [['tree', 'gate', { id: 'passed' }]] as unknown as Changes['verdicts'];
    expect(writing({ ...nothing, verdicts }).map(nameOf)).toEqual(['table_put_verdicts']);
  });
});

describe('the beginning of a transaction', () => {
  it('has the counters, the number of the transaction, and where the records were moved', () => {
    const row = { seq: 12, fence: 3, transaction: '745', moved: null };
    expect(beginningOf([row])).toEqual({
      lastSeq: 12,
      fence: 3,
      transaction: '745',
      movedTo: undefined,
    });
    expect(beginningOf([{ ...row, seq: null, moved: 'sqlite' }])).toMatchObject({
      lastSeq: 0,
      movedTo: 'sqlite',
    });
  });

  it('is refused without the counter of claims', () => {
    expect(() => beginningOf([])).toThrow('The counter of claims is missing');
  });
});
