// Short functions for the events of tasks and runs.

import type { EventBody } from '../../src/model/event.ts';
import { noEvidence } from '../../src/model/evidence.ts';
import type { Failure, Result } from '../../src/model/failure.ts';
import type { Owner } from '../../src/model/run.ts';
import type { Task } from '../../src/model/task.ts';
import { newTask } from '../../src/model/task.ts';
import type { ClaimRequest } from '../../src/port/store.ts';

export function task(id: string, after: readonly string[] = [], more: Partial<Task> = {}): Task {
  return newTask({ id, title: `Do ${id}`, after, ...more });
}

export const added = (id: string, after: readonly string[] = []): EventBody => ({
  type: 'task-added',
  task: task(id, after),
});

export const owner = (pid: number): Owner => ({ pid, startedAt: `boot-${pid}`, host: 'box' });

export const started = (run: string, jobs = 2): EventBody => ({
  type: 'run-started',
  run,
  owner: owner(7),
  base: 'base',
  settings: {
    target: 'main',
    jobs,
    agent: 'scripted',
    scope: { kind: 'ready' },
    retries: 2,
    quarantineAfter: 3,
    slotErrors: 5,
    pool: 6,
    gate: 'gate',
  },
});

/** The start of a run whose agents start at a pace. */
export function paced(event: EventBody): EventBody {
  if (event.type !== 'run-started') return event;
  return { ...event, settings: { ...event.settings, spawnRate: 4 } };
}

export function wish(run: string, id: string, attempt = 1, leaseUntil = 1_000): ClaimRequest {
  return { run, id, attempt, slot: 1, agent: 'scripted', branch: `yard/${id}`, leaseUntil };
}

const of = (run: string, id: string, attempt: number) => ({ run, id, attempt });

export const ready = (run: string, id: string, attempt = 1): EventBody => ({
  type: 'worktree-ready',
  ...of(run, id, attempt),
  worktree: { id: 'w1', dir: 'somewhere/w1' },
  base: 'base',
});

export const turn = (run: string, id: string, number = 1, attempt = 1, slot = 1): EventBody => ({
  type: 'turn-started',
  ...of(run, id, attempt),
  turn: number,
  slot,
});

export const turned = (run: string, id: string, number = 1, attempt = 1): EventBody => ({
  type: 'turn-ended',
  ...of(run, id, attempt),
  turn: number,
  result: { ok: true, tail: 'done' },
});

export const captured = (run: string, id: string, attempt = 1): EventBody => ({
  type: 'work-captured',
  ...of(run, id, attempt),
  commit: `commit-${id}`,
  tree: `tree-${id}`,
  by: 'engine',
});

export const judged = (run: string, id: string, attempt = 1): EventBody => ({
  type: 'branch-judged',
  ...of(run, id, attempt),
  tree: `tree-${id}`,
  gate: 'gate',
  verdict: { id: 'passed', ms: 5 },
  cached: false,
});

export const red: Failure = {
  kind: 'gate-red',
  where: 'branch',
  command: 'npm test',
  exit: 1,
  evidence: noEvidence,
  tail: 'no',
  log: 'gate.log',
};

export const failed = (
  run: string,
  id: string,
  attempt = 1,
  failure: Failure = { kind: 'agent-exited', exit: 1, tail: 'oops' },
): EventBody => ({ type: 'attempt-failed', ...of(run, id, attempt), failure });

const entry = (id: string, attempt: number) => ({ id, attempt, commit: `commit-${id}` });

export const built = (run: string, ids: readonly string[], attempt = 1): EventBody => ({
  type: 'candidate-built',
  run,
  candidate: 'c1',
  parent: 'base',
  commit: 'merged',
  tree: 'merged-tree',
  entries: ids.map((id) => entry(id, attempt)),
});

export const landed = (run: string, ids: readonly string[], attempt = 1): EventBody => ({
  type: 'landed',
  run,
  candidate: 'c1',
  commit: 'merged',
  from: 'base',
  entries: ids.map((id) => entry(id, attempt)),
});

/** From the worktree to the queue, after the claim. */
export const worked = (run: string, id: string, attempt = 1): readonly EventBody[] => [
  ready(run, id, attempt),
  turn(run, id, 1, attempt),
  turned(run, id, 1, attempt),
  captured(run, id, attempt),
  judged(run, id, attempt),
];

export const decided = (id: string, kind: 'block' | 'cancel' | 'skip'): EventBody => ({
  type: 'task-decided',
  id,
  decision: { kind, reason: 'because' },
});

export const retried = (id: string): EventBody => ({
  type: 'task-decided',
  id,
  decision: { kind: 'retry' },
});

export function trouble(result: Result<unknown>): Failure {
  if (!result.ok) return result.failure;
  throw new Error(
    `A failure was expected, not ${String(JSON.stringify(result.value)).slice(0, 200)}`,
  );
}

export { need as good } from '../rig/need.ts';
