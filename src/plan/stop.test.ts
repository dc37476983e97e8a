import { describe, expect, test } from 'vitest';
import { Story, settings, task } from '../../test/story.ts';
import { stopReasons } from '../model/run.ts';
import { nothingSpent, type RunRecord } from '../model/run-record.ts';
import { haltOf, wallDeadline } from './stop.ts';

const base: RunRecord = {
  ...new Story().tasks(task('a')).start().record(),
  settings: settings({ jobs: 1, maxAttempts: 1, wallMs: 100, slotErrors: 1 }),
};

/** A run in which the condition of one reason holds, on top of what held before. */
const makes: Record<string, (run: RunRecord) => RunRecord> = {
  canceled: (run) => ({ ...run, phase: { ...run.phase, id: 'running', stopAsked: 'now' } }),
  'stop-asked': (run) => ({ ...run, phase: { stopAsked: 'finish', ...run.phase, id: 'running' } }),
  'budget-wall': (run) => ({ ...run, startedAt: -1_000_000 }),
  'max-attempts': (run) => ({ ...run, spent: { ...run.spent, starts: 1 } }),
  'slot-errors': (run) => ({ ...run, slots: [{ errors: 1 }] }),
};

describe('the end of a run', () => {
  const reasons = stopReasons.filter((reason) => reason in makes);
  const quiet = { ...base, slots: [{ errors: 0 }], spent: nothingSpent };

  test('does not come while nothing asks for it', () => {
    expect(haltOf(quiet, { now: base.startedAt, hasWorkToStart: true })).toBeUndefined();
  });

  for (const [index, first] of reasons.entries()) {
    for (const second of reasons.slice(index)) {
      test(`is ${first} when ${first} and ${second} hold at once`, () => {
        const run = makes[first]?.(makes[second]?.(quiet) ?? quiet) ?? quiet;
        const halt = haltOf(run, { now: base.startedAt, hasWorkToStart: true });
        expect(halt?.stop.reason).toBe(first);
      });
    }
  }

  test('is hard only when a person or the wall budget ends it', () => {
    const hard = reasons.filter((reason) => {
      const run = makes[reason]?.(quiet) ?? quiet;
      return haltOf(run, { now: base.startedAt, hasWorkToStart: true })?.hard;
    });
    expect(hard).toEqual(['canceled', 'budget-wall']);
  });

  test('is hard when the time is over, although a person has asked it to finish before', () => {
    const run = makes['stop-asked']?.(makes['budget-wall']?.(quiet) ?? quiet) ?? quiet;
    expect(haltOf(run, { now: base.startedAt, hasWorkToStart: true })).toMatchObject({
      stop: { reason: 'stop-asked' },
      hard: true,
    });
  });

  test('does not come from attempts or slots when nothing wants to start', () => {
    const run = makes['max-attempts']?.({ ...quiet, slots: [{ errors: 1 }] }) ?? quiet;
    expect(haltOf(run, { now: base.startedAt, hasWorkToStart: false })).toBeUndefined();
  });

  test('by the wall counts from the resumption', () => {
    expect(wallDeadline({ ...quiet, startedAt: 5 })).toBe(105);
    expect(wallDeadline({ ...quiet, startedAt: 5, resumedAt: 1_000 })).toBe(1_100);
  });
});
