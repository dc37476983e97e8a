import type { Command } from '../model/command.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { TaskId } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';
import type { AgentPool } from './agent-pool.ts';
import { awaitsPreflight } from './preflight.ts';
import { remainingBudget } from './spend.ts';
import type { State } from './state.ts';

interface Situation {
  readonly state: State;
  readonly run: RunRecord;
  readonly live: readonly TaskRecord[];
  readonly agentPool: AgentPool;
  /** False while the run starts nothing new. */
  readonly mayStart: boolean;
}

/**
 * Asks an agent to revise the plan for a task whose own agent gave up, or follows the one that was asked. One is asked at
 * a time, outside of all slots.
 */
export function nextRevision(situation: Situation): readonly Command[] {
  const { state, run, live, agentPool, mayStart } = situation;
  const { revision } = run.settings;
  if (revision === undefined || run.revisions === undefined) return [];
  const { call, asked } = run.revisions;
  if (call !== undefined) return followRevision(situation, revision.apply);
  const due = dueRevision(state, run);
  if (due === undefined || !mayStart || remainingBudget(run, live).turns <= 0) return [];
  if (awaitsPreflight(run)) return [];
  const assignment = agentPool.assignCall(due.agent);
  if (assignment === undefined) return [];
  return [{ type: 'begin-revision', call: asked.length + 1, task: due.task, ...assignment }];
}

interface DueRevision {
  readonly task: TaskId;
  readonly agent: string;
}

/** The revision that starts next, as soon as its agent can; undefined while one is under way or none is due. */
export function dueRevision(state: Pick<State, 'task'>, run: RunRecord): DueRevision | undefined {
  const { revisions, settings } = run;
  if (settings.revision === undefined || revisions?.call !== undefined) return undefined;
  const task = revisions?.due.find((id) => messageOf(state, run, id) !== undefined);
  return task === undefined ? undefined : { task, agent: settings.revision.agent };
}

function followRevision({ state, run, mayStart }: Situation, apply: boolean): readonly Command[] {
  const call = run.revisions?.call;
  if (call === undefined) return [];
  const { number, id: task, agent, model, reasoning } = call;
  const message = messageOf(state, run, task);
  const wanted = mayStart && message !== undefined;
  const follow: Command = {
    type: 'revise-plan',
    call: number,
    task,
    message: message ?? '',
    agent,
    model,
    reasoning,
    apply,
    wanted,
  };
  return wanted ? [follow] : [follow, { type: 'interrupt-revision', call: number }];
}

/**
 * Message with which the agent of a task gave up in this run; undefined if a person, or another run, has opened the task
 * since.
 */
function messageOf(state: Pick<State, 'task'>, run: RunRecord, id: TaskId): string | undefined {
  const status = state.task(id)?.status;
  if (status?.id !== 'failed' || status.run !== run.id) return undefined;
  if (status.failure.kind !== 'agent-gave-up') return undefined;
  return status.failure.message;
}
