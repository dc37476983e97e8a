import { limits } from '../model/limits.ts';
import type { RunId } from '../model/run.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { outcomeOf } from '../model/trouble.ts';
import { type WorkSize, workSizeLimits } from '../model/work-size.ts';
import type { State } from '../plan/state.ts';
import {
  type AwaitedDecisions,
  answerDeadline,
  awaitedDecisions,
  newTasksDeadline,
} from '../plan/wait-or-stop.ts';
import type { Git } from '../port/git.ts';
import { type PastView, pastViewOf } from '../report/view/past.ts';
import {
  type BusyWorktree,
  busyWorktrees,
  type LastAction,
  lastActionsOf,
  type ReadAction,
  type WorkSizes,
  workingIn,
} from '../report/view/slot.ts';
import { type SeenRun, type View, viewOf } from '../report/view/view.ts';
import type { Project } from './ports.ts';
import type { Run } from './run.ts';

/** A project in memory, and the run of it to show. */
export interface Seen {
  readonly state: Pick<State, 'tasks' | 'attempts' | 'runHistory'>;
  readonly run?: SeenRun;
  readonly underWay: readonly RunId[];
  readonly tasks?: readonly TaskRecord[];
  /** Commit of the target branch, if git was asked. */
  readonly targetCommit?: string;
}

/** Shares of the time that making views, and reading the history of a run for them, may take. */
const viewShare = 0.05;
const pastShare = 0.02;
/** Least time between two reads of the history: its times are shown in seconds. */
const pastMs = 1_000;

type ViewPorts = Pick<Project, 'lastActions' | 'clock'> & Partial<Pick<Project, 'git'>>;

/**
 * Returns a function that makes the full view of a project from memory, for displays that are drawn often. It watches
 * what working agents print and, with a git, what they change. In a large project it returns the same view again for a
 * while, to cost little.
 */
export async function viewer({
  lastActions,
  clock,
  git,
}: ViewPorts): Promise<(seen: Seen) => View> {
  const now = (): number => clock.now();
  const action = watchedActions(await lastActions(), now);
  const sizes = git === undefined ? undefined : countedSizes({ git, clock });
  const past = atTimes(now, pastShare, pastOf, { leastMs: pastMs, keyOf: pastKey });
  return atTimes(now, viewShare, (seen: Seen) => {
    const { state, run, underWay, targetCommit, tasks: records = [...state.tasks.values()] } = seen;
    const known = { tasks: { id: 'all', records }, underWay, quarantinedChecks: [] } as const;
    if (run === undefined) return viewOf({ ...known, lastActions: new Map() }, now());
    const { record } = run;
    const seenRun = targetCommit === undefined ? run : { ...run, targetCommit };
    const actions = lastActionsOf(workingIn(records, record), action);
    const busy = run.driver.at === 'here' ? busyWorktrees(records, record) : [];
    const facts = { lastActions: actions, workSizes: sizes?.(busy) };
    const snapshot = { ...known, run: seenRun, ...facts };
    const history = past({ state, records, record, now: now() });
    return viewOf({ ...snapshot, past: history }, now());
  });
}

/** Views of the run that this process drives. */
export async function liveViews(
  project: ViewPorts,
  { id, state }: Pick<Run, 'id' | 'state'>,
): Promise<() => View> {
  const view = await viewer(project);
  return () => {
    const record = state.run(id);
    const run = record && { run: { record, driver: { at: 'here' } as const } };
    return view({ state, underWay: [id], ...run });
  };
}

interface PastRequest {
  readonly state: Seen['state'];
  readonly records: readonly TaskRecord[];
  readonly record: RunRecord;
  readonly now: number;
}

function pastOf({ state, records, record, now }: PastRequest): PastView {
  const attempts = [...state.attempts.values()].filter(({ runs }) => runs.includes(record.id));
  return pastViewOf(records, record, { attempts, history: state.runHistory(record.id) }, now);
}

/** The history of another run, or of a run that has just ended, is read at once. */
const pastKey = ({ record: { id, phase } }: PastRequest): string => `${id} ${phase.id}`;

interface Times<Input> {
  readonly leastMs?: number;
  readonly keyOf?: (input: Input) => string;
}

/**
 * Calls `make` so seldom that it takes at most this share of the time, and not before `leastMs` are over; returns the
 * last result in between if the input has the same key.
 */
function atTimes<Input, Output>(
  clock: () => number,
  share: number,
  make: (input: Input) => Output,
  { leastMs = 0, keyOf = () => '' }: Times<Input> = {},
): (input: Input) => Output {
  let last: { readonly until: number; readonly key: string; readonly output: Output } | undefined;
  return (input) => {
    const begin = clock();
    const key = keyOf(input);
    if (last?.key === key && begin < last.until) return last.output;
    const output = make(input);
    const end = clock();
    last = { until: end + Math.max(leastMs, (end - begin) / share), key, output };
    return output;
  };
}

/** Length and number of the spans of time in which the output of an agent is counted. */
const spanMs = 5_000;
const spans = 12;

/** Output of one turn, as measured so far. `sizes` has its size at the end of each span, by the number of the span. */
interface Watched {
  readonly at: number;
  readonly found: LastAction | undefined;
  readonly action: LastAction | undefined;
  readonly sizes: Map<number, number>;
}

/** Limits how often the reader is called for each turn, and counts how much its agent printed lately. */
function watchedActions(read: ReadAction, clock: () => number): ReadAction {
  const known = new Map<string, Watched>();
  let cleanedIn = 0;
  return (turn) => {
    const key = `${turn.branch} ${turn.turn}`;
    const now = clock();
    const before = known.get(key);
    if (before !== undefined && now - before.at < limits.lastActionMs) return before.action;
    const found = read(turn, before?.found);
    const span = Math.floor(now / spanMs);
    const sizes = before?.sizes ?? new Map<number, number>();
    if (found !== undefined) sizes.set(span, found.bytes);
    const action = found && { ...found, activity: growth(sizes, span) };
    known.set(key, { at: now, found, action, sizes });
    if (span !== cleanedIn) forget(known, now);
    cleanedIn = span;
    return action;
  };
}

/** Forgets turns that were not asked for lately, and sizes of spans that are over. */
function forget(known: Map<string, Watched>, now: number): void {
  const first = Math.floor(now / spanMs) - spans;
  for (const [key, { at, sizes }] of known) {
    if (now - at >= spanMs) known.delete(key);
    for (const span of sizes.keys()) if (span < first) sizes.delete(span);
  }
}

/** Bytes printed in each span up to `last`, oldest first. Spans before the first known size are left out. */
function growth(sizes: ReadonlyMap<number, number>, last: number): readonly number[] {
  const grown: number[] = [];
  let before: number | undefined;
  for (let span = last - spans; span <= last; span += 1) {
    const size = sizes.get(span) ?? before;
    if (size !== undefined && before !== undefined) grown.push(Math.max(0, size - before));
    before = size;
  }
  return grown;
}

/** Reason why an idle run goes on. An attended one waits for decisions without an end. */
export type IdleWait =
  | { readonly for: 'answers' | 'tasks'; readonly until: number }
  | { readonly for: 'decisions'; readonly decisions: AwaitedDecisions };

/** Tells what an idle run waits for; undefined if it does not wait. */
export function waitOf(
  { id, state }: Pick<Run, 'id' | 'state'>,
  now: number,
): IdleWait | undefined {
  const run = state.run(id);
  const live = [...state.live].flatMap((task) => state.task(task) ?? []);
  const decisions = run === undefined ? undefined : awaitedDecisions(state, run, live);
  if (decisions !== undefined && run?.attended === true && state.ready.size === 0)
    return { for: 'decisions', decisions };
  const answers = run === undefined || decisions === undefined ? 0 : answerDeadline(run, live);
  const tasks =
    run === undefined || live.length > 0 ? 0 : newTasksDeadline(run, state.waiting.size > 0);
  const until = Math.max(answers, tasks);
  if (state.ready.size > 0 || now >= until) return undefined;
  return { for: answers > 0 ? 'answers' : 'tasks', until };
}

/** Newest count of one worktree. `size` is absent after a failure. */
interface Counted {
  readonly size?: WorkSize;
  /** Time before which it is not counted again. */
  readonly until: number;
}

type CountedWorktrees = ReadonlyMap<string, Counted>;

/** The worktree to count now: the one that has been due for longest. */
function nextToCount(
  worktrees: readonly BusyWorktree[],
  counted: CountedWorktrees,
  now: number,
): BusyWorktree | undefined {
  const dueAt = ({ branch }: BusyWorktree): number => counted.get(branch)?.until ?? 0;
  const [first] = worktrees.filter((one) => dueAt(one) <= now).sort((a, b) => dueAt(a) - dueAt(b));
  return first;
}

/**
 * Returns a function that tells the size of the work in worktrees, by branch, as it was counted last. Each call starts
 * at most one count, which runs meanwhile; only one runs at a time, with a pause after it.
 */
export function countedSizes({
  git,
  clock,
}: Pick<Project, 'clock'> & { readonly git: Pick<Git, 'workSize'> }): (
  worktrees: readonly BusyWorktree[],
) => WorkSizes {
  let counted = new Map<string, Counted>();
  let pausedUntil = 0;
  const count = async ({ branch, dir, base }: BusyWorktree): Promise<void> => {
    pausedUntil = Number.POSITIVE_INFINITY;
    const begin = clock.now();
    const found = await outcomeOf(git.workSize(dir, base));
    const now = clock.now();
    pausedUntil = now + workSizeLimits.pauseMs;
    const isSlow = now - begin > workSizeLimits.wallMs;
    counted.set(
      branch,
      found.ok && !isSlow
        ? { size: found.value, until: now + workSizeLimits.againMs }
        : { until: now + workSizeLimits.retryMs },
    );
  };
  return (worktrees) => {
    const now = clock.now();
    const next = now < pausedUntil ? undefined : nextToCount(worktrees, counted, now);
    if (next !== undefined) void count(next);
    const branches = new Set(worktrees.map(({ branch }) => branch));
    counted = new Map([...counted].filter(([branch]) => branches.has(branch)));
    return new Map(
      [...counted].flatMap(([branch, { size }]) => (size === undefined ? [] : [[branch, size]])),
    );
  };
}
