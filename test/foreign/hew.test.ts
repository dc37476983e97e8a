import { describe, expect, it } from 'vitest';
import { hewRun } from '../../src/foreign/hew.ts';
import type { ForeignRun } from '../../src/model/foreign-run.ts';
import { filesOf, hewOld, hewParallel, hewRunFile, hewSerial, iteration } from './samples.ts';

const read = (entries: Readonly<Record<string, unknown>>): ForeignRun =>
  hewRun('loop-folder', filesOf(entries));
/** A run with one iteration and these fields. */
const one = (fields: object, run: object = {}) =>
  read({
    'run.json': { ...hewRunFile, iter_count: 1, ...run },
    'iter-001.json': iteration(1, 'hew-a', fields),
  });
const verified = (verify_outcome: unknown) => one({}, { verify_outcome });

describe('a run of hew with one worker', () => {
  it('has its times, its stop reason and a turn for each iteration', () => {
    const run = read(hewSerial);
    expect(run).toMatchObject({
      tool: 'hew',
      id: 'loop-20260530T120000Z-0a1b2c3d',
      startedAt: Date.UTC(2026, 4, 30, 12),
      endedAt: Date.UTC(2026, 4, 30, 12, 20),
      stop: 'ready_empty',
      lanes: [{ id: 'worker', stop: 'ready_empty' }],
      notes: [],
      problems: [],
    });
    expect(run.turns).toMatchObject([
      { lane: 'worker', number: 1, task: 'hew-aaa', outcome: 'done', word: 'closed', ms: 60_000 },
      { lane: 'worker', number: 2, task: 'hew-bbb', agent: 'claude' },
    ]);
    expect(run.turns[0]).toMatchObject({
      model: 'opus',
      usage: { input: 1000, output: 200, cacheRead: 3000, cacheWrite: 100 },
    });
    expect(run.turns[1]).not.toHaveProperty('model');
  });

  it('is read from the files of old versions, whose figures stay unknown', () => {
    const run = read(hewOld);
    expect(run.problems).toEqual([]);
    expect(run).toMatchObject({ id: 'loop-old', stop: 'max_iter' });
    expect(run.turns).toHaveLength(1);
    for (const key of ['agent', 'model', 'batch']) expect(run.turns[0]).not.toHaveProperty(key);
    for (const key of ['verified', 'batches', 'plannerUsage']) expect(run).not.toHaveProperty(key);
  });

  it('has no end while its run.json names no stop reason', () => {
    const run = one({}, { stop_reason: null });
    expect(run).not.toHaveProperty('stop');
    expect(run).not.toHaveProperty('endedAt');
  });

  it('is read from its iterations alone if run.json is missing', () => {
    const run = read({ 'iter-001.json': iteration(1, 'hew-a') });
    expect(run).toMatchObject({ id: 'loop-folder', startedAt: Date.UTC(2026, 4, 30, 12, 2) });
    expect(run.turns).toHaveLength(1);
  });

  it('is empty right after its start', () => {
    expect(read({})).toMatchObject({ id: 'loop-folder', turns: [], problems: [], notes: [] });
  });

  it('says how many iterations are missing', () => {
    const run = read({
      'run.json': { ...hewRunFile, iter_count: 5 },
      'iter-001.json': iteration(1, 'a'),
    });
    expect(run.notes).toEqual(['The run counts 5 iterations, but 1 could be read.']);
  });

  it('counts tokens as unknown where hew wrote only zeros', () => {
    const run = one({ cost: { input: 0, output: 0, cache_read: 0, cache_create: 0 } });
    expect(run.turns[0]).not.toHaveProperty('usage');
  });
});

describe('an iteration of hew', () => {
  it.each([
    ['closed', {}, { outcome: 'done' }],
    ['left open', { outcome: 'no_close' }, { outcome: 'no-result', word: 'no_close' }],
    [
      'with a red gate',
      { outcome: 'backpressure_fail', stderr_tail: '\n  2 tests failed\nmore' },
      { outcome: 'rolled-back', note: '2 tests failed' },
    ],
    [
      'with an error',
      { outcome: 'runtime_error', stderr_tail: 'HTTP 500' },
      { outcome: 'error', note: 'HTTP 500' },
    ],
    [
      'with an error and no stderr',
      { outcome: 'runtime_error', stderr_tail: ' \n' },
      { outcome: 'hung', note: 'no stderr, possibly hung' },
    ],
    [
      'without an end',
      { outcome: null, ended_at: null },
      { outcome: 'incomplete', note: 'no end recorded' },
    ],
    [
      'with a word of a later version',
      { outcome: 'teleported' },
      { outcome: 'unknown', word: 'teleported' },
    ],
    ['with a word that objects have', { outcome: 'constructor' }, { outcome: 'unknown' }],
  ])('%s', (_, fields, expected) => {
    expect(one(fields).turns[0]).toMatchObject(expected);
  });

  it.each(['cancelled', 'stop_file'])(
    'without an end is canceled if the run was: %s',
    (stop_reason) => {
      const run = one({ outcome: null, ended_at: null }, { stop_reason });
      expect(run.turns[0]).toMatchObject({ outcome: 'canceled' });
      expect(run.stop).toBe(stop_reason);
    },
  );
});

describe('a run of hew with several workers', () => {
  it('has a lane for each worker, with its own stop reason', () => {
    const run = read(hewParallel);
    expect(run.problems).toEqual([]);
    expect(run.lanes).toEqual([
      { id: 'worker-0', stop: 'ready_empty' },
      { id: 'worker-1', stop: 'budget_wall' },
    ]);
    expect(run).toMatchObject({ id: 'loop-parallel', endedAt: Date.UTC(2026, 4, 30, 12, 30) });
    expect(run.turns.map(({ lane, number }) => `${lane} ${number}`).sort()).toEqual([
      'worker-0 1',
      'worker-0 2',
      'worker-1 1',
      'worker-1 2',
    ]);
  });

  it('knows what chose the task of a turn, and what the planner used', () => {
    const run = read(hewParallel);
    expect(run.batches).toEqual({ agent: 0, planner: 1, skipped: 1 });
    expect(run.plannerUsage).toMatchObject({ input: 700, output: 50 });
    const chosen = run.turns.filter(({ batch }) => batch !== undefined);
    expect(chosen).toMatchObject([{ task: 'hew-ccc', batch: 'planner' }]);
  });

  it('was killed or goes on if it has no manifest', () => {
    const { 'manifest.json': _, 'run.json': _run, ...rest } = hewParallel;
    const run = read(rest);
    expect(run).not.toHaveProperty('stop');
    expect(run.lanes.map(({ id }) => id)).toEqual(['worker-0', 'worker-1']);
    expect(run.notes).toEqual([
      'There is no manifest.json: the run goes on, or it was killed before its end.',
    ]);
  });

  it('says which worker has fewer files than the manifest counts', () => {
    const { 'worker-1/iter-002.json': _, ...rest } = hewParallel;
    expect(read(rest).notes).toEqual([
      'The run counts 2 iterations of worker-1, but 1 could be read.',
    ]);
  });
});

describe('the verification of hew', () => {
  it.each([
    [
      { kind: 'passed', command: 'just test', duration_secs: 3 },
      { kind: 'passed', command: 'just test', ms: 3000 },
    ],
    [
      {
        kind: 'failed',
        command: 'x',
        exit_code: -1,
        duration_secs: 0,
        stderr_tail: 'spawn failed',
      },
      { kind: 'failed', command: 'x', exit: -1, ms: 0, tail: 'spawn failed' },
    ],
    [
      { kind: 'skipped', reason: 'no_command_resolved' },
      { kind: 'skipped', reason: 'no_command_resolved' },
    ],
    [
      { kind: 'timed_out', command: 'x', budget_secs: 600 },
      { kind: 'timed-out', command: 'x', budgetMs: 600_000 },
    ],
  ])('is read: %j', (stored, expected) => {
    expect(verified(stored).verified).toEqual(expected);
  });
});

describe('a file of hew that cannot be read', () => {
  it.each([
    ['cut off', '{\n  "number": 1,\n  "task', { line: 3, problem: 'the JSON ends too early' }],
    ['not JSON', 'key = 1', { line: 1, problem: /cannot be read at "key = 1"/ }],
    ['a list', '[]', { problem: /^the file is an empty list/ }],
    [
      'without its number',
      JSON.stringify({ started_at: '2026-05-30T12:00:00Z' }, undefined, 1),
      { problem: '"number" is missing; expected a whole number' },
    ],
    [
      'with a time that is none',
      '{\n "number": 1,\n "started_at": "yesterday"\n}',
      { line: 3, problem: /"started_at" is "yesterday"; expected a time such as/ },
    ],
    [
      'with a negative number',
      '{"number": -1, "started_at": "2026-05-30T12:00:00Z"}',
      { problem: '"number" is -1; expected a whole number' },
    ],
  ])('is left out with its name and line: %s', (_, text, { problem, ...place }) => {
    const run = read({ ...hewSerial, 'iter-002.json': text });
    expect(run.turns).toHaveLength(1);
    expect(run.problems[0]).toMatchObject({ file: 'iter-002.json', ...place });
    expect(run.problems[0]?.problem).toMatch(problem);
    expect(run.notes).toEqual(['The run counts 2 iterations, but 1 could be read.']);
  });

  it('is a batch of another schema version', () => {
    const batch = { schema_version: 99, iter_number: 1, task_ids: [], source: 'agent' };
    const run = read({ ...hewSerial, 'batch-001.json': batch });
    expect(run.problems).toMatchObject([{ file: 'batch-001.json', line: 2 }]);
    expect(run.problems[0]?.problem).toBe(
      '"schema_version" is 99; expected 1, the only version that is known here',
    );
    expect(run).not.toHaveProperty('batches');
  });
});
