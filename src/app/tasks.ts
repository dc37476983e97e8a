import { realpathSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { profilesOf } from '../config/agent-pool.ts';
import { isLive } from '../model/attempt-state.ts';
import type { EventBody } from '../model/event.ts';
import { type Failure, fail, ok, type Result, usage } from '../model/failure.ts';
import { given } from '../model/given.ts';
import { limits } from '../model/limits.ts';
import {
  defaultPriority,
  defaultType,
  idFromTitle,
  idProblem,
  idRule,
  type Task,
  type TaskId,
} from '../model/task.ts';
import { isRemoved, satisfies, stateOf, type TaskRecord } from '../model/task-record.ts';
import { recordStateText } from '../report/view/state.ts';
import { readMarkdown } from '../source/markdown.ts';
import { type Import, isSame, planImport } from '../source/merge.ts';
import { openSource } from '../source/open.ts';
import { taskSchema } from '../source/schema.ts';
import { projectConfig } from './config.ts';
import { byPerson, firstOf, taskNamed } from './lookup.ts';
import type { Failures, Opened, Project } from './ports.ts';

/** Tasks read from sources. */
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
  /** Root of the repository. */
  readonly root: string;
  readonly readStdin: () => Promise<string>;
}

/** Reads all sources. One bad item in any of them fails the whole call. */
export async function readSources(
  paths: readonly string[],
  { cwd, root, readStdin }: SourceContext,
): Promise<Result<Incoming, Failures>> {
  const tasks: Task[] = [];
  const sources: string[] = [];
  const notes: string[] = [];
  const failures: Failure[] = [];
  for (const path of paths) {
    const source = openSource(path, { cwd, readStdin });
    const listed = source.ok ? await source.value.list() : fail([source.failure]);
    if (!source.ok || !listed.ok) {
      if (!listed.ok) failures.push(...listed.failure);
      continue;
    }
    const note = source.value.note?.();
    if (note !== undefined) notes.push(note);
    const name = path === '-' ? undefined : relative(root, realpathSync(resolve(cwd, path)));
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
    busy:
      record.coClaimedBy !== undefined ||
      (record.attempt !== undefined && isLive(record.attempt.state)),
    state: stateOf(record),
  }));
  return planImport(existing, incoming.tasks, incoming.sources);
}

function isEmpty({ tasks, sources }: Incoming): boolean {
  return tasks.length === 0 && sources.length === 0;
}

const nothing: Import = { added: [], changed: [], same: [], landed: [], moved: [], removed: [] };

export type { Import };

type Writing = Pick<Opened, 'store' | 'clock' | 'env'>;

export interface ImportOptions {
  readonly dryRun?: boolean;
  /** Cancels tasks that were removed from their source. */
  readonly pruneRemoved?: boolean;
}

/** Checks the tasks against the known ones, and stores them in one step unless `dryRun` is set. */
export async function importTasks(
  ports: Writing,
  incoming: Incoming,
  { dryRun = false, pruneRemoved = false }: ImportOptions = {},
): Promise<Result<Import, Failures>> {
  const { store, clock } = ports;
  const person = pruneRemoved ? await byPerson(ports, 'use --prune-removed') : ok(undefined);
  if (!person.ok) return fail([person.failure]);
  if (isEmpty(incoming)) return ok(nothing);
  const known = await store.tasks();
  if (!known.ok) return fail([known.failure]);
  const plan = importPlan(known.value, incoming);
  if (!plan.ok || dryRun) return plan;
  const { added, changed, moved, removed } = plan.value;
  const events: EventBody[] = [
    ...added.map((task) => ({ type: 'task-added', task }) as const),
    ...[...changed, ...moved].map((task) => ({ type: 'task-changed', task }) as const),
    ...(pruneRemoved ? removed : []).map(({ id, source }): EventBody => {
      const reason = `removed from ${source}`;
      return { type: 'task-decided', id, decision: { kind: 'cancel', reason } };
    }),
  ];
  if (events.length === 0) return plan;
  const stored = await store.append(clock.now(), events);
  return stored.ok ? plan : fail([stored.failure]);
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
  return tasks.flatMap(({ id, agent }) =>
    agent === undefined || agents.has(agent)
      ? []
      : [`${id} asks for the agent "${agent}", which is not in the config (known: ${known}).`],
  );
}

/** A new task; what is absent gets its default. */
export interface NewTask
  extends Partial<Pick<Task, 'id' | 'body' | 'priority' | 'type' | 'agent'>>,
    Pick<Task, 'title' | 'after' | 'labels' | 'paths' | 'checks'> {}

/** Adds one task, with an id from its title if it has none. */
export async function addTask(ports: Writing, added: NewTask): Promise<Result<Task, Failures>> {
  const ids = await ports.store.ids('tasks');
  if (!ids.ok) return fail([ids.failure]);
  const task = taskOf(added, new Set(ids.value.map((id) => id.toLowerCase())));
  if (!task.ok) return fail([task.failure]);
  const stored = await importTasks(ports, { ...nothingIncoming, tasks: [task.value] });
  return stored.ok ? task : stored;
}

function taskOf(added: NewTask, taken: ReadonlySet<string>): Result<Task> {
  const { body = '', priority = defaultPriority, type = defaultType, agent, ...rest } = added;
  const title = added.title.trim();
  if (title === '') return usage('the title is empty', 'Describe the task in a few words.');
  if (title.length > limits.titleChars) {
    return usage(`the title is longer than ${limits.titleChars} characters`, 'Use --body.');
  }
  const id = added.id ?? freeId(idFromTitle(title) || `task-${taken.size + 1}`, taken);
  const wrong = idProblem(id);
  if (wrong !== undefined) return usage(`"${id}" cannot be an id. ${wrong}`, idRule);
  if (taken.has(id.toLowerCase())) {
    return usage(`there is already a task "${id}"`, 'Choose another --id.');
  }
  const after = [...new Set(added.after)];
  const whole = { ...rest, id, title, body, after, priority, type, scope: 'predicted' } as const;
  return ok({ ...whole, ...given({ agent }) });
}

function freeId(wanted: string, taken: ReadonlySet<string>): string {
  if (!taken.has(wanted)) return wanted;
  for (let n = 2; ; n += 1) if (!taken.has(`${wanted}-${n}`)) return `${wanted}-${n}`;
}

/** The task, unless an agent works with its text or it has landed. */
export async function taskToEdit(
  { store }: Pick<Opened, 'store'>,
  id: TaskId,
): Promise<Result<Task>> {
  const record = await taskNamed(store, id);
  if (!record.ok) return record;
  const { task, attempt, coClaimedBy } = record.value;
  const state = recordStateText(record.value);
  const isBusy = coClaimedBy !== undefined || (attempt !== undefined && isLive(attempt.state));
  if (state === 'landed') {
    return usage(`task ${id} has landed and cannot be changed`, 'Add a new task with `ym add`.');
  }
  if (!isBusy) return ok(task);
  return usage(
    `task ${id} is being worked on (${state}), and its agent has the old text`,
    `End its attempt with \`ym block ${id}\`, edit it, then type \`ym unblock ${id}\`.`,
  );
}

/** A task as text that a person edits. */
export { taskDocument as taskText } from '../source/markdown.ts';

/** The task that a person's text describes; it keeps its id. `file` names the text in failures. */
export function taskFromText(before: Task, file: string, text: string): Result<Task, Failures> {
  const read = readMarkdown(file, text);
  return read.ok ? ok({ ...read.value, id: before.id }) : read;
}

/** The task with changes, which are named by the keys of a plan file. An `agent` of null removes the agent. */
export function changedTask(
  task: Task,
  changes: Readonly<Record<string, unknown>>,
): Result<Task, Failures> {
  const { source: _source, ...text } = task;
  const checked = taskSchema.safeParse({ ...text, ...changes });
  if (!checked.success) {
    return fail(
      checked.error.issues.map(({ path, message }) => ({
        kind: 'usage',
        problem: `the new ${path.join('.') || 'text'} cannot be used`,
        remedy: message,
      })),
    );
  }
  const { agent, ...rest } = checked.data;
  const { agent: _before, ...known } = task;
  return ok({ ...known, ...given({ ...rest, agent }), id: task.id });
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
