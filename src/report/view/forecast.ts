import { buildGraph } from '../../graph/graph.ts';
import { heldUpIn } from '../../graph/held-up.ts';
import { agentMs, learnTimes, type PastTask, statedMs } from '../../graph/learned-times.ts';
import { type Expectation, remainingPaths, weightsOf } from '../../graph/paths.ts';
import { scheduleOf } from '../../graph/schedule.ts';
import type { AttemptState } from '../../model/attempt.ts';
import { isLive } from '../../model/attempt-state.ts';
import type { RunRecord } from '../../model/run-record.ts';
import type { Task, TaskId } from '../../model/task.ts';
import type { TaskRecord } from '../../model/task-record.ts';
import { finder, inScope } from '../../task/scope.ts';
import type { Past } from './past.ts';

/** Expected end of a run, and the earliest one: no order of the remaining work ends sooner. */
export interface ForecastView {
  readonly endAt: number;
  readonly soonestAt: number;
}

/**
 * Forecasts the end of a run from stated estimates and from the times of tasks that have landed. Undefined if neither
 * is known, or if nothing is left that continues on its own.
 */
export function forecastOf(
  records: readonly TaskRecord[],
  run: RunRecord,
  past: Past,
  gateMs: number,
  now: number,
): ForecastView | undefined {
  const isMine = inScope(run.settings.scope, finder(records));
  const byId = new Map(records.map((record) => [record.task.id, record]));
  const heldUp = heldUpIn(records, byId);
  const left = new Map(
    records
      .filter(({ task, status }) => status.id === 'open' && isMine(task) && !heldUp.has(task.id))
      .filter(({ attempt }) => attempt === undefined || !waitsForPerson(attempt.state))
      .map((record) => [record.task.id, record]),
  );
  const weight = expectedTimes(records, run, past);
  if (left.size === 0 || weight === undefined) return undefined;
  const graph = buildGraph(
    [...left.values()].map(({ task }) => ({
      ...task,
      after: task.after.filter((parent) => left.has(parent)),
    })),
  );
  if (!graph.ok) return undefined;
  const spent = agentTimes(past, now);
  const rest = (task: Task): number => restOf(left.get(task.id), weight(task), spent, gateMs);
  const paths = remainingPaths(graph.value, rest);
  const { jobs } = run.settings;
  const { end } = scheduleOf(graph.value, paths, rest, jobs);
  const work = [...graph.value.tasks.values()].reduce((sum, task) => sum + rest(task), 0);
  const longest = [...paths.values()].reduce((most, ms) => Math.max(most, ms), 0);
  return {
    endAt: Math.round(now + end + gateMs),
    soonestAt: Math.round(now + Math.max(longest, work / jobs) + gateMs),
  };
}

/** Its time is the person's, which nobody knows. */
function waitsForPerson({ id }: AttemptState): boolean {
  return id === 'asking' || id === 'awaiting' || id === 'held' || id === 'finished';
}

/** Expected agent time of a task; undefined if nothing is known about any task. */
function expectedTimes(
  records: readonly TaskRecord[],
  { settings }: RunRecord,
  { attempts }: Past,
): ((task: Task) => number) | undefined {
  const tasks = new Map(records.map(({ task }) => [task.id, task]));
  const landed = attempts.flatMap((attempt): PastTask[] => {
    const task = tasks.get(attempt.task);
    if (task === undefined || attempt.end.id !== 'landed') return [];
    return [{ task, agent: attempt.agent, ms: agentMs(attempt) }];
  });
  const times = settings.forecast?.times ?? learnTimes(landed);
  const expectation: Expectation | undefined = times && { times, agent: settings.agent };
  const isKnown = expectation !== undefined || [...tasks.values()].some(statedMs);
  return isKnown ? weightsOf(tasks.values(), expectation) : undefined;
}

/** Agent time of each task so far, running turns included. */
function agentTimes({ attempts }: Past, now: number): ReadonlyMap<TaskId, number> {
  const times = new Map<TaskId, number>();
  for (const { task, turns } of attempts) {
    const ms = turns.reduce(
      (sum, { startedAt, end }) => sum + Math.max(0, (end?.at ?? now) - startedAt),
      0,
    );
    times.set(task, (times.get(task) ?? 0) + ms);
  }
  return times;
}

/** A task that has used up its expected time is expected to need this share of the time that it has taken so far. */
const overtime = 0.5;

function restOf(
  record: TaskRecord | undefined,
  expected: number,
  spent: ReadonlyMap<TaskId, number>,
  gateMs: number,
): number {
  const { attempt, task } = record ?? {};
  if (attempt === undefined || task === undefined || !isLive(attempt.state)) return expected;
  const { id } = attempt.state;
  if (id === 'queued' || id === 'landing' || id === 'gating') return gateMs;
  const used = spent.get(task.id) ?? 0;
  return used < expected ? expected - used : used * overtime;
}
