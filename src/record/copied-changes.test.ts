import { describe, expect, it } from 'vitest';
import { newTask } from '../model/task.ts';
import { CopiedLog } from './copied-changes.ts';
import { BadRow } from './trouble.ts';

const row = (seq: number, id: string) => {
  const task = newTask({ id, title: id, after: [], priority: 0 });
  return { seq, at: seq, version: 1, body: JSON.stringify({ type: 'task-added', task }) };
};

describe('a log that is copied', () => {
  it('becomes records in parts, each record once', () => {
    const log = new CopiedLog();
    const ids = ['a', 'b', 'c', 'd', 'e'];
    for (const [at, id] of ids.entries()) expect(log.add(row(at + 1, id)).type).toBe('task-added');
    const parts = [...log.parts(2)];
    expect(parts.map(({ tasks }) => tasks.length)).toEqual([2, 2, 1]);
    expect(parts.flatMap(({ tasks }) => tasks.map(({ after }) => after.task.id))).toEqual(ids);
    expect(parts.flatMap(({ steps }) => steps.map(([task]) => task))).toEqual(ids);
    expect(parts.every(({ events, claims }) => events.length + claims.size === 0)).toBe(true);
  });

  it('is nothing if it is empty, and refused if a row cannot be read', () => {
    const log = new CopiedLog();
    expect([...log.parts(10)]).toEqual([]);
    expect(() => log.add({ seq: 1, at: 1, version: 1, body: '{' })).toThrow(BadRow);
  });
});
