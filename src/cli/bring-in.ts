import { realpathSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { isLive } from '../model/attempt.ts';
import type { EventBody } from '../model/event.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import type { Task } from '../model/task.ts';
import { limits } from '../plan/limits.ts';
import { stateOf, type TaskRecord } from '../plan/record.ts';
import type { Store } from '../record/store.ts';
import { type Import, planImport } from '../source/merge.ts';
import { openSource } from '../source/open.ts';
import { byPerson } from './person.ts';
import { readStdin } from './stdin.ts';

type Failures = readonly Failure[];

/** The tasks of some sources, and which sources those are as tasks name them; standard input has no name. */
export interface Incoming {
  readonly tasks: readonly Task[];
  readonly sources: readonly string[];
}

/** Reads all sources. One bad item in any of them fails the whole call. `root` is the root of the repository. */
export async function readSources(
  paths: readonly string[],
  cwd: string,
  root: string,
): Promise<Result<Incoming, Failures>> {
  const tasks: Task[] = [];
  const sources: string[] = [];
  const failures: Failure[] = [];
  for (const path of paths) {
    const source = openSource(path, { cwd, readStdin });
    if (!source.ok) {
      failures.push(source.failure);
      continue;
    }
    const listed = await source.value.list();
    if (!listed.ok) {
      failures.push(...listed.failure);
      continue;
    }
    const note = source.value.note?.();
    if (note !== undefined) process.stderr.write(`ym: ${note}\n`);
    const name = path === '-' ? undefined : relative(root, realpathSync(resolve(cwd, path)));
    if (name !== undefined) sources.push(name);
    tasks.push(
      ...listed.value.map((task) => (name === undefined ? task : { ...task, source: name })),
    );
  }
  return failures.length > 0 ? fail(failures) : ok({ tasks, sources });
}

/** What storing the tasks would do to those that are known, or why they do not fit among them. */
export function fitting(
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

/** How to treat tasks that were removed from their source. */
export interface BringOptions {
  readonly dryRun?: boolean;
  readonly pruneRemoved?: boolean;
}

/** Checks the tasks against what is known, and stores them in one step unless it is only tried. */
export async function bringIn(
  store: Store,
  incoming: Incoming,
  { dryRun = false, pruneRemoved = false }: BringOptions = {},
): Promise<Result<Import, Failures>> {
  const person = pruneRemoved ? await byPerson(store, 'use --prune-removed') : ok(undefined);
  if (!person.ok) return fail([person.failure]);
  if (isEmpty(incoming)) return ok(nothing);
  const known = await store.tasks();
  if (!known.ok) return fail([known.failure]);
  const plan = fitting(known.value, incoming);
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

/** Warns about landed tasks whose text has changed since. They do not stop the import of the rest. */
export function warnOfLanded({ landed }: Import): void {
  if (landed.length === 0) return;
  const names = landed.join(', ');
  const has = landed.length === 1 ? 'has' : 'have';
  process.stderr.write(
    `ym: ${names} ${has} already landed, so the new text is ignored. Add a new task for further work.\n`,
  );
}

/** Names the tasks that are no longer in their source, and what happens to them. */
export function warnOfRemoved(
  { removed }: Pick<Import, 'removed'>,
  { dryRun = false, pruneRemoved = false }: BringOptions = {},
): void {
  for (const source of new Set(removed.map((one) => one.source))) {
    const ids = removed.filter((one) => one.source === source).map(({ id }) => id);
    const shown = ids.slice(0, limits.namesShown).join(', ');
    const more =
      ids.length > limits.namesShown ? ` and ${ids.length - limits.namesShown} more` : '';
    const one = ids.length === 1;
    const cancelled = dryRun ? 'would be cancelled' : one ? 'is cancelled' : 'are cancelled';
    const kept = `${one ? 'stays' : 'stay'} open; \`--prune-removed\` cancels ${one ? 'it' : 'them'}`;
    const fate = `${one ? 'it' : 'they'} ${pruneRemoved ? cancelled : kept}`;
    process.stderr.write(`ym: no longer in ${source}: ${shown}${more}; ${fate}.\n`);
  }
}
