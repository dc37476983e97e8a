import { buildGraph } from '../../graph/graph.ts';
import { agentMs, learnTimes, type PastTask, statedMs } from '../../graph/learned-times.ts';
import { type Expectation, remainingPaths, weightsOf } from '../../graph/paths.ts';
import { scheduleOf } from '../../graph/schedule.ts';
import type { AttemptState } from '../../model/attempt.ts';
import { isLive } from '../../model/attempt-state.ts';
import { unreachable } from '../../model/failure.ts';
import type { RunRecord } from '../../model/run-record.ts';
import type { Task, TaskId } from '../../model/task.ts';
import { satisfies, type TaskRecord } from '../../model/task-record.ts';
import { type StartReason, startReasons } from '../../plan/start-reason.ts';
import { haltOf } from '../../plan/stop.ts';
import type { Past } from './past.ts';

/** Expected end of a run, and the earliest one: no order of the remaining work ends sooner. */
export interface ForecastView {
  readonly endAt: number;
  readonly soonestAt: number;
}

/** The forecast of a run, with the expected end of each task. */
export interface Forecast {
  readonly forecast: ForecastView;
  readonly endsAt: ReadonlyMap<TaskId, number>;
}

/** Expected ends of tasks are rounded to this, so that they change seldom. */
const grainMs = 10_000;

/**
 * Forecasts the end of a run from stated estimates, from the times of tasks that have landed, and from the time of a
 * gate. Undefined if too little is known about the work that is left, or if nothing is left that the run still works
 * on without a person.
 */
export function forecastOf(
  records: readonly TaskRecord[],
  run: RunRecord,
  past: Past,
  gateMs: number,
  now: number,
): Forecast | undefined {
  const left = remainingIn(records, run, now);
  const isForGate = (id: TaskId): boolean =>
    isJudged(left.get(left.get(id)?.coClaimedBy?.id ?? id));
  const isOnlyGates = gateMs > 0 && [...left.keys()].every(isForGate);
  const spent = agentTimes(past, now);
  const working = [...left.values()].filter((one) => isAtWork(one) && spent.has(one.task.id));
  const weight =
    expectedTimes(records, run, past, { working, spent }) ?? (isOnlyGates ? () => 0 : undefined);
  if (left.size === 0 || weight === undefined) return undefined;
  const graph = buildGraph(
    [...left.values()].map((record) => ({
      ...record.task,
      after: [...awaitedBy(record), ...(record.variants?.ids ?? [])].filter((id) => left.has(id)),
    })),
  );
  if (!graph.ok) return undefined;
  const rest = (task: Task): number => restOf(left.get(task.id), weight(task), spent, gateMs);
  const paths = remainingPaths(graph.value, rest);
  const { jobs } = run.settings;
  const { end, ends } = scheduleOf(graph.value, paths, rest, jobs);
  const work = [...graph.value.tasks.values()].reduce((sum, task) => sum + rest(task), 0);
  const longest = [...paths.values()].reduce((most, ms) => Math.max(most, ms), 0);
  const lastGate = isOnlyGates ? 0 : gateMs;
  const endOf = (id: TaskId, ms: number): number => now + ms + (isForGate(id) ? 0 : gateMs);
  return {
    forecast: {
      endAt: Math.round(now + end + lastGate),
      soonestAt: Math.round(now + Math.max(longest, work / jobs) + lastGate),
    },
    endsAt: new Map(
      [...ends].map(([id, ms]) => [id, Math.ceil(endOf(id, ms) / grainMs) * grainMs]),
    ),
  };
}

/** True if an agent still has to finish the task. */
function isAtWork(record: TaskRecord): boolean {
  return record.attempt !== undefined && isLive(record.attempt.state) && !isJudged(record);
}

/** True if only gates are left for the task. */
function isJudged(record: TaskRecord | undefined): boolean {
  const id = record?.attempt?.state.id;
  return id === 'queued' || id === 'landing' || id === 'gating';
}

/** Tasks that the run still works on before it needs a person, another run or a resume. */
function remainingIn(
  records: readonly TaskRecord[],
  run: RunRecord,
  now: number,
): Map<TaskId, TaskRecord> {
  const continues = continuingIn(records, run, now);
  const left = new Map(
    records.filter(continues).map((record): [TaskId, TaskRecord] => [record.task.id, record]),
  );
  const done = new Set(records.filter(satisfies).map(({ task }) => task.id));
  const known = new Set(records.map(({ task }) => task.id));
  const isHeldUp = (record: TaskRecord): boolean =>
    awaitedBy(record).some((id) => known.has(id) && !done.has(id) && !left.has(id));
  for (let size = -1; size !== left.size; ) {
    size = left.size;
    for (const [id, record] of left) if (isHeldUp(record)) left.delete(id);
  }
  return left;
}

/** Tasks that have to be done before this one is. */
function awaitedBy({ task, coClaimedBy, attempt, variants }: TaskRecord): readonly TaskId[] {
  if (coClaimedBy !== undefined) return [coClaimedBy.id];
  if (variants !== undefined) return [];
  return attempt !== undefined && isLive(attempt.state) ? [] : task.after;
}

/** Tests whether a task continues without a person and within this run, apart from its parents. */
function continuingIn(
  records: readonly TaskRecord[],
  run: RunRecord,
  now: number,
): (record: TaskRecord) => boolean {
  const halt = haltOf(run, { now, hasWorkToStart: true });
  const reasonOf = startReasons(run, records, now);
  return (record) => {
    const { status, attempt, coClaimedBy, variants } = record;
    if (status.id !== 'open' || halt?.hard === true) return false;
    if (coClaimedBy !== undefined) return coClaimedBy.run === run.id;
    // Agents work on its variants, and then one of them is chosen.
    if (variants !== undefined) return variants.choose !== 'person' && variants.asked === undefined;
    if (attempt === undefined || !isLive(attempt.state)) return startsInTime(reasonOf(record));
    if (attempt.run !== run.id || waitsForPerson(attempt.state)) return false;
    return halt === undefined || !needsStart(attempt.state);
  };
}

/** False if nothing but a person or another run lets the task start. */
function startsInTime(reason: StartReason): boolean {
  switch (reason.id) {
    case 'not-in-run':
    case 'over-limit':
    case 'stopping':
    case 'slots-paused':
    case 'slots-failed':
    case 'no-worker':
    case 'workers-away':
    case 'budget':
      return false;
    case 'account-paused':
      return reason.until !== undefined;
    case 'agent-busy':
      return reason.agents.length > 0;
    case 'machine':
    case 'conflict':
    case 'batch':
    case 'pace':
    case 'worktree':
    case 'slot':
    case 'next':
    case 'overlap':
      return true;
    default:
      unreachable(reason);
  }
}

/** Its time is the person's, which nobody knows. */
function waitsForPerson({ id }: AttemptState): boolean {
  return id === 'asking' || id === 'awaiting' || id === 'held' || id === 'finished';
}

/** True if no agent works on it before the next start, which a run that ends does not make. */
function needsStart({ id }: AttemptState): boolean {
  return id === 'preparing' || id === 'prepared' || id === 'returned' || id === 'between-turns';
}

/** Tasks whose agents have started and not finished, and the agent time of each task so far. */
interface Progress {
  readonly working: readonly TaskRecord[];
  readonly spent: ReadonlyMap<TaskId, number>;
}

/** A task that takes longer than this multiple of its expected time shows that the expectation is off. */
const overrunFactor = 2;

/**
 * Expected agent time of a task; undefined if nothing is known about any task, or if too many tasks overrun it. The
 * quickest tasks land first, so nothing is learned from a run before more tasks have landed than are at work.
 */
function expectedTimes(
  records: readonly TaskRecord[],
  { settings }: RunRecord,
  { attempts }: Past,
  { working, spent }: Progress,
): ((task: Task) => number) | undefined {
  const tasks = new Map(records.map(({ task }) => [task.id, task]));
  const landed = attempts.flatMap((attempt): PastTask[] => {
    const task = tasks.get(attempt.task);
    if (task === undefined || attempt.end.id !== 'landed') return [];
    return [{ task, agent: attempt.agent, ms: agentMs(attempt) }];
  });
  const learned = landed.length > working.length ? learnTimes(landed) : undefined;
  const times = settings.forecast?.times ?? learned;
  const expectation: Expectation | undefined = times && { times, agent: settings.agent };
  if (expectation === undefined && ![...tasks.values()].some(statedMs)) return undefined;
  const weight = weightsOf(tasks.values(), expectation);
  const isOverrun = ({ task }: TaskRecord): boolean =>
    (spent.get(task.id) ?? 0) > overrunFactor * weight(task);
  return working.filter(isOverrun).length > landed.length ? undefined : weight;
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

function restOf(
  record: TaskRecord | undefined,
  expected: number,
  spent: ReadonlyMap<TaskId, number>,
  gateMs: number,
): number {
  const { attempt, task, coClaimedBy, variants } = record ?? {};
  if (coClaimedBy !== undefined || variants !== undefined) return 0;
  if (attempt === undefined || task === undefined || !isLive(attempt.state)) return expected;
  if (isJudged(record)) return gateMs;
  const used = spent.get(task.id) ?? 0;
  // Once the expected time is over, the time so far is the best guess for what is left.
  return used < expected ? expected - used : used;
}
