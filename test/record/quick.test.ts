// Reads that do not open the whole store.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventBody } from '../../src/model/event.ts';
import { readIds, readStatus } from '../../src/record/quick.ts';
import { added, decided, good, started, wish, worked } from './life.ts';
import { type TestProject, testProject } from './run-folder.ts';

let place: TestProject;
beforeEach(() => {
  place = testProject();
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

describe('The short status', () => {
  it('contains active and troubled tasks, the newest run and the counts', async () => {
    const store = await place.open();
    const ids = Array.from({ length: 25 }, (_, index) => `stuck${index}`);
    good(await store.append(1, [...['a', 'b', 'c'].map((id) => added(id)), started('old')]));
    good(await store.append(2, [started('r'), ...ids.map((id) => added(id))]));
    good(
      await store.append(2, [
        added('behind', ['stuck3']),
        ...ids.map((id) => decided(id, 'block')),
      ]),
    );
    good(await store.append(2, [decided('c', 'cancel')]));
    for (const id of ['a', 'b']) good(await store.claim(3, wish('r', id)));
    good(await store.append(4, worked('r', 'b').slice(0, 4), 'r'));
    const returned = {
      type: 'branch-judged',
      run: 'r',
      id: 'b',
      attempt: 1,
      tree: 'tree-b',
      gate: 'gate',
      verdict: { id: 'failed', ms: 1, failure: { kind: 'other', message: 'red' } },
      cached: false,
    } as const;
    good(await store.append(5, [returned], 'r'));
    const status = good(readStatus(place.file));
    expect(status.counts).toEqual(good(await store.counts()));
    expect(status.counts).toEqual({ working: 1, ready: 1, cancelled: 1, blocked: 26 });
    expect(status.blocked).toEqual([
      ['blocked-by-person', 25],
      ['parent-stuck', 1],
    ]);
    expect(status.run?.id).toBe('r');
    expect(status.active.map((each) => each.task.id)).toEqual(['a', 'b']);
    expect(status.troubled.map((each) => each.task.id)).toEqual(ids.slice(0, 20));
    expect(status.lastSeq).toBe(good(await store.lastSeq()));
  });
});

describe('The short status of a run with named tasks', () => {
  it('counts those, and the number of others', async () => {
    const store = await place.open();
    const run = started('r') as Extract<EventBody, { type: 'run-started' }>;
    const settings = { ...run.settings, scope: { kind: 'only', tasks: ['a', 'c'] } } as const;
    const tasks = [added('a'), added('b'), added('c', ['b']), added('d')];
    good(await store.append(1, [...tasks, { ...run, settings }]));
    const { counts, outside } = good(readStatus(place.file));
    expect({ counts, outside }).toEqual({ counts: { ready: 1, open: 1 }, outside: 2 });
  });
});
