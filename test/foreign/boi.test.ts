import { describe, expect, it } from 'vitest';
import { type BoiTables, boiRun, boiSpecs } from '../../src/foreign/boi.ts';
import { boiFirst, noTables, phase } from './samples.ts';

const read = (tables: Partial<BoiTables> = {}) =>
  boiRun('boi.db', 'q-7', { ...boiFirst, ...tables });
/** The spec of the sample with other fields. */
const withSpec = (fields: object) =>
  read({ specs: boiFirst.specs.map((row) => ({ ...row, ...fields })) });

const second: BoiTables = {
  ...noTables,
  specs: [{ id: 'S01', title: 'New' }],
  spec_runtime: [{ spec_id: 'S01', status: 'canceled', started_at: '2026-06-01 10:00:00' }],
  task_runtime: [
    { task_id: 'T1', spec_id: 'S01', state: 'passed', blocked_reason: null },
    {
      task_id: 'T2',
      spec_id: 'S01',
      state: 'blocked',
      blocked_reason: '{"type":"merge_conflict","conflict_files":["a.ts"]}',
    },
    { task_id: 'T3', spec_id: 'other', state: 'passed', blocked_reason: null },
  ],
  task_deps: [{ task_id: 'T2', depends_on: 'T1' }],
  phase_runs: [
    {
      id: 'P1',
      spec_id: 'S01',
      task_id: 'T1',
      phase: 'execute',
      provider: 'claude_code',
      worker_id: '77',
      synopsis: 'did it',
      verdict: '{"synopsis":"did it","outcome":"passing"}',
      started_at: '2026-06-01 10:00:01',
      completed_at: '2026-06-01 10:00:31',
      tokens_in: 10,
      tokens_out: 5,
    },
    {
      id: 'P2',
      spec_id: 'S01',
      task_id: 'T2',
      phase: 'execute',
      verdict: null,
      started_at: '2026-06-01 10:01:00',
    },
  ],
};

describe('a spec of the first boi', () => {
  it('is a run with a turn for each phase', () => {
    const run = read();
    expect(run.problems).toEqual([]);
    expect(run).toMatchObject({
      tool: 'boi',
      id: 'q-7',
      title: 'Add a search box',
      stop: 'failed',
      stopNote: 'VerifyFailed: task t-2, exit_code 1, stderr_excerpt assertion failed',
      lanes: [{ id: 'w-1' }],
    });
    expect(run.turns).toMatchObject([
      {
        task: 't-1',
        phase: 'execute',
        outcome: 'done',
        model: 'sonnet',
        agent: 'claude',
        ms: 90_000,
      },
      { task: 't-2', phase: 'execute', outcome: 'rejected', word: 'redo' },
      { task: 't-2', phase: 'verify', outcome: 'error', word: 'fail' },
    ]);
    expect(run.turns[0]?.usage).toEqual({
      input: 500,
      output: 40,
      cacheRead: 0,
      cacheWrite: 0,
      costUsd: 0.25,
    });
  });

  it('has its tasks with their dependencies and reasons', () => {
    expect(read().tasks).toEqual([
      { id: 't-1', title: 'Index', state: 'DONE', after: [] },
      {
        id: 't-2',
        title: 'Box',
        state: 'FAILED',
        after: ['t-1'],
        note: 'plain words of an old version',
      },
    ]);
  });

  it.each(['running', 'queued', 'assigning', 'paused'])('has no end while it is %s', (status) => {
    const run = withSpec({ status, completed_at: null, error: null });
    expect(run).not.toHaveProperty('stop');
    expect(run).not.toHaveProperty('endedAt');
    expect(run).not.toHaveProperty('stopNote');
  });

  it('shows a phase without an end as canceled if the spec was, else as incomplete', () => {
    const open = phase('t-1', 'execute', 'running', { completed_at: null });
    const turn = (status: string) =>
      read({
        specs: boiFirst.specs.map((row) => ({ ...row, status })),
        phase_runs: [open],
      }).turns[0];
    expect(turn('cancelled')).toMatchObject({ outcome: 'canceled' });
    expect(turn('running')).toMatchObject({ outcome: 'incomplete', note: 'no end recorded' });
  });

  it('is read from its iterations if the database has no phases yet', () => {
    const times = { started_at: '2026-04-29T16:00:00Z', ended_at: '2026-04-29T16:01:00Z' };
    const row = { spec_id: 'q-7', phase: 'execute', worker_id: 'w-2' };
    const run = read({
      phase_runs: [],
      iterations: [
        { ...row, iteration: 1, ...times, exit_code: 0 },
        { ...row, iteration: 2, ...times, exit_code: 137 },
        { ...row, iteration: 3, ...times, exit_code: null },
        {
          ...row,
          iteration: 4,
          started_at: '2026-04-29T16:05:00Z',
          ended_at: null,
          exit_code: null,
        },
      ],
    });
    expect(run.turns.map(({ outcome, word }) => [outcome, word])).toEqual([
      ['done', 'exit 0'],
      ['error', 'exit 137'],
      ['unknown', undefined],
      ['incomplete', undefined],
    ]);
    expect(run.turns[0]).toMatchObject({ lane: 'w-2', ms: 60_000 });
  });

  it.each([
    ['plain text', 'no such model', 'no such model'],
    [
      'a tagged reason',
      '{"kind":"Timeout","phase":"execute","secs":1800}',
      'Timeout: phase execute, secs 1800',
    ],
    [
      'a reason with a key',
      '{"ProviderRateLimit":{"provider":"x","retry_after_s":null}}',
      'ProviderRateLimit: provider x',
    ],
    ['a list', '[1]', '[1]'],
    ['an empty map', '{}', undefined],
  ])('explains a stored error: %s', (_, error, expected) => {
    expect(withSpec({ error }).stopNote).toBe(expected);
  });

  it('leaves out a row that does not fit, and names it', () => {
    const run = read({
      phase_runs: [...boiFirst.phase_runs, phase('t-1', 'x', 'passed', { started_at: 5 })],
    });
    expect(run.turns).toHaveLength(3);
    expect(run.problems).toEqual([
      {
        file: 'boi.db',
        problem: 'row 4 of the table phase_runs cannot be read: "started_at" is not a text',
      },
    ]);
  });

  it('is a run even if its own row does not fit', () => {
    expect(withSpec({ title: 7 })).toMatchObject({ id: 'q-7', problems: [{ file: 'boi.db' }] });
  });
});

describe('a spec of the second boi', () => {
  it('is a run with its tasks, phases and verdicts', () => {
    const run = boiRun('boi.db', 'S01', second);
    expect(run.problems).toEqual([]);
    expect(run).toMatchObject({ id: 'S01', title: 'New', stop: 'canceled' });
    expect(run.turns).toMatchObject([
      {
        lane: '77',
        task: 'T1',
        outcome: 'done',
        ms: 30_000,
        usage: { input: 10, output: 5 },
        note: 'did it',
      },
      { lane: 'boi', task: 'T2', outcome: 'canceled' },
    ]);
    expect(run.tasks).toEqual([
      { id: 'T1', state: 'passed', after: [] },
      { id: 'T2', state: 'blocked', after: ['T1'], note: 'merge_conflict' },
    ]);
  });

  it.each([
    ['{"outcome":{"type":"redo"}}', 'rejected'],
    ['{"outcome":{"Blocked":{"why":"x"}}}', 'error'],
    ['{"outcome":7}', 'unknown'],
    ['no json', 'unknown'],
  ])('has the outcome of the verdict %s', (verdict, outcome) => {
    const rows = second.phase_runs.slice(0, 1).map((row) => ({ ...row, verdict }));
    const run = boiRun('boi.db', 'S01', { ...second, phase_runs: rows });
    expect(run.turns).toMatchObject([{ outcome }]);
  });
});

it('lists each spec once, of either generation', () => {
  expect(boiSpecs(second)).toEqual(['S01']);
  expect(boiSpecs({ ...boiFirst, spec_runtime: second.spec_runtime })).toEqual(['q-7', 'S01']);
});
