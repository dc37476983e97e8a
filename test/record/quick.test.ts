// What short commands read from a store without opening all of it.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventBody } from '../../src/model/event.ts';
import { readIds, readStatus } from '../../src/record/quick.ts';
import { added, good, started } from './life.ts';
import { type Yard, yard } from './yard.ts';

let place: Yard;
beforeEach(() => {
  place = yard();
});
afterEach(() => place.end());

describe('The ids that a shell completes', () => {
  it('are those of tasks in order of arrival, and of runs with the newest first', async () => {
    expect(good(readIds(place.file, 'tasks'))).toEqual([]);
    const store = await place.open();
    good(await store.append(1, [added('b'), added('a'), started('first')]));
    good(await store.append(2, [started('second')]));
    expect(good(readIds(place.file, 'tasks'))).toEqual(['b', 'a']);
    expect(good(readIds(place.file, 'runs'))).toEqual(['second', 'first']);
  });
});

describe('The short status of a run with named tasks', () => {
  it('counts those, and says how many others there are', async () => {
    const store = await place.open();
    const run = started('r') as Extract<EventBody, { type: 'run-started' }>;
    const settings = { ...run.settings, scope: { kind: 'only', tasks: ['a', 'c'] } } as const;
    const tasks = [added('a'), added('b'), added('c', ['b']), added('d')];
    good(await store.append(1, [...tasks, { ...run, settings }]));
    const { counts, outside } = good(readStatus(place.file));
    expect({ counts, outside }).toEqual({ counts: { ready: 1, open: 1 }, outside: 2 });
  });
});
