import { realpathSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { profilesOf } from '../config/agent-pool.ts';
import { isLive } from '../model/attempt.ts';
import type { EventBody } from '../model/event.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import type { Task } from '../model/task.ts';
import { stateOf, type TaskRecord } from '../model/task-record.ts';
import type { Store } from '../port/store.ts';
import { type Import, planImport } from '../source/merge.ts';
import { openSource } from '../source/open.ts';
import { byPerson } from './caller.ts';
import type { Place } from './place.ts';
import { projectConfig } from './project-config.ts';

type Failures = readonly Failure[];

/** Tasks read from sources. */
export interface Incoming {
  readonly tasks: readonly Task[];
  /** Paths of the sources as tasks name them; standard input has none. */
  readonly sources: readonly string[];
  /** Messages for the user about what was read. */
  readonly notes: readonly string[];
}

export const nothingIncoming: Incoming = { tasks: [], sources: [], notes: [] };

interface SourceContext {
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

export interface ImportOptions {
  readonly dryRun?: boolean;
  /** Cancels tasks that were removed from their source. */
  readonly pruneRemoved?: boolean;
}

/** Checks the tasks against the known ones, and stores them in one step unless `dryRun` is set. */
export async function importTasks(
  store: Store,
  incoming: Incoming,
  { dryRun = false, pruneRemoved = false }: ImportOptions = {},
): Promise<Result<Import, Failures>> {
  const person = pruneRemoved ? await byPerson(store, 'use --prune-removed') : ok(undefined);
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
  const stored = await store.append(Date.now(), events);
  return stored.ok ? plan : fail([stored.failure]);
}

/** Warnings about tasks whose agent is not configured: a run would refuse them. An unreadable config is ignored here. */
export function unknownAgents(place: Place, tasks: readonly Task[]): readonly string[] {
  const config = projectConfig(place);
  if (!config.ok) return [];
  const agents = profilesOf(config.value);
  const known = [...agents.keys()].join(', ');
  return tasks.flatMap(({ id, agent }) =>
    agent === undefined || agents.has(agent)
      ? []
      : [`${id} asks for the agent "${agent}", which is not in the config (known: ${known}).`],
  );
}
