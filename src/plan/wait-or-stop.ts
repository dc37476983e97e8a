import { limits } from '../model/limits.ts';
import type { Stop } from '../model/run.ts';
import type { Pause, RunRecord } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { awaitedEnd, pauseOf } from './accounts.ts';
import { AgentPool } from './agent-pool.ts';
import { choiceCalls } from './choice.ts';
import { nextCritique } from './fold-critique.ts';
import { proposalOf } from './fold-revision.ts';
import { areSlotsPaused } from './free-slots.ts';
import { agentStep } from './paused-steps.ts';
import { dueRevision } from './revision.ts';
import { hasWorkToStart, nextTurnAt, slotPauses, turnsToStart } from './slots.ts';
import type { State } from './state.ts';

/** With nothing to do now: the times at which that may change, or why the run ends. */
type WaitOrStop = { readonly until: readonly number[] } | { readonly stop: Stop };

export function waitOrStop(
  state: State,
  run: RunRecord,
  live: readonly TaskRecord[],
  /** Pauses that hold back everything else, each of them lasting. */
  lasting: readonly Pause[],
  now: number,
): WaitOrStop {
  const landing = forLanding(run, live, now);
  if (landing !== undefined && 'until' in landing) return landing;
  const nextTurns = turnsToStart(live, run)
    .filter(
      ({ task, attempt }) => run.pausedSteps[agentStep(task.id, attempt.number)] === undefined,
    )
    .map((record) => nextTurnAt(record, run));
  const nextTasks = state.ready.size === 0 ? [] : slotPauses(run, live);
  const starts = [...nextTurns, ...nextTasks].filter((time) => time > now);
  const pauses = pausesInTheWay(state, run, live, now);
  const ends = pauses.map((pause) => awaitedEnd(run, pause)).filter((end) => end !== undefined);
  const times = [...starts, ...ends];
  if (times.length > 0) return { until: times };
  if (landing !== undefined) return landing;
  const [machine] = lasting;
  if (machine !== undefined) {
    return { stop: { reason: 'environment', failure: machine.failure } };
  }
  const [pause] = pauses;
  if (pause !== undefined) return { stop: pausedFor(pause) };
  // Work goes on once the person who paused the slots resumes one.
  if (areSlotsPaused(run) && hasWorkToStart(state, run, live, now)) return { until: [] };
  const person = forPerson(run, live, now) ?? forChoice(state, live);
  // Whoever watches the run may decide at any time.
  const isAwaited = person !== undefined || awaitedDecisions(state, run, live) !== undefined;
  if (isAwaited && run.attended === true) return { until: [] };
  return person ?? forTasks(state, run, live, now);
}

/** Landings wait because the target cannot be moved. A resumed run is as patient as a new one. */
function forLanding(
  run: RunRecord,
  live: readonly TaskRecord[],
  now: number,
): WaitOrStop | undefined {
  const waiting = run.train.candidates.flatMap(({ state }) =>
    state.id === 'waiting' ? [state] : [],
  );
  const queued = live.flatMap(({ attempt }) =>
    attempt?.state.id === 'queued' ? (attempt.state.heldBack ?? []) : [],
  );
  const waits = [...waiting, ...queued];
  const [first] = waits;
  if (first === undefined) return undefined;
  const since = Math.max(run.resumedAt ?? 0, ...waits.map((wait) => wait.since));
  // A push that takes long may still arrive; git ends it.
  const isPushed = waits.some(({ failure }) => failure.kind === 'share-slow');
  const end = since + (isPushed ? limits.gitWallMs : limits.machinePatienceMs);
  if (now < end) return { until: [end, ...waits.map(({ until }) => until)] };
  return { stop: { reason: 'environment', failure: first.failure } };
}

/** Pauses of the agents that live attempts, ready tasks and the plan wait for, the soonest end first. */
function pausesInTheWay(
  state: State,
  run: RunRecord,
  live: readonly TaskRecord[],
  now: number,
): readonly Pause[] {
  if (Object.keys(run.accounts.paused).length === 0) return [];
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
    else if (begins) for (const name of agentPool.eligibleFor(task, attempt)) names.add(name);
    if (state === 'unreviewed')
      for (const name of run.settings.review?.reviewers ?? []) names.add(name);
  }
  for (const { call } of choiceCalls(state, run, now)) names.add(call.agent);
  const revision = dueRevision(state, run);
  if (revision !== undefined) names.add(revision.agent);
  for (const id of state.ready.ids()) {
    const task = state.task(id)?.task;
    if (task !== undefined) for (const name of agentPool.eligibleFor(task)) names.add(name);
  }
  return [...names]
    .map((name) => pauseOf(run, name, now))
    .filter((pause) => pause !== undefined)
    .sort((a, b) => (a.until ?? Number.POSITIVE_INFINITY) - (b.until ?? Number.POSITIVE_INFINITY));
}

/** A pause with an end needs time, one without needs a person. */
function pausedFor({ until, failure }: Pause): Stop {
  return { reason: until === undefined ? 'environment' : 'quota', failure };
}

/** Everything left waits for a person. A question keeps an unattended run waiting for a while, an approval does not. */
function forPerson(
  run: RunRecord,
  live: readonly TaskRecord[],
  now: number,
): WaitOrStop | undefined {
  const [first] = asking(live);
  if (first !== undefined) {
    const end = answerDeadline(run, live);
    if (now < end) return { until: [end] };
    const failure = { kind: 'question-open', question: first.question } as const;
    return { stop: { reason: 'question', failure } };
  }
  // An approval can be given at any time; a resumed run then lands the work.
  const awaiting = live.map(({ attempt }) => attempt?.state).find((one) => one?.id === 'awaiting');
  if (awaiting?.id !== 'awaiting') return undefined;
  return { stop: { reason: 'question', failure: awaiting.failure } };
}

/** Finished variants wait until a person chooses one. */
function forChoice(state: State, live: readonly TaskRecord[]): WaitOrStop | undefined {
  const [asked] = live.flatMap((record) => choiceFor(state, record) ?? []);
  if (asked === undefined) return undefined;
  const failure = { kind: 'choice-needed', variants: asked.finished } as const;
  return { stop: { reason: 'question', failure } };
}

/** The choice that a person was asked to make between variants of which this is one. */
function choiceFor(state: State, { task }: TaskRecord) {
  return state.task(task.variantOf ?? '')?.variants?.asked;
}

export interface AwaitedDecisions {
  readonly answers: number;
  /** Of work, and of changes to the plan. */
  readonly approvals: number;
  readonly choices: number;
}

/** Decisions that a run with these live attempts waits for; undefined if it can go on without one. */
export function awaitedDecisions(
  state: State,
  run: RunRecord,
  live: readonly TaskRecord[],
): AwaitedDecisions | undefined {
  const asked = [...new Set(run.revisions?.asked)].flatMap((id) => state.task(id) ?? []);
  const proposals = asked.filter((record) => proposalOf(record) !== undefined);
  const counted = { answers: 0, approvals: proposals.length };
  const choices = new Set<string | undefined>();
  for (const record of live) {
    const id = record.attempt?.state.id;
    if (id === 'asking') counted.answers += 1;
    else if (id === 'awaiting') counted.approvals += 1;
    else if (choiceFor(state, record) !== undefined) choices.add(record.task.variantOf);
    else return undefined;
  }
  if (live.length + proposals.length === 0) return undefined;
  return { ...counted, choices: choices.size };
}

function asking(live: readonly TaskRecord[]) {
  return live.flatMap(({ attempt }) => (attempt?.state.id === 'asking' ? [attempt.state] : []));
}

/** Until when an idle run waits for answers, whatever else it waits for; 0 without a question. */
export function answerDeadline(
  { settings }: Pick<RunRecord, 'settings'>,
  live: readonly TaskRecord[],
): number {
  const asked = asking(live);
  if (asked.length === 0) return 0;
  const patience = settings.ask?.timeoutMs ?? limits.questionPatienceMs;
  return Math.max(...asked.map(({ since }) => since)) + patience;
}

function forTasks(
  state: State,
  run: RunRecord,
  live: readonly TaskRecord[],
  now: number,
): WaitOrStop {
  // Attempts that only wait for slots closed after errors. A finished variant may wait for one in another run.
  if (live.some(({ attempt }) => attempt?.state.id !== 'finished'))
    return { stop: { reason: 'slot-errors' } };
  const end = newTasksDeadline(run, state.waiting.size > 0);
  return now < end ? { until: [end] } : { stop: { reason: 'drained' } };
}

/**
 * Until when an idle run waits for tasks: for new ones, and for those that wait for something outside of the project.
 * No new one can join a run of tasks that were named one by one.
 */
export function newTasksDeadline({ idleSince, settings }: RunRecord, hasWaiting: boolean): number {
  const { waitForTasksMs = 0, scope } = settings;
  return idleSince + (scope.kind === 'only' && !hasWaiting ? 0 : waitForTasksMs);
}
