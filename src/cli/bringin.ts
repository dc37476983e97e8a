import { isLive } from '../model/attempt.ts';
import type { EventBody } from '../model/event.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import type { Task } from '../model/task.ts';
import { stateOf, type TaskRecord } from '../plan/record.ts';
import type { Store } from '../record/store.ts';
import { type Import, planImport } from '../source/merge.ts';
import { openSource } from '../source/open.ts';
import { readStdin } from './stdin.ts';

type Failures = readonly Failure[];

/** Reads all sources whole; one bad item in any of them and there is no task at all. */
export async function readSources(
  paths: readonly string[],
  cwd: string,
): Promise<Result<readonly Task[], Failures>> {
  const tasks: Task[] = [];
  const failures: Failure[] = [];
  for (const path of paths) {
    const source = openSource(path, { cwd, readStdin });
    if (!source.ok) {
      failures.push(source.failure);
      continue;
    }
    const listed = await source.value.list();
    if (listed.ok) tasks.push(...listed.value);
    else failures.push(...listed.failure);
  }
  return failures.length > 0 ? fail(failures) : ok(tasks);
}

/** What storing the tasks would do to those that are known, or why they do not fit among them. */
export function fitting(
  known: readonly TaskRecord[],
  incoming: readonly Task[],
): Result<Import, Failures> {
  if (incoming.length === 0) return ok({ added: [], changed: [], same: [], landed: [] });
  const existing = known.map((record) => ({
    task: record.task,
    busy:
      record.rides !== undefined || (record.attempt !== undefined && isLive(record.attempt.state)),
    state: stateOf(record),
  }));
  return planImport(existing, incoming);
}

/** Checks the tasks against what is known, and stores them in one step unless it is only tried. */
export async function bringIn(
  store: Store,
  incoming: readonly Task[],
  dryRun: boolean,
): Promise<Result<Import, Failures>> {
  const known = await store.tasks();
  if (!known.ok) return fail([known.failure]);
  const plan = fitting(known.value, incoming);
  if (!plan.ok || dryRun) return plan;
  const events: EventBody[] = [
    ...plan.value.added.map((task) => ({ type: 'task-added', task }) as const),
    ...plan.value.changed.map((task) => ({ type: 'task-changed', task }) as const),
  ];
  if (events.length === 0) return plan;
  const stored = await store.append(Date.now(), events);
  return stored.ok ? plan : fail([stored.failure]);
}

/** Says which tasks have landed with an earlier text; the rest of their source goes on. */
export function warnOfLanded({ landed }: Import): void {
  if (landed.length === 0) return;
  const names = landed.join(', ');
  const has = landed.length === 1 ? 'has' : 'have';
  process.stderr.write(
    `ym: ${names} ${has} landed already, so the new text changes nothing. To have more done, file a new task.\n`,
  );
}
