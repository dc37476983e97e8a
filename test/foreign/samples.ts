import type { BoiTables } from '../../src/foreign/boi.ts';
import type { ForeignFile } from '../../src/foreign/record.ts';

// Run folders of hew, boi and oompa, with the field names and words that these programs write.

/** Files from names and values; a string is written as it is. */
export function filesOf(entries: Readonly<Record<string, unknown>>): ForeignFile[] {
  return Object.entries(entries)
    .map(([name, value]) => ({
      name,
      text: typeof value === 'string' ? value : JSON.stringify(value, undefined, 2),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

const minute = (at: number) => `2026-05-30T12:${String(at).padStart(2, '0')}:00Z`;

/** One iteration of hew, as its newest version writes it. */
export function iteration(number: number, task: string | null, fields: object = {}): object {
  return {
    number,
    task_id: task,
    started_at: minute(number * 2),
    ended_at: minute(number * 2 + 1),
    outcome: 'closed',
    prompt_prefix_hash: 'abc1',
    cost: { input: 1000, output: 200, cache_read: 3000, cache_create: 100 },
    decisions: [],
    deferred: [],
    tool_calls: [],
    stderr_tail: null,
    symbols_touched: [],
    runtime_used: 'claude',
    cooldown_engaged: false,
    model: null,
    ...fields,
  };
}

export const hewRunFile = {
  id: 'loop-20260530T120000Z-0a1b2c3d',
  started_at: minute(0),
  last_updated_at: minute(20),
  iter_count: 2,
  cumulative_tokens: 8600,
  stop_reason: 'ready_empty',
  max_iter: null,
  strict: true,
  interactive: false,
  scope: { kind: 'ready' },
};

export const hewSerial = {
  'run.json': hewRunFile,
  'iter-001.json': iteration(1, 'hew-aaa', { model: 'opus' }),
  'iter-002.json': iteration(2, 'hew-bbb'),
};

/** Files of a run before models, scopes, runtimes and verification were recorded. */
export const hewOld = {
  'run.json': {
    id: 'loop-old',
    started_at: minute(0),
    last_updated_at: minute(3),
    iter_count: 1,
    cumulative_tokens: 1500,
    stop_reason: 'max_iter',
    max_iter: 1,
    strict: true,
    interactive: false,
  },
  'iter-001.json': {
    number: 1,
    task_id: 'hew-old',
    started_at: minute(1),
    ended_at: minute(2),
    outcome: 'closed',
    prompt_prefix_hash: null,
    cost: { input: 1000, output: 500, cache_read: 0, cache_create: 0 },
    research_spent: { web: 0 },
    decisions: [],
    deferred: [],
    tool_calls: [],
    stderr_tail: null,
  },
};

export const hewParallel = {
  'manifest.json': {
    run_id: 'loop-parallel',
    jobs: 2,
    started_at: minute(0),
    completed_at: minute(30),
    workers: [
      {
        id: 0,
        branch: 'loop/loop-parallel/w0',
        log_subdir: 'worker-0',
        iter_count: 2,
        cumulative_tokens: 8600,
        stop_reason: 'ready_empty',
      },
      {
        id: 1,
        branch: 'loop/loop-parallel/w1',
        log_subdir: 'worker-1',
        iter_count: 2,
        cumulative_tokens: 4300,
        stop_reason: 'budget_wall',
      },
    ],
  },
  'run.json': {
    ...hewRunFile,
    id: 'loop-parallel',
    verify_outcome: {
      kind: 'failed',
      command: 'cargo test',
      exit_code: 101,
      duration_secs: 22,
      stderr_tail: 'error: test merge_back failed\nerror: test gate failed\n',
    },
  },
  'batch-002.json': {
    schema_version: 1,
    iter_number: 2,
    task_ids: ['hew-ccc', 'hew-ddd'],
    source: 'planner',
    created_at: minute(3),
    planner_tokens: { input: 700, output: 50, cache_read: 0, cache_create: 0 },
  },
  'batch-003.json': {
    schema_version: 1,
    iter_number: 3,
    task_ids: [],
    source: 'skipped',
    reason: 'budget_exceeded',
    created_at: minute(5),
  },
  'worker-0/iter-001.json': iteration(1, 'hew-aaa'),
  'worker-0/iter-002.json': iteration(2, 'hew-ccc'),
  'worker-1/iter-001.json': iteration(1, 'hew-bbb', {
    outcome: 'backpressure_fail',
    stderr_tail: '\n2 tests failed\nmore',
  }),
  'worker-1/iter-002.json': iteration(2, 'hew-bbb', { outcome: 'no_close' }),
};

/** A cycle of oompa. */
export function cycle(
  worker: string,
  number: number,
  outcome: string,
  fields: object = {},
): object {
  return {
    'worker-id': worker,
    cycle: number,
    outcome,
    timestamp: `2026-02-16T10:${String(number).padStart(2, '0')}:30.123456Z`,
    'duration-ms': 30_000,
    'claimed-task-ids': [],
    'recycled-tasks': [],
    'error-snippet': null,
    'review-rounds': 0,
    'session-id': 'b3a4',
    ...fields,
  };
}

export const oompaRunFiles = {
  'started.json': {
    'swarm-id': '8f00ba12',
    'started-at': '2026-02-16T10:00:00Z',
    pid: 4242,
    'config-file': 'oompa.json',
    workers: [
      { id: 'w0', harness: 'claude', model: 'opus', reasoning: null, iterations: 5, prompts: [] },
      { id: 'w1', harness: 'codex', model: 'gpt-5', reasoning: 'high', iterations: 5, prompts: [] },
    ],
    planner: null,
    reviewer: null,
  },
  'stopped.json': {
    'swarm-id': '8f00ba12',
    'stopped-at': '2026-02-16T10:20:00Z',
    reason: 'completed',
    error: null,
  },
  'cycles/w0-c1.json': cycle('w0', 1, 'claimed', { 'claimed-task-ids': ['t-1', 't-2'] }),
  'cycles/w0-c2.json': cycle('w0', 2, 'merged', {
    'claimed-task-ids': ['t-1', 't-2'],
    'review-rounds': 2,
  }),
  'cycles/w1-c1.json': cycle('w1', 1, 'error', { 'error-snippet': 'HTTP 429\nslow down' }),
  'cycles/w1-c2.json': cycle('w1', 2, 'merge-failed', { 'claimed-task-ids': ['t-3'] }),
  'reviews/w0-c2-r1.json': {
    'worker-id': 'w0',
    cycle: 2,
    round: 1,
    verdict: 'needs-changes',
    timestamp: '2026-02-16T10:02:00Z',
    output: 'No.',
    'diff-files': ['a.ts'],
  },
};

/** Before 0.7.1: other names, and a summary that is written at the end. */
export const oompaOld = {
  'run.json': {
    'swarm-id': 'old1',
    'started-at': '2026-01-05T08:00:00Z',
    'config-file': 'oompa.json',
    workers: [{ id: 'w0', harness: 'codex', model: 'gpt-5', iterations: 3, prompts: [] }],
  },
  'summary.json': {
    'swarm-id': 'old1',
    'finished-at': '2026-01-05T08:30:00Z',
    'total-workers': 1,
    workers: [{ id: 'w0', harness: 'codex', model: 'gpt-5', status: 'exhausted', merges: 1 }],
  },
  'live-summary.json': { workers: [] },
  'iterations/w0-i1.json': {
    'worker-id': 'w0',
    iteration: 1,
    outcome: 'merged',
    timestamp: '2026-01-05T08:10:00Z',
    'duration-ms': 60_000,
    'task-id': 't-9',
    'recycled-tasks': [],
    'error-snippet': null,
    'review-rounds': 1,
    metrics: null,
  },
};

export const noTables: BoiTables = {
  specs: [],
  spec_runtime: [],
  tasks: [],
  task_runtime: [],
  task_deps: [],
  phase_runs: [],
  iterations: [],
};

/** A phase of boi's first generation. */
export function phase(task: string | null, name: string, outcome: string, fields: object = {}) {
  return {
    id: 1,
    spec_id: 'q-7',
    task_id: task,
    phase: name,
    level: task === null ? 'spec' : 'task',
    outcome,
    duration_ms: 90_000,
    cost_usd: 0.25,
    input_tokens: 500,
    output_tokens: 40,
    started_at: '2026-04-29T16:00:00+00:00',
    completed_at: '2026-04-29T16:01:30+00:00',
    ...fields,
  };
}

export const boiFirst: BoiTables = {
  ...noTables,
  specs: [
    {
      id: 'q-7',
      title: 'Add a search box',
      mode: 'execute',
      status: 'failed',
      total_tasks: 2,
      completed_tasks: 1,
      queued_at: '2026-04-29T15:59:00+00:00',
      started_at: '2026-04-29T16:00:00+00:00',
      completed_at: '2026-04-29T16:10:00+00:00',
      worker_id: 'w-1',
      error: '{"VerifyFailed":{"task":"t-2","exit_code":1,"stderr_excerpt":"assertion failed"}}',
    },
  ],
  tasks: [
    { id: 't-1', spec_id: 'q-7', title: 'Index', status: 'DONE', depends: '[]', error: null },
    {
      id: 't-2',
      spec_id: 'q-7',
      title: 'Box',
      status: 'FAILED',
      depends: '["t-1"]',
      error: 'plain words of an old version',
    },
  ],
  phase_runs: [
    phase('t-1', 'execute', 'passed', { model: 'sonnet', runtime: 'claude' }),
    phase('t-2', 'execute', 'redo', { started_at: '2026-04-29T16:02:00+00:00' }),
    phase('t-2', 'verify', 'fail', { started_at: '2026-04-29T16:04:00+00:00' }),
  ],
};
