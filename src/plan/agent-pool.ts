import { type Attempt, slotOf } from '../model/attempt.ts';
import type { PoolMember, RunSettings } from '../model/run.ts';
import type { Task } from '../model/task.ts';
import { pauseOf } from './accounts.ts';
import { isCooling } from './cooldown.ts';
import { type ModelChoice, modelFor, modelOfTask, parseModel } from './model.ts';
import type { RunRecord, TaskRecord } from './record.ts';

/** Who takes a turn, and with which model. */
export interface Assignment {
  readonly agent: string;
  readonly model?: string;
  readonly reasoning?: string;
}

/** Tasks of this type are there to file other tasks. */
export const planType = 'plan';

/**
 * The agents of a run at one moment: who is busy, who is paused. Made again for each decision; `take` notes what the
 * decision has given away already.
 */
export class AgentPool {
  readonly #run: RunRecord;
  readonly #now: number;
  readonly #busy = new Map<string, number>();
  /** Kinds of tasks that nobody is free for: nobody gets free within one decision, so thousands of them cost nothing. */
  readonly #nobodyFor = new Set<string>();

  constructor(run: RunRecord, live: readonly TaskRecord[], now: number) {
    this.#run = run;
    this.#now = now;
    for (const { attempt } of live) {
      if (attempt === undefined || slotOf(attempt.state) === undefined) continue;
      for (const agent of atWork(attempt)) this.markBusy(agent);
    }
  }

  markBusy(agent: string): void {
    this.#busy.set(agent, (this.#busy.get(agent) ?? 0) + 1);
  }

  /**
   * Who could begin a task now; undefined while everybody who may take it is busy or paused. A task that starts over
   * goes to the fallback where the run's own agent could not fix it.
   */
  assignTask({ task, previous }: Pick<TaskRecord, 'task' | 'previous'>): Assignment | undefined {
    const { fallback, agent } = this.#run.settings;
    const isOwn = previous?.agent === agent && candidates(task, this.#run.settings)[0] === agent;
    if (fallback !== undefined && isOwn && this.#isFree(fallback.agent)) {
      return assignmentOf(task, fallback.agent, this.#run.settings);
    }
    const kind = kindOf(task);
    if (this.#nobodyFor.has(kind)) return undefined;
    const name = candidates(task, this.#run.settings)
      .map((candidate) => this.#standIn(candidate))
      .find((candidate) => this.#isFree(candidate));
    if (name !== undefined) return assignmentOf(task, name, this.#run.settings);
    this.#nobodyFor.add(kind);
    return undefined;
  }

  /**
   * Who could go on with an attempt now. Its own agent knows the conversation, so only a cooldown changes it. `held`: the
   * attempt holds a slot already and is counted among the busy.
   */
  assignTurn({ task }: TaskRecord, agent: string, held = false): Assignment | undefined {
    if (held) this.#leave(agent);
    const { settings } = this.#run;
    const borrowed = isStandIn(task, agent, settings) && this.#isPaused(agent);
    const name = this.#standIn(borrowed ? settings.agent : agent);
    const assignment = this.#isFree(name)
      ? assignmentOf(task, name, this.#run.settings)
      : undefined;
    if (held) this.markBusy(assignment?.agent ?? agent);
    return assignment;
  }

  /**
   * An agent as a reviewer: the model is its own, whatever the task asks for. Undefined while it is busy or may not be
   * used. `held`: who holds the slot already in which it would look.
   */
  assignReview(agent: string, held?: string): Assignment | undefined {
    // Who holds the slot waits for its own turn meanwhile, and must not lose its place to anybody.
    if (held === agent) this.#leave(agent);
    const free = this.#isFree(agent);
    if (held === agent || (held !== undefined && free)) this.markBusy(agent);
    if (!free) return undefined;
    const own = memberOf(this.#run.settings, agent)?.model ?? '';
    return passedTo(agent, parseModel(own, isAgent(this.#run.settings)), this.#run.settings);
  }

  /** Who would take a task or a turn if it were free, for those who want to know what is waited for. */
  eligibleFor(task: Task, agent?: string): readonly string[] {
    const { fallback, agent: own } = this.#run.settings;
    const names = agent === undefined ? candidates(task, this.#run.settings) : [agent];
    return names.flatMap((name) =>
      fallback !== undefined && name === own ? [name, fallback.agent] : [name],
    );
  }

  #leave(agent: string): void {
    this.#busy.set(agent, Math.max(0, (this.#busy.get(agent) ?? 0) - 1));
  }

  /** A paused account needs the other one whatever the cooldown says: while one of the two can work, work goes on. */
  #standIn(agent: string): string {
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

/** Whose process an attempt has or is about to have. */
function atWork({ agent, state }: Attempt): readonly string[] {
  if (state.id === 'reviewing') return [state.reviewer];
  if (state.id === 'critiquing' && state.agent !== agent) return [agent, state.agent];
  return [agent];
}

/** Who takes tasks that name nobody, the run's own agent at least. */
export function volunteersOf({ agent, agentPool = [] }: RunSettings): readonly string[] {
  const names = agentPool.filter(({ volunteers }) => volunteers).map(({ name }) => name);
  return names.length === 0 ? [agent] : names;
}

/** Tasks of one kind are taken by the same agents. */
function kindOf({ agent = '', priority, type, labels, body }: Task): string {
  const tagged = body.includes(':model=') ? body : '';
  return [agent, priority, type, ...labels, tagged].join('\n');
}

/** One task of each kind: whoever takes it takes the others, so thousands need no look each. */
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
 * Who may take a task, the best first: whom it names; else those who volunteer for just such tasks, and nobody instead
 * of them; else those who volunteer for any; else the run's own agent.
 */
function candidates(task: Task, settings: RunSettings): readonly string[] {
  const named = task.agent ?? agentIn(modelOfTask(task, settings.models ?? {}), settings);
  if (named !== undefined) return [named];
  const volunteers = (settings.agentPool ?? []).filter((member) => takes(member, task));
  const picked = volunteers.some(isChoosy) ? volunteers.filter(isChoosy) : volunteers;
  // The run's own agent volunteers for anything, but a default model that names another one means that one.
  if (picked.some(({ name }) => name !== settings.agent)) return picked.map(({ name }) => name);
  const last = agentIn(settings.models?.default, settings) ?? settings.agent;
  return fitsRole(memberOf(settings, last), task) ? [last] : [];
}

function agentIn(model: string | undefined, settings: RunSettings): string | undefined {
  return model === undefined ? undefined : parseModel(model, isAgent(settings)).agent;
}

function isChoosy({ types, labels, role }: PoolMember): boolean {
  return types !== undefined || labels !== undefined || role === 'planner';
}

function takes(member: PoolMember, task: Task): boolean {
  if (!member.volunteers || !fitsRole(member, task)) return false;
  const { types, labels } = member;
  if (types === undefined && labels === undefined) return true;
  if (types?.includes(task.type)) return true;
  return labels?.some((label) => task.labels.includes(label)) ?? false;
}

/** Planners only plan, executors never do. */
function fitsRole(member: PoolMember | undefined, task: Task): boolean {
  if (member?.role === undefined) return true;
  return (member.role === 'planner') === (task.type === planType);
}

function isAgent(settings: RunSettings): (name: string) => boolean {
  return (name) => name === settings.agent || memberOf(settings, name) !== undefined;
}

function assignmentOf(task: Task, agent: string, settings: RunSettings): Assignment {
  const own = memberOf(settings, agent)?.model;
  const said = modelFor(task, settings.models ?? {}, own, isAgent(settings));
  // A model that was chosen for somebody else means nothing to whoever stands in.
  const foreign = said.agent !== undefined && said.agent !== agent;
  const chosen =
    foreign || isStandIn(task, agent, settings) ? parseModel(own ?? '', isAgent(settings)) : said;
  return passedTo(agent, chosen, settings);
}

/** What the agent is really given of a choice. Everything that is reported later comes from here. */
function passedTo(
  agent: string,
  { model, reasoning }: ModelChoice,
  settings: RunSettings,
): Assignment {
  const ignored = memberOf(settings, agent)?.ignoresReasoning === true;
  return {
    agent,
    ...(model === undefined ? {} : { model }),
    ...(reasoning === undefined || ignored ? {} : { reasoning }),
  };
}

/** Agents that tasks or rules ask for a reasoning effort they have no setting for. */
export function ignoredReasoning(
  settings: RunSettings,
  tasks: readonly Task[],
): readonly { readonly agent: string; readonly reasoning: string }[] {
  const deaf = (settings.agentPool ?? []).filter(
    ({ ignoresReasoning }) => ignoresReasoning === true,
  );
  const found = new Map<string, string>();
  for (const { name, model: own } of deaf) {
    const isKnown = isAgent(settings);
    const asked = oneOfEachKind(tasks)
      .filter((task) => candidates(task, settings).includes(name))
      .map((task) => modelFor(task, settings.models ?? {}, own, isKnown));
    const looks = settings.review?.reviewers.includes(name) ? [parseModel(own ?? '', isKnown)] : [];
    const reasoning = [...asked, ...looks].find((choice) => choice.reasoning)?.reasoning;
    if (reasoning !== undefined) found.set(name, reasoning);
  }
  return [...found].map(([agent, reasoning]) => ({ agent, reasoning }));
}

/** Whether an agent works on a task only because the run's own cannot. */
function isStandIn(task: Task, agent: string, settings: RunSettings): boolean {
  return agent === settings.fallback?.agent && !candidates(task, settings).includes(agent);
}
