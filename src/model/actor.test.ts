import { describe, expect, test } from 'vitest';
import { isByPerson } from './actor.ts';

const run = 'r1';

describe('an event is caused by a person', () => {
  test('if only people cause it, even if a run stores it', () => {
    expect(isByPerson({ type: 'stop-asked' }, run)).toBe(true);
    expect(isByPerson({ type: 'run-started' }, run)).toBe(true);
    expect(isByPerson({ type: 'message-sent' }, undefined)).toBe(true);
  });

  test('if it changes tasks or notes and no run stores it', () => {
    for (const type of ['task-added', 'task-changed', 'note-added', 'note-removed']) {
      expect(isByPerson({ type }, undefined)).toBe(true);
      expect(isByPerson({ type }, run)).toBe(false);
    }
  });

  test('unless a new run retries the tasks of an earlier one', () => {
    const decided = (decision: object) => isByPerson({ type: 'task-decided', decision }, undefined);
    expect(decided({ kind: 'retry', by: 'run' })).toBe(false);
    expect(decided({ kind: 'retry' })).toBe(true);
    expect(decided({ kind: 'hold', by: { pid: 1 } })).toBe(true);
  });

  test('never for what happens in a run or to the target', () => {
    expect(isByPerson({ type: 'landing-dropped' }, undefined)).toBe(false);
    expect(isByPerson({ type: 'turn-ended' }, run)).toBe(false);
  });
});
