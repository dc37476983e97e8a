// For any events every store answers like the in-memory one, and all match the fold of their logs.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { EventBody } from '../../src/model/event.ts';
import type { Store } from '../../src/port/store.ts';
import { memoryStore } from '../memory/store.ts';
import { need } from '../rig/need.ts';
import { hasPostgres } from '../rig/postgres.ts';
import {
  added,
  built,
  decided,
  failed,
  judged,
  landed,
  red,
  retried,
  started,
  task,
  wish,
  worked,
} from './life.ts';
import { testSchema } from './postgres-project.ts';
import { testProject } from './run-folder.ts';

const ids = ['a', 'b', 'c', 'd', 'e'];
const id = fc.constantFrom(...ids);
const run = fc.constantFrom('r', 's');
const attempt = fc.integer({ min: 1, max: 3 });
const parents = fc.subarray(ids, { maxLength: 2 });

const event: fc.Arbitrary<EventBody> = fc.oneof(
  fc.tuple(id, parents).map(([name, after]) => added(name, after)),
  fc
    .tuple(id, parents)
    .map(([name, after]): EventBody => ({ type: 'task-changed', task: task(name, after) })),
  fc
    .tuple(id, fc.constantFrom('block', 'cancel', 'skip'))
    .map(([name, kind]) => decided(name, kind as 'block')),
  id.map(retried),
  run.map((name) => started(name)),
  fc
    .tuple(run, id, attempt, fc.nat(4))
    .map(([name, of, number, step]) => worked(name, of, number)[step] ?? judged(name, of, number)),
  fc.tuple(run, id, attempt).map(([name, of, number]) => failed(name, of, number)),
  fc.tuple(run, id, attempt).map(([name, of, number]) => failed(name, of, number, red)),
  fc
    .tuple(run, fc.subarray(ids, { minLength: 1, maxLength: 2 }), attempt)
    .map(([name, of, number]) => built(name, of, number)),
  fc
    .tuple(run, fc.subarray(ids, { minLength: 1, maxLength: 2 }), attempt)
    .map(([name, of, number]) => landed(name, of, number)),
);

type Act = (store: Store, at: number) => Promise<unknown>;

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.array(event, { minLength: 1, maxLength: 4 }), fc.option(run, { nil: undefined }))
      .map(
        ([events, writer]): Act =>
          (store, at) =>
            store.append(at, events, writer),
      ),
  },
  {
    weight: 2,
    // Claims and works on an attempt as a run does.
    arbitrary: fc.tuple(run, id, attempt, fc.boolean()).map(
      ([name, of, number, whole]): Act =>
        async (store, at) => {
          const claim = await store.claim(at, wish(name, of, number, at + 3));
          if (!claim.ok || !whole) return claim;
          const rest = [...worked(name, of, number), built(name, [of], number)];
          return [claim, await store.append(at, rest, name)];
        },
    ),
  },
  {
    weight: 1,
    arbitrary: run.map(
      (name): Act =>
        (store, at) =>
          store.renew(name, at + 10),
    ),
  },
);

async function look(store: Store): Promise<unknown> {
  const verdicts = await Promise.all(ids.map((name) => store.verdict(`tree-${name}`, 'gate')));
  return {
    tasks: need(await store.tasks()),
    runs: need(await store.runs(10)),
    status: need(await store.status()),
    events: need(await store.events({})),
    ofRun: need(await store.events({ run: 'r' })),
    attempts: need(await store.attempts({})),
    attemptsOfTask: need(await store.attempts({ task: 'a' })),
    attemptsOfRun: need(await store.attempts({ run: 'r' })),
    liveAttempts: need(await store.attempts({ live: true })),
    steps: need(await store.steps('a')),
    runHistory: need(await store.runHistory('r')),
    queueSteps: need(await store.queueSteps('r')),
    verdicts,
  };
}

/** Replaces each fence by its place among those seen so far: refused claims may leave gaps, but fences always grow. */
function countFences(): (answer: unknown) => unknown {
  const seen: number[] = [];
  return (answer) =>
    JSON.parse(
      JSON.stringify(answer, (key, value) => {
        if (key !== 'fence' || typeof value !== 'number') return value;
        if (value > (seen.at(-1) ?? 0)) seen.push(value);
        return seen.indexOf(value);
      }) ?? 'null',
    );
}

interface Place {
  open(): Promise<Store>;
  end(): Promise<void>;
}

async function compare(begin: () => Promise<Place>, numRuns: number): Promise<void> {
  const acts = fc.array(act, { minLength: 5, maxLength: 25 });
  const property = fc.asyncProperty(acts, async (all) => {
    const place = await begin();
    try {
      const disk = await place.open();
      const memory = memoryStore();
      const [one, other] = [countFences(), countFences()];
      for (const [at, each] of all.entries()) {
        expect(one(await each(disk, at))).toEqual(other(await each(memory, at)));
      }
      expect(one(await look(disk))).toEqual(other(await look(memory)));
      expect(need(await disk.audit())).toEqual([]);
      expect(need(await memory.audit())).toEqual([]);
    } finally {
      await place.end();
    }
  });
  await fc.assert(property, { numRuns });
}

it('answers alike from disk and from memory', () => compare(async () => testProject(), 60));

// reason: the server is not installed everywhere.
it.skipIf(!hasPostgres)('answers alike from Postgres and from memory', () =>
  compare(testSchema, 25),
);
