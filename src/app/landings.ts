import { compareLandings, landingChanges } from '../engine/landings.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { TaskId } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { settled } from '../model/trouble.ts';
import { type LandingEvent, landingStatus } from '../task/status.ts';
import type { Opened } from './ports.ts';

type Reading = Pick<Opened, 'store' | 'git'>;
type Runs = readonly Pick<RunRecord, 'settings'>[];

/** All tasks, as `comparedTasks` returns them. */
export async function tasksNow(ports: Reading, runs: Runs): Promise<Result<readonly TaskRecord[]>> {
  const stored = await ports.store.tasks();
  return stored.ok ? ok(await comparedTasks(ports, runs, stored.value)) : stored;
}

/**
 * The tasks, with their landings compared with the targets of these runs as git has them now. Stores nothing: the next
 * run does. If git cannot answer, the tasks are as stored.
 */
export async function comparedTasks(
  ports: Reading,
  runs: Runs,
  stored: readonly TaskRecord[],
): Promise<readonly TaskRecord[]> {
  const landing = runs.filter(({ settings: { delivery = 'land' } }) => delivery === 'land');
  let tasks = stored;
  for (const target of new Set(landing.map(({ settings }) => settings.target))) {
    const changes = await settled(landingChanges(ports, target, tasks));
    if (changes.ok && changes.value.length > 0) tasks = withChanges(tasks, changes.value);
  }
  return tasks;
}

/** Command that compares; `takeover`: a standby resumes the run by itself. */
type Occasion = 'run' | 'resume' | 'takeover';

/**
 * Fails if the target lacks landings that another clone has made: they are not dropped, and work on top of this target
 * would fork it. A resume and a takeover also fail if this clone lacks the commit of a landing, and a takeover if a landing
 * was removed from the target here.
 */
export async function checkLandings(
  ports: Reading,
  target: string,
  occasion: Occasion,
): Promise<Result<void>> {
  const changes = await compareLandings(ports, target);
  if (!changes.ok) return changes;
  const behind: TaskId[] = [];
  const removed: TaskId[] = [];
  for (const change of changes.value) {
    if (change.type !== 'landing-dropped') continue;
    const found = occasion === 'run' ? '' : await ports.git.resolve(change.commit);
    const isBehind = change.behind === true || found === undefined;
    (isBehind ? behind : removed).push(change.id);
  }
  const of = { kind: 'target-behind', target } as const;
  if (behind.length > 0) return fail({ ...of, tasks: behind, because: { id: 'not-here' } });
  if (occasion !== 'takeover' || removed.length === 0) return ok(undefined);
  return fail({ ...of, tasks: removed, because: { id: 'removed-here' } });
}

function withChanges(
  tasks: readonly TaskRecord[],
  changes: readonly LandingEvent[],
): readonly TaskRecord[] {
  const byTask = new Map(changes.map((change) => [change.id, change]));
  const opened = (id: TaskId): number => {
    const change = byTask.get(id);
    if (change === undefined) return 0;
    return change.type === 'landing-dropped' ? 1 : -1;
  };
  return tasks.map((record) => {
    const change = byTask.get(record.task.id);
    const status = (change && landingStatus(record.status, change)) ?? record.status;
    const more = record.task.after.reduce((sum, parent) => sum + opened(parent), 0);
    return { ...record, status, blockers: Math.max(0, record.blockers + more) };
  });
}
