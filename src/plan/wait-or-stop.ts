import type { Stop } from '../model/run.ts';
import { awaitedEnd, pauseOf } from './accounts.ts';
import { AgentPool } from './agent-pool.ts';
import { nextCritique } from './fold-critique.ts';
import { limits } from './limits.ts';
import type { Pause, RunRecord, TaskRecord } from './record.ts';
import { nextTurnAt, slotPauses, turnsToStart } from './slots.ts';
import type { State } from './state.ts';

/** Nothing can be done now: what may change that, and when to look again; or why the run is over. */
export type WaitOrStop = { readonly until: readonly number[] } | { readonly stop: Stop };

export function waitOrStop(
  state: State,
  run: RunRecord,
  live: readonly TaskRecord[],
  now: number,
): WaitOrStop {
  const landing = forLanding(run, now);
  if (landing !== undefined && 'until' in landing) return landing;
  const rests = turnsToStart(live, run).map((record) => nextTurnAt(record, run));
  const between = state.ready.size === 0 ? [] : slotPauses(run, live);
  const resting = [...rests, ...between].filter((time) => time > now);
  const pauses = pausesInTheWay(state, run, live, now);
  const ends = pauses.map((pause) => awaitedEnd(run, pause)).filter((end) => end !== undefined);
  const times = [...resting, ...ends];
  if (times.length > 0) return { until: times };
  if (landing !== undefined) return landing;
  const [pause] = pauses;
  if (pause !== undefined) return { stop: pausedFor(pause) };
  return forPerson(live, now) ?? forTasks(run, live, now);
}

/** The target cannot be moved, and nothing else is left to do. */
function forLanding(run: RunRecord, now: number): WaitOrStop | undefined {
  const state = run.candidates
    .map((candidate) => candidate.state)
    .find(({ id }) => id === 'waiting');
  if (state?.id !== 'waiting') return undefined;
  const end = state.since + limits.landingPatienceMs;
  if (now < end) return { until: [end, state.until] };
  return { stop: { reason: 'environment', failure: state.failure } };
}

/** Pauses that keep something from going on: a conversation, or a ready task that nobody else may take. */
function pausesInTheWay(
  state: State,
  run: RunRecord,
  live: readonly TaskRecord[],
  now: number,
): readonly Pause[] {
  if (run.pausedAccounts === undefined) return [];
  const agentPool = new AgentPool(run, live, now);
  const names = new Set<string>();
  for (const record of live) {
    const { task, attempt } = record;
    const state = attempt?.state.id;
    const begins = state === 'prepared' || state === 'between-turns' || state === 'returned';
    const oneShot =
      attempt === undefined || state !== 'prepared'
        ? undefined
        : nextCritique(record, attempt, run);
    if (oneShot !== undefined) names.add(oneShot.agent);
    else if (begins)
      for (const name of agentPool.eligibleFor(task, attempt?.agent)) names.add(name);
    if (state === 'unreviewed')
      for (const name of run.settings.review?.reviewers ?? []) names.add(name);
  }
  for (const id of state.ready.ids()) {
    const task = state.task(id)?.task;
    if (task !== undefined) for (const name of agentPool.eligibleFor(task)) names.add(name);
  }
  return [...names]
    .map((name) => pauseOf(run, name, now))
    .filter((pause) => pause !== undefined)
    .sort((a, b) => (a.until ?? Number.POSITIVE_INFINITY) - (b.until ?? Number.POSITIVE_INFINITY));
}

/** A pause with an end is a matter of time, one without is a matter for a person. */
function pausedFor({ until, failure }: Pause): Stop {
  return { reason: until === undefined ? 'environment' : 'quota', failure };
}

/** What is left waits for a person; for an answer somebody may be there for a while. */
function forPerson(live: readonly TaskRecord[], now: number): WaitOrStop | undefined {
  const [first] = asking(live);
  if (first !== undefined) {
    const end = answerDeadline(live);
    if (now < end) return { until: [end] };
    const failure = { kind: 'question-open', question: first.question } as const;
    return { stop: { reason: 'question', failure } };
  }
  // An approval can be given at any time: the work waits as it is, and the next to go on with the run lands it.
  const awaiting = live.map(({ attempt }) => attempt?.state).find((one) => one?.id === 'awaiting');
  if (awaiting?.id !== 'awaiting') return undefined;
  return { stop: { reason: 'question', failure: awaiting.failure } };
}

function asking(live: readonly TaskRecord[]) {
  return live.flatMap(({ attempt }) => (attempt?.state.id === 'asking' ? [attempt.state] : []));
}

/** How long a run of which only a person's word is left stays for it; 0 where something else is left. */
export function answerDeadline(live: readonly TaskRecord[]): number {
  const asked = asking(live);
  if (asked.length === 0 || asked.length < live.length) return 0;
  return Math.max(...asked.map(({ since }) => since)) + limits.questionPatienceMs;
}

function forTasks(run: RunRecord, live: readonly TaskRecord[], now: number): WaitOrStop {
  // Attempts that are held back by the pool or by closed slots only; nobody will free them.
  if (live.length > 0) return { stop: { reason: 'slot-errors' } };
  const end = newTasksDeadline(run);
  return now < end ? { until: [end] } : { stop: { reason: 'drained' } };
}

/** How long a run that has nothing to do stays for tasks that may come; to tasks named one by one none can. */
export function newTasksDeadline({
  idleSince: quietSince,
  startedAt,
  settings,
}: RunRecord): number {
  const { waitForTasksMs = 0, scope } = settings;
  return (quietSince ?? startedAt) + (scope.kind === 'only' ? 0 : waitForTasksMs);
}
