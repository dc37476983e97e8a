import { describe, expect, it } from 'vitest';
import { MemoryStore } from '../../test/memory/store.ts';
import { owner, settings, task } from '../../test/story.ts';
import type { AttemptFile, RunFile } from '../files/run-file.ts';
import { landingOf } from '../model/commit-message.ts';
import type { EventBody } from '../model/event.ts';
import { eventsFrom, type Facts } from './repair-events.ts';

const runFile = { id: 'r1', startedAt: 10, jobs: 2, target: 'main', base: 'b', agent: 'x' };
const attempt = (id: string, more: Partial<AttemptFile> = {}): AttemptFile => ({
  schema: 1,
  task: id,
  attempt: 1,
  run: 'r1',
  slot: 1,
  agent: 'x',
  branch: `yard/r1/${id}-1`,
  startedAt: 20,
  turns: 1,
  outcome: 'unfinished',
  ...more,
});

function factsOf(attempts: readonly AttemptFile[], more: Partial<Facts> = {}): Facts {
  const run: RunFile = {
    ...runFile,
    schema: 1,
    lastUpdatedAt: 30,
    scope: { kind: 'ready' },
    starts: 1,
    landed: 0,
    restarts: 0,
    paused: {},
  } as unknown as RunFile;
  const tasks = new Map(attempts.map((one) => [one.task, task(one.task)]));
  const told = { runs: [run], attempts, tasks, unreadable: [] };
  return { told, landings: [], branches: new Set(), ...more };
}

/** The states of all tasks after a store with these events was completed from the facts. */
async function completed(facts: Facts, before: readonly EventBody[] = []): Promise<MemoryStore> {
  const store = new MemoryStore();
  if (before.length > 0) await store.append(1, before);
  const tasks = await store.tasks();
  const runs = await store.runs(9);
  if (!(tasks.ok && runs.ok)) throw new Error('The store cannot be read');
  const known = {
    tasks: new Map(tasks.value.map((record) => [record.task.id, record])),
    runs: new Map(runs.value.map((run) => [run.id, run])),
  };
  for (const { at, events } of eventsFrom(facts, known, 99)) await store.append(at, events);
  return store;
}

async function record(store: MemoryStore, id: string) {
  const found = await store.task(id);
  return found.ok ? found.value : undefined;
}

const landing = landingOf(
  'c1',
  ['c0'],
  'Do a\n\nYard-Task: a\nYard-Run: r1\nYard-Attempt: 1\nYard-Agent: x\n',
);

describe('a landing', () => {
  it('is a commit with all trailers of a landing', () => {
    const named = { commit: 'c1', from: 'c0', run: 'r1', attempt: 1, tasks: ['a'], title: 'Do a' };
    expect(landing).toEqual(named);
    expect(landingOf('c1', ['c0'], 'Do a\n\nYard-Task: a\n')).toBeUndefined();
    expect(landingOf('c1', [], 'Merge main')).toBeUndefined();
  });
});

describe('records rebuilt from git and run files', () => {
  it('have the tasks, with their ends, and a run that is over', async () => {
    const failure = { kind: 'interrupted', by: 'x' } as const;
    const facts = factsOf(
      [
        attempt('a', { outcome: 'landed', commit: 'w1' }),
        attempt('b'),
        attempt('c', { outcome: 'failed', failure }),
        attempt('d', { outcome: 'planned' }),
        attempt('e', { outcome: 'delivered', commit: 'w5' }),
      ],
      { landings: landing === undefined ? [] : [landing], branches: new Set(['yard/r1/b-1']) },
    );
    const store = await completed(facts);
    expect(await record(store, 'a')).toMatchObject({ status: { id: 'landed', commit: 'c1' } });
    expect(await record(store, 'b')).toMatchObject({
      status: { id: 'open' },
      attempts: 1,
      attempt: { state: { id: 'failed', kept: 'yard/r1/b-1' } },
    });
    expect(await record(store, 'd')).toMatchObject({ status: { id: 'skipped' } });
    expect(await record(store, 'e')).toMatchObject({ status: { id: 'delivered' } });
    const live = await store.live();
    expect(live.ok && live.value).toEqual([]);
    const run = await store.run('r1');
    expect(run.ok && run.value?.phase).toMatchObject({ id: 'ended', stop: { reason: 'died' } });
    const audit = await store.audit();
    expect(audit.ok && audit.value).toEqual([]);
  });

  it('have landed tasks that only git knows, by the title of their commit', async () => {
    const { told } = factsOf([]);
    const store = await completed({
      told: { ...told, runs: [] },
      landings: landing === undefined ? [] : [landing],
      branches: new Set(),
    });
    expect(await record(store, 'a')).toMatchObject({
      task: { title: 'Do a', body: '' },
      status: { id: 'landed', commit: 'c1', run: 'r1' },
    });
  });
});

describe('variants', () => {
  const ids = ['a.v1', 'a.v2'];
  const variants = new Map(ids.map((id) => [id, task(id, { variantOf: 'a', after: ['z'] })]));
  const told = (...attempts: readonly AttemptFile[]): Facts['told'] => {
    return { ...factsOf(attempts).told, tasks: variants };
  };
  const both = ids.map((id) => attempt(id, { base: 'b7', branch: `yard/r1/${id}-1` }));
  const chosen = landingOf(
    'c1',
    ['c0'],
    'Do a\n\nYard-Task: a.v2\nYard-Task: a\nYard-Run: r1\nYard-Attempt: 1\nYard-Agent: x\n',
  );

  it.each([
    ['of a task that only they tell of', []],
    ['of a task that a restored copy has', [{ type: 'task-added', task: task('a') }]],
  ] as const)('%s are variants again, and a person chooses', async (_what, before) => {
    const branches = new Set(['yard/r1/a.v1-1']);
    const store = await completed({ told: told(...both), landings: [], branches }, before);
    expect(await record(store, 'a')).toMatchObject({
      task: { id: 'a', title: expect.stringMatching(/^Task a/) },
      status: { id: 'open' },
      variants: { ids, base: 'b7', choose: 'person' },
    });
    expect(await record(store, 'a.v1')).toMatchObject({
      task: { variantOf: 'a' },
      status: { id: 'open' },
      attempt: { state: { id: 'failed', kept: 'yard/r1/a.v1-1' } },
    });
    const audit = await store.audit();
    expect(audit.ok && audit.value).toEqual([]);
  });

  it('end with the one that has landed', async () => {
    const superseded = { kind: 'superseded', by: 'a.v2' } as const;
    const [first, second] = ids.map((id) => attempt(id, { outcome: 'failed', commit: 'w' }));
    if (first === undefined || second === undefined || chosen === undefined)
      throw new Error('none');
    const files = [
      { ...first, failure: superseded },
      { ...second, outcome: 'landed' as const },
    ];
    const store = await completed({
      told: told(...files),
      landings: [chosen],
      branches: new Set(),
    });
    expect(await record(store, 'a')).toMatchObject({ status: { id: 'landed' }, variants: { ids } });
    expect(await record(store, 'a.v2')).toMatchObject({ status: { id: 'landed' } });
    expect(await record(store, 'a.v1')).toMatchObject({
      status: { id: 'canceled', failure: { kind: 'superseded', by: 'a' } },
    });
  });
});

describe('a restored copy', () => {
  const before: readonly EventBody[] = [
    { type: 'task-added', task: task('a') },
    { type: 'task-added', task: task('b') },
    { type: 'run-started', run: 'r1', owner, base: 'b', settings: settings() },
    ...['a', 'b'].map((id): EventBody => {
      const branch = `yard/r1/${id}-1`;
      const of = { run: 'r1', id, attempt: 1 };
      return { type: 'attempt-started', ...of, slot: 1, fence: 1, agent: 'x', branch };
    }),
  ];

  it('is completed: what landed since has landed, and nothing is under way', async () => {
    const facts = factsOf([attempt('a', { outcome: 'landed', commit: 'w1' })], {
      landings: landing === undefined ? [] : [landing],
    });
    const store = await completed(facts, before);
    expect(await record(store, 'a')).toMatchObject({
      status: { id: 'landed' },
      attempts: 1,
      attempt: { state: { id: 'landed' } },
    });
    expect(await record(store, 'b')).toMatchObject({ attempt: { state: { id: 'failed' } } });
    const run = await store.run('r1');
    expect(run.ok && run.value?.phase.id).toBe('ended');
  });

  it('knows attempts that began after it was made', async () => {
    const facts = factsOf([attempt('a'), attempt('a', { attempt: 2, branch: 'yard/r1/a-2' })]);
    const store = await completed(facts, before);
    expect(await record(store, 'a')).toMatchObject({ attempts: 2, attempt: { number: 2 } });
  });

  it('is unchanged by facts that it knows', async () => {
    const facts = factsOf([attempt('a')]);
    const once = await completed(facts, before);
    const events = await once.events({});
    if (!events.ok) throw new Error('The log cannot be read');
    const twice = await completed(facts, events.value);
    const again = await twice.events({});
    expect(again.ok && again.value.length).toBe(events.value.length);
  });
});
