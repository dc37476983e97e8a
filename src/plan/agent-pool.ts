import type { Attempt } from '../model/attempt.ts';
import { reasonIn, slotOf } from '../model/attempt-state.ts';
import type { PoolMember, RunSettings } from '../model/run.ts';
import type { RunRecord } from '../model/run-record.ts';
import { newTask, type Task } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { isCooling, pauseOf } from './accounts.ts';
import { type ModelChoice, modelFor, modelOfTask, parseModel } from './model.ts';

export interface Assignment {
  readonly agent: string;
  readonly model?: string;
  readonly reasoning?: string;
}

/** Tasks of this type file other tasks. */
export const planType = 'plan';

/** Busy and paused agents at one decision. `markBusy` records what that decision has already assigned. */
export class AgentPool {
  readonly #run: RunRecord;
  readonly #now: number;
  readonly #busy = new Map<string, number>();
  /** Kinds of tasks without a free agent. No agent becomes free within one decision, so further ones cost nothing. */
  readonly #noAgentFor = new Set<string>();

  constructor(run: RunRecord, live: readonly TaskRecord[], now: number) {
    this.#run = run;
    this.#now = now;
    for (const call of [run.batches?.call, run.revisions?.call]) {
      if (call !== undefined) this.markBusy(call.agent);
    }
    for (const { attempt } of live) {
      if (attempt === undefined || slotOf(attempt.state) === undefined) continue;
      for (const agent of atWork(attempt)) this.markBusy(agent);
    }
  }

  markBusy(agent: string): void {
    this.#busy.set(agent, (this.#busy.get(agent) ?? 0) + 1);
  }

  /**
   * Agent that can start a task now; undefined while all that may take it are busy or paused. A fresh attempt goes to the
   * fallback if the run's own agent made the failed one.
   */
  assignTask({ task, previous }: Pick<TaskRecord, 'task' | 'previous'>): Assignment | undefined {
    const { fallback, agent } = this.#run.settings;
    const isOwn =
      previous?.agent === agent && eligibleAgents(task, this.#run.settings)[0] === agent;
    if (fallback !== undefined && isOwn && this.#isFree(fallback.agent)) {
      return assignmentOf(task, fallback.agent, this.#run.settings);
    }
    const kind = kindOf(task);
    if (this.#noAgentFor.has(kind)) return undefined;
    const name = eligibleAgents(task, this.#run.settings)
      .map((candidate) => this.#orFallback(candidate))
      .find((candidate) => this.#isFree(candidate));
    if (name !== undefined) return assignmentOf(task, name, this.#run.settings);
    this.#noAgentFor.add(kind);
    return undefined;
  }

  /**
   * Agent for the next turn of an attempt; only a cooldown or pause changes the one that its stage asks for. `held`: the
   * attempt holds a slot, so its agent is already counted as busy.
   */
  assignTurn({ task }: TaskRecord, attempt: Attempt, held = false): Assignment | undefined {
    if (held) this.#leave(attempt.agent);
    const { settings } = this.#run;
    const agent = agentOfTurn(attempt, settings);
    const borrowed = isFallbackFor(task, agent, settings) && this.#isPaused(agent);
    const name = this.#orFallback(borrowed ? settings.agent : agent);
    const assignment = this.#isFree(name)
      ? assignmentOf(task, name, this.#run.settings)
      : undefined;
    if (held) this.markBusy(assignment?.agent ?? attempt.agent);
    return assignment;
  }

  /**
   * Agent for a review, with its own model whatever the task asks for. Undefined while it is busy or paused. `held`: the
   * agent that holds the slot in which the review would run.
   */
  assignCall(agent: string, held?: string): Assignment | undefined {
    // The agent that holds the slot waits for its own turn and must keep its place.
    if (held === agent) this.#leave(agent);
    const free = this.#isFree(agent);
    if (held === agent || (held !== undefined && free)) this.markBusy(agent);
    if (!free) return undefined;
    return callOf(agent, this.#run.settings);
  }

  /** Agents that may take a task or the next turn of its attempt, busy and paused ones included. */
  eligibleFor(task: Task, attempt?: Attempt): readonly string[] {
    const { settings } = this.#run;
    const names =
      attempt === undefined ? eligibleAgents(task, settings) : [agentOfTurn(attempt, settings)];
    return withFallback(names, settings);
  }

  #leave(agent: string): void {
    this.#busy.set(agent, Math.max(0, (this.#busy.get(agent) ?? 0) - 1));
  }

  /** Agent or its fallback: a paused one is replaced by the other whatever the cooldown says. */
  #orFallback(agent: string): string {
    const { fallback, agent: own } = this.#run.settings;
    if (fallback === undefined || agent !== own) return agent;
    if (this.#isPaused(fallback.agent)) return own;
    const cooling = isCooling(this.#run, (this.#busy.get(own) ?? 0) > 0);
    return cooling || this.#isPaused(own) ? fallback.agent : own;
  }

  #isPaused(agent: string): boolean {
    return pauseOf(this.#run, agent, this.#now) !== undefined;
  }

  #isFree(agent: string): boolean {
    const count = memberOf(this.#run.settings, agent)?.count ?? Number.POSITIVE_INFINITY;
    if ((this.#busy.get(agent) ?? 0) >= count) return false;
    return !this.#isPaused(agent);
  }
}

/**
 * Agent that the next turn asks for: the one that knows the conversation, the one that writes tests first, or the task's
 * own after that.
 */
function agentOfTurn({ agent, testsFirst, state }: Attempt, { tester }: RunSettings): string {
  if (testsFirst?.id === 'writing') return tester ?? agent;
  const isTakenOver = state.id === 'between-turns' && reasonIn(state.turnReason) === 'tests-red';
  return isTakenOver ? (testsFirst?.agent ?? agent) : agent;
}

/** Agents whose process an attempt runs or is about to run. */
function atWork({ agent, state }: Attempt): readonly string[] {
  if (state.id !== 'calling') return [agent];
  const caller = state.call.agent;
  // Before the first turn, the attempt's own agent keeps its place.
  return state.from.id === 'prepared' && caller !== agent ? [agent, caller] : [caller];
}

/** Agents that take tasks without a named agent; at least the run's own. */
export function volunteersOf({ agent, agentPool = [] }: RunSettings): readonly string[] {
  const names = agentPool.filter(({ volunteers }) => volunteers).map(({ name }) => name);
  return names.length === 0 ? [agent] : names;
}

/** Tasks of the same kind are taken by the same agents. */
function kindOf({ agent = '', priority, type, labels, body }: Task): string {
  const tagged = body.includes(':model=') ? body : '';
  return [agent, priority, type, ...labels, tagged].join('\n');
}

/** One task of each kind, so that thousands of alike tasks are checked once. */
export function oneOfEachKind(tasks: readonly Task[]): readonly Task[] {
  const kinds = new Set<string>();
  return tasks.filter((task) => {
    const kind = kindOf(task);
    if (kinds.has(kind)) return false;
    kinds.add(kind);
    return true;
  });
}

export function memberOf(settings: RunSettings, agent: string): PoolMember | undefined {
  return settings.agentPool?.find((member) => member.name === agent);
}

/**
 * Agents that may take a task, best first: the one it names; else only those that volunteer for its type or labels; else
 * those that volunteer for any task; else the run's own agent.
 */
function eligibleAgents(task: Task, settings: RunSettings): readonly string[] {
  const named = task.agent ?? agentIn(modelOfTask(task, settings.models ?? {}), settings);
  if (named !== undefined) return [named];
  const volunteers = (settings.agentPool ?? []).filter((member) => takes(member, task));
  const picked = volunteers.some(isSelective) ? volunteers.filter(isSelective) : volunteers;
  // The run's own agent volunteers for everything, but a default model may name another agent.
  if (picked.some(({ name }) => name !== settings.agent)) return picked.map(({ name }) => name);
  const last = agentIn(settings.models?.default, settings) ?? settings.agent;
  return fitsRole(memberOf(settings, last), task) ? [last] : [];
}

function withFallback(names: readonly string[], settings: RunSettings): readonly string[] {
  const { fallback, agent: own } = settings;
  return names.flatMap((name) =>
    fallback !== undefined && name === own ? [name, fallback.agent] : [name],
  );
}

function agentIn(model: string | undefined, settings: RunSettings): string | undefined {
  return model === undefined ? undefined : parseModel(model, isAgent(settings)).agent;
}

function isSelective({ types, labels, role }: PoolMember): boolean {
  return types !== undefined || labels !== undefined || role === 'planner';
}

function takes(member: PoolMember, task: Task): boolean {
  if (!member.volunteers || !fitsRole(member, task)) return false;
  const { types, labels } = member;
  if (types === undefined && labels === undefined) return true;
  if (types?.includes(task.type)) return true;
  return labels?.some((label) => task.labels.includes(label)) ?? false;
}

/** Planners take only tasks of type `plan`; executors never do. */
function fitsRole(member: PoolMember | undefined, task: Task): boolean {
  if (member?.role === undefined) return true;
  return (member.role === 'planner') === (task.type === planType);
}

function isAgent(settings: RunSettings): (name: string) => boolean {
  return (name) => name === settings.agent || memberOf(settings, name) !== undefined;
}

function assignmentOf(task: Task, agent: string, settings: RunSettings): Assignment {
  const own = memberOf(settings, agent)?.model;
  const wanted = modelFor(task, settings.models ?? {}, own, isAgent(settings));
  // A model that was chosen for another agent does not apply to this one.
  const isForOther = wanted.agent !== undefined && wanted.agent !== agent;
  const chosen =
    isForOther || isBorrowed(task, agent, settings)
      ? parseModel(own ?? '', isAgent(settings))
      : wanted;
  return passedTo(agent, chosen, settings);
}

/** A one-shot call and a fallback use the agent's own model, whatever the task or the run asks for. */
function callOf(agent: string, settings: RunSettings): Assignment {
  const own = memberOf(settings, agent)?.model ?? '';
  return passedTo(agent, parseModel(own, isAgent(settings)), settings);
}

/** Agents that answer one-shot calls: reviewers, critics, the planner, the agent that revises the plan, the chooser. */
function advisersOf({ review, critique, planner, revision, attempts }: RunSettings) {
  const { critic, improver } = critique ?? {};
  const others = [critic, improver, planner?.agent, revision?.agent, attempts?.chooser];
  return [...(review?.reviewers ?? []), ...others].flatMap((name) => name ?? []);
}

/** An agent and the model it is started with; without a model it uses its own default. */
export type AgentModel = Pick<Assignment, 'agent' | 'model'>;

/**
 * Every agent that takes turns in the run, with each model it may get, in the order in which they are needed. The run's
 * own agent, its volunteers, its fallback and the agent that writes tests first are part of it even if
 * none of these tasks goes to them: a task may be added.
 */
export function workersNeeded(
  settings: RunSettings,
  tasks: readonly Task[],
): readonly AgentModel[] {
  const forTasks = oneOfEachKind(tasks).flatMap((task) =>
    withFallback(eligibleAgents(task, settings), settings).map((name) =>
      assignmentOf(task, name, settings),
    ),
  );
  const { agent, fallback, tester } = settings;
  const laterTask = newTask({ id: '', title: '' });
  const idle = [agent, ...volunteersOf(settings)]
    .filter((name) => forTasks.every((one) => one.agent !== name))
    .map((name) => assignmentOf(laterTask, name, settings));
  const borrowed = [fallback?.agent, tester].flatMap((name) => name ?? []);
  return distinct([...idle, ...forTasks, ...borrowed.map((name) => callOf(name, settings))]);
}

/** The same, and the agents that answer one-shot calls. */
export function modelsNeeded(settings: RunSettings, tasks: readonly Task[]): readonly AgentModel[] {
  const calls = advisersOf(settings).map((name) => callOf(name, settings));
  return distinct([...workersNeeded(settings, tasks), ...calls]);
}

function distinct(assignments: readonly AgentModel[]): readonly AgentModel[] {
  const found = new Map<string, AgentModel>();
  for (const { agent, model } of assignments) {
    const key = `${agent}\n${model ?? ''}`;
    if (!found.has(key)) found.set(key, { agent, model });
  }
  return [...found.values()];
}

/** The part of a choice that the agent supports. Reports show what this returns. */
function passedTo(
  agent: string,
  { model, reasoning }: ModelChoice,
  settings: RunSettings,
): Assignment {
  const ignored = memberOf(settings, agent)?.ignoresReasoning === true;
  return { agent, model, reasoning: ignored ? undefined : reasoning };
}

/** Agents without a reasoning setting that a task or rule asks for one. */
export function ignoredReasoning(
  settings: RunSettings,
  tasks: readonly Task[],
): readonly { readonly agent: string; readonly reasoning: string }[] {
  const withoutSetting = (settings.agentPool ?? []).filter(
    ({ ignoresReasoning }) => ignoresReasoning === true,
  );
  const found = new Map<string, string>();
  for (const { name, model: own } of withoutSetting) {
    const isKnown = isAgent(settings);
    const asked = oneOfEachKind(tasks)
      .filter((task) => eligibleAgents(task, settings).includes(name))
      .map((task) => modelFor(task, settings.models ?? {}, own, isKnown));
    const reviews = settings.review?.reviewers.includes(name)
      ? [parseModel(own ?? '', isKnown)]
      : [];
    const reasoning = [...asked, ...reviews].find((choice) => choice.reasoning)?.reasoning;
    if (reasoning !== undefined) found.set(name, reasoning);
  }
  return [...found].map(([agent, reasoning]) => ({ agent, reasoning }));
}

/** True if an agent works on a task only as the fallback of the run's own, or to write its tests first. */
function isBorrowed(task: Task, agent: string, settings: RunSettings): boolean {
  if (isFallbackFor(task, agent, settings)) return true;
  return agent === settings.tester && !eligibleAgents(task, settings).includes(agent);
}

/** True if an agent works on a task only as the fallback of the run's own. */
function isFallbackFor(task: Task, agent: string, settings: RunSettings): boolean {
  return agent === settings.fallback?.agent && !eligibleAgents(task, settings).includes(agent);
}
