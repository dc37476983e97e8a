import {
  type Attempt,
  type AttemptState,
  type Conversation,
  newAttempt,
} from '../../src/model/attempt.ts';
import type { Event, EventBody } from '../../src/model/event.ts';
import type { RunSettings, Stop, StopReason } from '../../src/model/run.ts';
import type { AccountsRecord, LeasedRun, RunPhase, Spent } from '../../src/model/run-record.ts';
import type { Task } from '../../src/model/task.ts';
import { newTaskRecord, type TaskRecord, type TaskStatus } from '../../src/model/task-record.ts';
import type { Candidate, TargetRecord, TrainRecord } from '../../src/model/train-record.ts';
import { newRun } from '../../src/plan/fold-run.ts';
import { task } from '../story.ts';

const commit = (digit: string): string => digit.repeat(40);

export const aTask = (id: string, more: Partial<Task> = {}): Task =>
  task(id, { title: `Do ${id}`, ...more });

export function aRecord(
  id: string,
  status: TaskStatus = { id: 'open' },
  more: Partial<TaskRecord> & { readonly after?: readonly string[]; readonly title?: string } = {},
): TaskRecord {
  const { after = [], title = `Do ${id}`, ...rest } = more;
  const task = aTask(id, { after, title });
  const attempts = rest.attempt?.number ?? 0;
  return {
    ...newTaskRecord({ task, order: 1, blockers: after.length }),
    status,
    attempts,
    ...rest,
  };
}

export function anAttempt(state: AttemptState, more: Partial<Attempt> = {}): Attempt {
  const of = { run: 'r1', number: 1, fence: 1, agent: 'mine', branch: 'yard/r1/api-1' };
  const attempt = newAttempt({ ...of, startedAt: 1000, state });
  return { ...attempt, conversation: { ...attempt.conversation, turns: 1 }, ...more };
}

export function aConversation(more: Partial<Conversation>): Pick<Attempt, 'conversation'> {
  const { conversation } = anAttempt({ id: 'preparing', slot: 1 });
  return { conversation: { ...conversation, ...more } };
}

/** Captured work that clashes with other tasks. */
export function clashingWith(...clashes: readonly string[]): Pick<Attempt, 'captured'> {
  return { captured: { commit: 'c', tree: 't', judged: false, clashes } };
}

export const settings: RunSettings = {
  target: 'main',
  jobs: 2,
  agent: 'mine',
  scope: { kind: 'ready' },
  retries: 2,
  quarantineAfter: 3,
  slotErrors: 5,
  pool: 6,
  gate: 'g1',
};

export const owner = { pid: 1, startedAt: '1', host: 'yard' };

/** Phase of a run that has ended. */
export function endedPhase(at: number, reason: StopReason | Stop = 'drained'): RunPhase {
  return { id: 'ended', at, stop: typeof reason === 'string' ? { reason } : reason };
}

type RunParts = Partial<Omit<LeasedRun, 'train' | 'target' | 'accounts' | 'spent'>> & {
  readonly train?: Partial<TrainRecord>;
  readonly target?: Partial<TargetRecord>;
  readonly accounts?: Partial<AccountsRecord>;
  readonly spent?: Partial<Spent>;
};

export function aRun({ train, target, accounts, spent, ...more }: RunParts = {}): LeasedRun {
  const run = newRun({ run: 'r1', settings, owner, base: commit('0') }, 0);
  return {
    ...run,
    train: { ...run.train, ...train },
    target: { ...run.target, ...target },
    accounts: { ...run.accounts, ...accounts },
    spent: { ...run.spent, ...spent },
    leaseUntil: undefined,
    heardAt: undefined,
    lastEventAt: undefined,
    ...more,
  };
}

/** A candidate on the target, with these branches. */
export function aCandidate(
  id: string,
  tasks: readonly string[],
  more: Partial<Candidate> = {},
): Candidate {
  const prefixes = tasks.map((task) => ({ commit: `${id}-${task}`, tree: `tree-${id}-${task}` }));
  return {
    id,
    parent: commit('0'),
    commit: prefixes.at(-1)?.commit ?? id,
    tree: prefixes.at(-1)?.tree ?? id,
    entries: tasks.map((task) => ({ id: task, attempt: 1, commit: `c-${task}` })),
    prefixes,
    state: { id: 'built' },
    landed: 0,
    green: 0,
    ...more,
  };
}

/** Bodies as stored events, a second apart. */
export function logOf(...bodies: readonly EventBody[]): Event[] {
  return bodies.map((body, at) => ({ ...body, seq: at + 1, at: (at + 1) * 1000, version: 1 }));
}
