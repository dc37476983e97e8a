import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyEvent } from '../../test/any-event.ts';
import { MemoryStore } from '../../test/memory/store.ts';
import { need } from '../../test/rig/need.ts';
import { task } from '../../test/story.ts';
import { type Event, type EventBody, runOf, tasksOf } from '../model/event.ts';
import { limits } from '../model/limits.ts';
import type { QueueStep } from '../model/queue-history.ts';
import { fold } from '../plan/fold.ts';
import { State } from '../plan/state.ts';
import type { EventFilter } from '../port/store.ts';
import { momentAt, queueStepsAt, recordsAt, stepsOnce, stepsUpTo } from './moment.ts';
import type { RunStep } from './run-steps.ts';

async function storeOf(bodies: readonly EventBody[]) {
  const store = new MemoryStore();
  await store.append(1, bodies);
  const read: EventFilter[] = [];
  const log = {
    lastSeq: () => store.lastSeq(),
    events: (filter: EventFilter) => {
      read.push(filter);
      return store.events(filter);
    },
  };
  return { store, log, read };
}

async function folded(
  store: MemoryStore,
  seq: number,
  onQueueStep?: (run: string, step: QueueStep) => void,
): Promise<State> {
  const state = new State(undefined, onQueueStep);
  const events = await store.events({ limit: seq });
  for (const event of events.ok ? events.value : []) fold(state, event);
  return state;
}

function recordsOf({ tasks, runs, attempts, runHistories, ready, live }: State) {
  return { tasks, runs, attempts, runHistories, live, ready: [...ready.ids()].sort() };
}

/** Records of the tasks and the run of an event. */
function factsOf(event: Event, { task, run }: RunStep['records']) {
  return [...tasksOf(event).map(task), run(runOf(event) ?? '')];
}

describe('a moment of the past', () => {
  test('is the fold of the log up to an event, in whatever order moments are asked for', async () => {
    const bodies = fc.sample(anyEvent, { numRuns: 1_700, seed: 7 });
    const { store, log } = await storeOf(bodies);
    for (const seq of [1_600, 3, 501, 500, 1_100, 0, 1_700]) {
      const moment = await momentAt(log, seq);
      expect(moment.ok && moment.value.seq).toBe(seq);
      expect(moment.ok && recordsOf(moment.value.state)).toEqual(
        recordsOf(await folded(store, seq)),
      );
    }
  });

  test('is not changed by later questions', async () => {
    const { log } = await storeOf([{ type: 'task-added', task: task('a') }]);
    const first = await momentAt(log, 0);
    await momentAt(log, 1);
    expect(first.ok && first.value.state.tasks.size).toBe(0);
  });

  test('beyond the newest event is the newest one', async () => {
    const { store, log } = await storeOf([{ type: 'task-added', task: task('a') }]);
    expect(await momentAt(log, 99)).toMatchObject({ ok: true, value: { seq: 1, at: 1 } });
    await store.append(5, [{ type: 'task-added', task: task('b') }]);
    expect(await momentAt(log, 99)).toMatchObject({ ok: true, value: { seq: 2, at: 5 } });
  });

  test('reads few events once the log was read, however long it is', async () => {
    const bodies = Array.from({ length: limits.momentEvents * 12 }, (_, index) => {
      return { type: 'task-added', task: task(`t${index}`) } as const;
    });
    const { log, read } = await storeOf(bodies);
    await momentAt(log, bodies.length);
    read.length = 0;
    await momentAt(log, 2_345);
    expect(read).toEqual([{ after: 2_250, limit: 95 }]);
  });

  test('has the records of tasks and attempts, and the last steps of its run', async () => {
    const bodies = fc.sample(anyEvent, { numRuns: 300, seed: 9 });
    const { store, log } = await storeOf(bodies);
    const moment = need(await momentAt(log, 250));
    const queued: QueueStep[] = [];
    const state = await folded(store, 250, (run, step) => {
      if (run === 'r1') queued.push(step);
    });
    const records = recordsAt(store, moment);
    expect(await records.ids('tasks')).toEqual({ ok: true, value: [...state.tasks.keys()] });
    for (const [id, record] of state.tasks) {
      expect(await records.task(id)).toEqual({ ok: true, value: record });
      const attempts = [...state.attempts.values()].filter(({ task: of }) => of === id);
      expect(await records.attempts({ task: id })).toEqual({ ok: true, value: attempts });
    }
    // All events have the same time, so only their order tells what is past.
    const seen = state.takeSteps();
    for (const id of state.tasks.keys()) {
      const past = seen.flatMap(([of, step]) => (of === id ? [step] : []));
      expect(await records.steps(id)).toEqual({ ok: true, value: past });
    }
    const queue = await queueStepsAt(store, moment, 'r1');
    expect(queue).toEqual({ ok: true, value: queued });
    const flaked = await records.flakes(0);
    expect(flaked.ok && flaked.value.map(({ seq }) => seq)).toEqual(
      bodies.slice(0, 250).flatMap(({ type }, at) => (type === 'check-flaked' ? [at + 1] : [])),
    );
    const steps = await stepsUpTo(log, { seq: 250, run: 'r1', count: 40 });
    const seqs = steps.ok ? steps.value.map(({ event }) => event.seq) : [];
    expect(seqs.length).toBeGreaterThan(0);
    expect(seqs.every((seq) => seq > 210 && seq <= 250)).toBe(true);
  });

  test('has the same last steps for a caller that asks once, who may give up', async () => {
    const { log, read } = await storeOf(fc.sample(anyEvent, { numRuns: 900, seed: 9 }));
    const request = { seq: 880, run: 'r1', count: 40 };
    const kept = await stepsUpTo(log, request);
    const signal = new AbortController();
    const once = await stepsOnce(log, request, signal.signal);
    const shown = (steps: typeof once) =>
      steps.ok ? steps.value.map(({ event, records }) => [event, factsOf(event, records)]) : [];
    expect(shown(once).length).toBeGreaterThan(0);
    expect(shown(once)).toEqual(shown(kept));
    signal.abort();
    read.length = 0;
    expect(await stepsOnce(log, request, signal.signal)).toEqual({ ok: true, value: [] });
    expect(read).toEqual([]);
  });
});
