import { profilesOf } from '../config/agent-pool.ts';
import { isLive } from '../model/attempt-state.ts';
import { defined } from '../model/defined.ts';
import type { EventBody } from '../model/event.ts';
import { type Failure, fail, ok, type Result, usage } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import {
  freeId,
  idFromTitle,
  idProblem,
  idRule,
  newTask,
  type Task,
  type TaskId,
} from '../model/task.ts';
import { isRemoved, satisfies, stateOf, type TaskRecord } from '../model/task-record.ts';
import { recordStateText } from '../report/view/state.ts';
import { openAddress, originOf } from '../source/address.ts';
import { readMarkdown } from '../source/markdown.ts';
import { type Import, isSame, planImport } from '../source/merge.ts';
import { taskSchema, toTask } from '../source/schema.ts';
import { lintTasks } from '../task/command-lint.ts';
import { projectConfig } from './config.ts';
import { firstOf, taskNamed } from './lookup.ts';
import type { Failures, Opened, Project } from './ports.ts';

export interface Incoming {
  readonly tasks: readonly Task[];
  /** Paths of the sources as tasks name them; standard input has none. */
  readonly sources: readonly string[];
  /** Messages for the user about what was read. */
  readonly notes: readonly string[];
}

const nothingIncoming: Incoming = { tasks: [], sources: [], notes: [] };

export interface SourceContext {
  readonly cwd: string;
  readonly readStdin: () => Promise<string>;
}

/** Reads all sources. One bad item in any of them fails the whole call. */
export async function readSources(
  project: Pick<Project, 'root' | 'env' | 'childEnv'>,
  named: readonly string[],
  { cwd, readStdin }: SourceContext,
): Promise<Result<Incoming, Failures>> {
  // A word before a colon may be a mapping of the config; nothing else needs the config.
  const config = named.some((one) => one.includes(':')) ? projectConfig(project) : undefined;
  if (config?.ok === false) return config;
  const mappings = config?.value.sources ?? {};
  const places = { cwd, readStdin, env: project.childEnv, mappings };
  const tasks: Task[] = [];
  const sources: string[] = [];
  const notes: string[] = [];
  const failures: Failure[] = [];
  for (const one of named) {
    const source = openAddress(one, places);
    const listed = source.ok ? await source.value.list() : fail([source.failure]);
    if (!source.ok || !listed.ok) {
      if (!listed.ok) failures.push(...listed.failure);
      continue;
    }
    const note = source.value.note?.();
    if (note !== undefined) notes.push(note);
    const name = originOf(one, project.root, places);
    if (name !== undefined) sources.push(name);
    tasks.push(
      ...listed.value.map((task) => (name === undefined ? task : { ...task, source: name })),
    );
  }
  return failures.length > 0 ? fail(failures) : ok({ tasks, sources, notes });
}

/** Effect of importing the tasks on the known ones, or the reasons why they do not fit. */
export function importPlan(
  known: readonly TaskRecord[],
  incoming: Incoming,
): Result<Import, Failures> {
  if (isEmpty(incoming)) return ok(nothing);
  const existing = known.map((record) => ({
    task: record.task,
    busy: isBusy(record),
    state: stateOf(record),
  }));
  return planImport(existing, incoming.tasks, incoming.sources);
}

/** True while an agent works with the text of the task, or of a variant of it. A variant follows its task. */
export function isBusy({ task, attempt, coClaimedBy, variants, status }: TaskRecord): boolean {
  if (task.variantOf !== undefined || (variants !== undefined && status.id === 'open')) return true;
  return coClaimedBy !== undefined || (attempt !== undefined && isLive(attempt.state));
}

function isEmpty({ tasks, sources }: Incoming): boolean {
  return tasks.length === 0 && sources.length === 0;
}

const nothing: Import = {
  added: [],
  changed: [],
  replaced: [],
  same: [],
  landed: [],
  moved: [],
  removed: [],
};

export { differences } from '../source/merge.ts';
export type { Import };

type Writing = Pick<Opened, 'store' | 'clock' | 'env'>;

export interface ImportOptions {
  readonly dryRun?: boolean;
  /** Cancels tasks that were removed from their source. */
  readonly pruneRemoved?: boolean;
  readonly canceled?: readonly CanceledTask[];
}

export interface CanceledTask {
  readonly id: TaskId;
  readonly reason: string;
}

/** Checks the tasks against the known ones, and stores them in one step unless `dryRun` is set. */
export async function importTasks(
  ports: Writing,
  incoming: Incoming,
  { dryRun = false, pruneRemoved = false, canceled = [] }: ImportOptions = {},
): Promise<Result<Import, Failures>> {
  const { store, clock } = ports;
  if (isEmpty(incoming) && canceled.length === 0) return ok(nothing);
  const known = await store.tasks();
  if (!known.ok) return fail([known.failure]);
  const plan = importPlan(known.value, incoming);
  if (!plan.ok || dryRun) return plan;
  const { added, changed, moved, removed } = plan.value;
  const events: EventBody[] = [
    ...added.map((task) => ({ type: 'task-added', task }) as const),
    ...[...changed, ...moved].map((task) => ({ type: 'task-changed', task }) as const),
    ...[...(pruneRemoved ? removed.map(canceledBySource) : []), ...canceled].map(
      ({ id, reason }): EventBody => {
        return { type: 'task-decided', id, decision: { kind: 'cancel', reason } };
      },
    ),
  ];
  if (events.length === 0) return plan;
  const stored = await store.append(clock.now(), events);
  return stored.ok ? plan : fail([stored.failure]);
}

function canceledBySource({ id, source }: Import['removed'][number]): CanceledTask {
  return { id, reason: `removed from ${source}` };
}

/** Warnings about tasks whose agent is not configured: a run would refuse them. An unreadable config is ignored here. */
export function unknownAgents(
  project: Pick<Project, 'root' | 'env'>,
  tasks: readonly Task[],
): readonly string[] {
  const config = projectConfig(project);
  if (!config.ok) return [];
  const agents = profilesOf(config.value);
  const known = [...agents.keys()].join(', ');
  return tasks.flatMap(({ id, agent, attempts }) =>
    [...new Set([...(agent === undefined ? [] : [agent]), ...(attempts?.agents ?? [])])]
      .filter((name) => !agents.has(name))
      .map(
        (name) =>
          `${id} asks for the agent "${name}", which is not in the config (known: ${known}).`,
      ),
  );
}

/** Warnings about check commands with common mistakes. */
export function checkWarnings(tasks: readonly Task[]): readonly string[] {
  return lintTasks(tasks).map(({ text, fix }) =>
    fix.kind === 'advice' ? `${text}. ${fix.text}` : text,
  );
}

/** Fields of a new task, by the keys of a plan file; what is absent gets its default. */
export interface NewTask extends Readonly<Record<string, unknown>> {
  readonly title: string;
  readonly id?: TaskId;
}

/** Adds one task, with an id from its title if it has none. */
export async function addTask(ports: Writing, added: NewTask): Promise<Result<Task, Failures>> {
  const ids = await ports.store.ids('tasks');
  if (!ids.ok) return fail([ids.failure]);
  const task = taskOf(added, new Set(ids.value.map((id) => id.toLowerCase())));
  if (!task.ok) return task;
  const stored = await importTasks(ports, { ...nothingIncoming, tasks: [task.value] });
  return stored.ok ? task : stored;
}

function taskOf(
  { title: given, id: wanted, ...fields }: NewTask,
  taken: ReadonlySet<string>,
): Result<Task, Failures> {
  const title = given.trim();
  const refuse = (problem: string, remedy: string): Result<never, Failures> =>
    fail([{ kind: 'usage', problem, remedy }]);
  if (title === '') return refuse('the title is empty', 'Describe the task in a few words.');
  if (title.length > limits.titleChars) {
    return refuse(`the title is longer than ${limits.titleChars} characters`, 'Use --body.');
  }
  const id = wanted ?? freeId(idFromTitle(title) || `task-${taken.size + 1}`, taken);
  const wrong = idProblem(id);
  if (wrong !== undefined) return refuse(`"${id}" cannot be an id. ${wrong}`, idRule);
  if (taken.has(id.toLowerCase())) {
    return refuse(`there is already a task "${id}"`, 'Choose another --id.');
  }
  return changedTask(newTask({ id, title }), fields);
}

/** The task, unless an agent works with its text or it has landed. */
export async function taskToEdit(
  { store }: Pick<Opened, 'store'>,
  id: TaskId,
): Promise<Result<Task>> {
  const record = await taskNamed(store, id);
  if (!record.ok) return record;
  const { task } = record.value;
  const state = recordStateText(record.value);
  if (state === 'landed') {
    return usage(`task ${id} has landed and cannot be changed`, 'Add a new task with `ym add`.');
  }
  if (task.variantOf !== undefined) {
    return usage(
      `${id} is a variant of ${task.variantOf}`,
      `Edit that: \`ym edit ${task.variantOf}\`.`,
    );
  }
  if (!isBusy(record.value)) return ok(task);
  return usage(
    `task ${id} is being worked on (${state}), and its agent has the old text`,
    `End its attempt with \`ym block ${id}\`, edit it, then type \`ym unblock ${id}\`.`,
  );
}

export { taskDocument as taskText } from '../source/markdown.ts';

/** The task that a person's text describes; it keeps its id. `file` names the text in failures. */
export function taskFromText(before: Task, file: string, text: string): Result<Task, Failures> {
  const read = readMarkdown(file, text);
  if (!read.ok) return read;
  return ok({ ...read.value, id: before.id, ...decisionsIn(read.value, before) });
}

/** A person who edits `after` decides about all of it. Rejected dependencies stay rejected. */
function decisionsIn(
  { after }: Task,
  { applied, rejected }: Task,
): Pick<Task, 'applied' | 'rejected'> {
  return { applied: applied?.filter((id) => after.includes(id)), rejected };
}

/** The new `attempts` of a task, with its old `choose` unless the change sets one. */
function attemptsIn({ attempts: before }: Task, { attempts }: Readonly<Record<string, unknown>>) {
  if (typeof attempts !== 'object' || attempts === null) return {};
  return { attempts: { choose: before?.choose, ...attempts } };
}

/** The task with changes, which are named by the keys of a plan file. Null removes a value. */
export function changedTask(
  task: Task,
  changes: Readonly<Record<string, unknown>>,
): Result<Task, Failures> {
  const { source: _source, applied: _applied, rejected: _rejected, ...text } = task;
  const checked = taskSchema.safeParse({ ...text, ...changes, ...attemptsIn(task, changes) });
  if (!checked.success) {
    return fail(
      checked.error.issues.map(({ path, message }) => ({
        kind: 'usage',
        problem: `the new ${path.join('.') || 'text'} cannot be used`,
        remedy: message,
      })),
    );
  }
  const changed = toTask(task.id, checked.data);
  return ok({ ...changed, ...defined({ source: task.source }), ...decisionsIn(changed, task) });
}

/** Replaces a task if the graph of all tasks stays valid. Returns false if the text is the same. */
export async function replaceTask(
  ports: Writing,
  before: Task,
  task: Task,
): Promise<Result<boolean, Failures>> {
  if (isSame(before, task)) return ok(false);
  const stored = await importTasks(ports, { ...nothingIncoming, tasks: [task] });
  return stored.ok ? ok(true) : stored;
}

/** Cancels tasks and hides them, all or none. The work of a running agent is kept, as with `ym cancel`. */
export async function removeTasks(
  { store, clock }: Pick<Opened, 'store' | 'clock'>,
  ids: readonly TaskId[],
  { reason, dependents }: { readonly reason: string; readonly dependents: boolean },
): Promise<Result<readonly TaskId[]>> {
  for (const id of ids) {
    const record = await taskNamed(store, id);
    if (!record.ok) return record;
  }
  const tasks = await store.tasks();
  if (!tasks.ok) return tasks;
  const all = toRemove(tasks.value, ids, dependents);
  if (!all.ok) return all;
  const decision = { kind: 'cancel', reason, removed: true } as const;
  const events = all.value.map((id): EventBody => ({ type: 'task-decided', id, decision }));
  const stored = await store.append(clock.now(), events);
  return stored.ok ? all : stored;
}

/** The tasks to remove, or why they cannot be removed. */
export function toRemove(
  tasks: readonly TaskRecord[],
  ids: readonly TaskId[],
  withDependents: boolean,
): Result<readonly TaskId[]> {
  const wanted = new Set(ids);
  const landed = tasks.find(({ task, status }) => wanted.has(task.id) && status.id === 'landed');
  if (landed !== undefined) {
    return fail({ kind: 'task-busy', task: landed.task.id, state: stateOf(landed), wanted: 'rm' });
  }
  const gone = new Set(wanted);
  for (let size = 0; size !== gone.size; ) {
    size = gone.size;
    for (const record of tasks) {
      const waits = !satisfies(record) && !isRemoved(record);
      if (waits && record.task.after.some((id) => gone.has(id))) gone.add(record.task.id);
    }
  }
  const others = [...gone].filter((id) => !wanted.has(id));
  if (others.length > 0 && !withDependents) return neededBy(ids, others);
  return ok([...gone]);
}

function neededBy(ids: readonly TaskId[], others: readonly TaskId[]): Result<never> {
  return usage(
    `other tasks wait for ${ids.join(', ')}: ${firstOf(others)}`,
    `Remove them too with \`ym rm ${ids.join(' ')} --dependents\`, or change their \`after\` with \`ym edit ID --after …\`.`,
  );
}
