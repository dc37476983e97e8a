import { describe, expect, it } from 'vitest';
import type { EventBody } from '../model/event.ts';
import { Keys } from '../plan/reach.ts';
import { Draft, type Loaded } from './draft.ts';
import { append } from './ledger.ts';

const nothing: Loaded = { tasks: [], children: [], runs: [], runHistories: [], attempts: [] };

const added = (id: string, after: readonly string[] = []): EventBody => ({
  type: 'task-added',
  task: {
    id,
    title: id,
    body: '',
    after,
    priority: 0,
    labels: [],
    paths: [],
    type: 'task',
    scope: 'predicted',
    checks: [],
  },
});

describe('A draft', () => {
  it('refuses to read a record that was not loaded', () => {
    const draft = new Draft({ lastSeq: 0, fence: 0 });
    expect(() => draft.task('a')).toThrow('not loaded');
    expect(() => draft.children('a')).toThrow('not loaded');
    expect(() => draft.run('r')).toThrow('not loaded');
    expect(() => draft.attempt('a', 1)).toThrow('not loaded');
    expect(() => draft.runHistory('r')).toThrow('not loaded');
    expect(() => draft.claim('a')).toThrow('not loaded');
  });

  it('knows that a record which was asked for and not found does not exist', () => {
    const draft = new Draft({ lastSeq: 0, fence: 0 });
    const keys = new Keys();
    keys.tasks.add('a');
    keys.attempts.set('a 1', ['a', 1]);
    draft.add(keys, nothing);
    expect([draft.task('a'), draft.claim('a'), draft.attempt('a', 1)]).toEqual(
      Array.from({ length: 3 }),
    );
  });

  it('asks a database once for all events of a call, and writes nothing before their end', () => {
    const draft = new Draft({ lastSeq: 7, fence: 0 });
    const ids = Array.from({ length: 50 }, (_, index) => `t${index}`);
    const events = ids.map((id, index) => added(id, index === 0 ? ['far'] : [`t${index - 1}`]));
    const transaction = append(draft, 1, events, undefined);
    const first = transaction.next();
    if (first.done === true) throw new Error('It asked for nothing');
    expect([...first.value.tasks].sort()).toEqual([...ids, 'far'].sort());
    draft.add(first.value, nothing);
    expect(transaction.next()).toMatchObject({ done: true, value: { ok: true } });
    const { events: logged, tasks, runs, fence } = draft.changes();
    expect(logged.map(({ seq }) => seq)).toEqual(ids.map((_, index) => 8 + index));
    expect(tasks.map(({ before, after }) => [before, after.blockers])).toEqual(
      ids.map(() => [undefined, 1]),
    );
    expect([runs, fence]).toEqual([[], undefined]);
  });
});
