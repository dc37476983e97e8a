import { BatchesRecord } from './batch.ts';
import { Failure } from './failure.ts';
import { RevisionsRecord } from './revision.ts';
import { Owner, RunSettings, Stop } from './run.ts';
import {
  amount,
  bool,
  closedUnion,
  count,
  list,
  map,
  names,
  type Of,
  object,
  optional,
  ordinal,
  text,
  time,
  union,
  words,
} from './shape.ts';
import { TargetRecord, TrainRecord } from './train-record.ts';

/** An account or a step that may not be used until a time; without `until` until the cause is gone. */
export const Pause = object({
  failure: Failure,
  since: time,
  until: optional(time),
  /** Pauses in a row without a success in between. */
  times: count,
});
export type Pause = Of<typeof Pause>;

/** Step that stands for everything that needs more disk space. It pauses while the disk is nearly full. */
export const startStep = 'start';
/** Step that stands for all gate runs. It pauses after one that failed on a full disk. */
export const gateStep = 'gate';

/** Work goes to the fallback until it has had `left` more successes; then the run's own agent gets one trial. */
const Cooldown = object({ left: count });

/** Pauses by account name, ended ones included, and the cooldown of the run's own agent. */
const AccountsRecord = object({ paused: map(Pause), cooldown: optional(Cooldown) });
export type AccountsRecord = Of<typeof AccountsRecord>;

/** Agent starts and spend of a run. */
const Spent = object({
  starts: count,
  tokens: count,
  costUsd: amount,
  /** Turns with known usage; their average is reserved for each turn that starts. */
  turns: count,
});
export type Spent = Of<typeof Spent>;

export const nothingSpent: Spent = { starts: 0, tokens: 0, costUsd: 0, turns: 0 };

const SlotRecord = object({
  errors: count,
  /** Time at which its last turn ended. */
  endedAt: optional(time),
  /** A person paused it: what runs there ends its turn, and nothing new starts. */
  paused: optional(words(true)),
  /** The worker that it belongs to; absent for a slot of the process that drives the run. */
  worker: optional(text),
});
export type SlotRecord = Of<typeof SlotRecord>;

/** `draining`: it finishes what it does, and takes nothing new. `ended` and `lost`: its worktrees are out of reach. */
export const WorkerState = words('joined', 'draining', 'ended', 'lost', 'refused');
export type WorkerState = Of<typeof WorkerState>;

/** A process, on this machine or another, that performs commands of the run in slots of its own. */
export const ofWorker = { host: text, labels: names, state: WorkerState };
const WorkerRecord = object(ofWorker);

/** A person's change of the slots of a run under way. */
export const SlotChange = union('id', {
  /** The run has this many slots from now on. */
  number: { jobs: ordinal },
  pause: { slot: ordinal },
  resume: { slot: ordinal },
  /** From now on this many agents may start within `windowMs`. */
  pace: { starts: ordinal, windowMs: ordinal },
});
export type SlotChange = Of<typeof SlotChange>;

export const pullState = {
  state: words('open', 'merged', 'closed'),
  /** `passed` only if every check ended and none failed; `none` without checks. */
  checks: words('passed', 'failed', 'pending', 'none'),
  url: text,
  /** Commit created on the base branch when the pull request was merged. */
  mergeCommit: optional(text),
};

export const Pull = object({ branch: text, number: count, ...pullState });
export type Pull = Of<typeof Pull>;

/** State of polling pull requests. */
const PullWatch = object({
  branches: names,
  /** When polling began or a state last changed. */
  changedAt: time,
  askedAt: time,
  /** Consecutive polls without a change, failed ones included. */
  quiet: count,
  states: list(Pull),
});
export type PullWatch = Of<typeof PullWatch>;

/** Result of a check for a wait that is not over. */
export const WaitNote = object({ wait: text, note: text });
export type WaitNote = Of<typeof WaitNote>;

/** State of checking the waits of tasks. */
const WaitWatch = object({
  /** Waits that were not over at the last check. */
  waits: names,
  askedAt: time,
  /** Consecutive checks after which no wait was over. */
  quiet: count,
  notes: list(WaitNote),
});
export type WaitWatch = Of<typeof WaitWatch>;

/** Trouble with writing the state of a task to its source, and the time of the next try. */
const SyncTrouble = object({ note: text, times: count, until: time });

const RunPhase = closedUnion('id', {
  running: {
    /** A person asked it to stop: after the work under way, or now. */
    stopAsked: optional(words('finish', 'now')),
    /** A fault outside of the work, such as a red target. Nothing more starts. */
    trouble: optional(Failure),
  },
  ended: {
    at: time,
    stop: Stop,
    /** Number of the event that ended it. */
    seq: optional(count),
  },
});
export type RunPhase = Of<typeof RunPhase>;

export const RunRecord = object({
  id: text,
  settings: RunSettings,
  owner: Owner,
  base: text,
  startedAt: time,
  resumedAt: optional(time),
  /** Time between its ends, or the deaths of its processes, and the resumes that followed. */
  stoppedMs: optional(count),
  /** A person watches it on a terminal; see `plan/wait-or-stop.ts`. */
  attended: optional(words(true)),
  phase: RunPhase,
  train: TrainRecord,
  target: TargetRecord,
  accounts: AccountsRecord,
  /** Steps that failed because of the machine, until they succeed; see `plan/paused-steps.ts`. */
  pausedSteps: map(Pause),
  /**
   * Index 0 is slot 1. Slots without a worker beyond `settings.jobs` were removed; what runs there still ends its turn.
   */
  slots: list(SlotRecord),
  /** By id; absent if none ever joined. */
  workers: optional(map(WorkerRecord)),
  spent: Spent,
  /** Budgets count from there. */
  spentBeforeResume: Spent,
  /** When an attempt last ended, or the run started or was resumed. */
  idleSince: time,
  /** When a person last decided about one of its tasks. */
  decidedAt: optional(time),
  /** Times of its last agent starts, as many as `spawnRate` needs. See `plan/spawn-rate.ts`. */
  lastStarts: optional(list(time)),
  /** Agent worktrees in a row that could not be set up. */
  setUpFailures: count,
  /** Absent in a run with one slot. */
  batches: optional(BatchesRecord),
  /** Absent before the first agent that gave up; see `plan/revision.ts`. */
  revisions: optional(RevisionsRecord),
  /** Tasks filed by its agents or for conflicts, in order. */
  filedTasks: names,
  /** Last known state of the delivered pull requests. */
  pullWatch: optional(PullWatch),
  /** Last check of the waits of tasks; see `plan/waits.ts`. */
  waitWatch: optional(WaitWatch),
  /** Tasks whose state could not be written to their source, by id; see `plan/source-sync.ts`. */
  syncTrouble: optional(map(SyncTrouble)),
  reported: object({
    /** Files and refs that the user changed during the run; the newest ones. */
    userChanges: names,
    /** Set-up leaves files that git does not ignore. */
    unignored: bool,
  }),
});
export type RunRecord = Of<typeof RunRecord>;

/** A run as the store returns it. Other hosts treat its process as alive until the lease of its lock ends. */
export interface LeasedRun extends RunRecord {
  /** Absent without a lock, as `heardAt`, the time of its last renewal. */
  readonly leaseUntil: number | undefined;
  readonly heardAt: number | undefined;
  /** Time of its newest event; absent after its end. */
  readonly lastEventAt: number | undefined;
}

type Phased = Pick<RunRecord, 'phase'>;

export function hasEnded({ phase }: Phased): boolean {
  return phase.id === 'ended';
}

export function endOf({ phase }: Phased): number | undefined {
  return phase.id === 'ended' ? phase.at : undefined;
}

export function stopOf({ phase }: Phased): Stop | undefined {
  return phase.id === 'ended' ? phase.stop : undefined;
}

/** True if the run has nothing left to do. One that ended for another reason may go on, here or on another machine. */
export function isDrained(run: Phased): boolean {
  return stopOf(run)?.reason === 'drained';
}

/** Last sign of life of a run that has not ended. */
export function lastSignOf({ startedAt, heardAt = 0, lastEventAt = 0 }: LeasedRun): number {
  return Math.max(startedAt, heardAt, lastEventAt);
}

/** Moment at which the clock of a run stands: at its end, now, or at the last sign of life of a process that is gone. */
export function clockOf(run: LeasedRun, isUnderWay: boolean, now: number): number {
  return endOf(run) ?? (isUnderWay ? now : lastSignOf(run));
}

/** Time that a run has been under way until a moment: without the time between an end and a resume. */
export function runMs(
  { startedAt, stoppedMs = 0 }: Pick<RunRecord, 'startedAt' | 'stoppedMs'>,
  until: number,
): number {
  return Math.max(0, until - startedAt - stoppedMs);
}

export function troubleIn({ phase }: Phased): Failure | undefined {
  return phase.id === 'running' ? phase.trouble : undefined;
}

/** The fault outside of the work that also keeps gates from running: finished work waits for a resumed run. */
export function gateTroubleIn(run: Phased): Failure | undefined {
  const trouble = troubleIn(run);
  return trouble !== undefined && stopsGates(trouble) ? trouble : undefined;
}

/** False if only worktrees of attempts cannot be set up: finished work is judged and lands before the run ends. */
function stopsGates(trouble: Failure): boolean {
  return trouble.kind !== 'setup-failed' || trouble.where !== 'attempt';
}

/** Records a fault outside of the work. The first one counts, and then the first that keeps gates from running. */
export function withTrouble<Run extends Phased>(run: Run, trouble: Failure): Run {
  if (run.phase.id === 'ended' || gateTroubleIn(run) !== undefined) return run;
  if (run.phase.trouble !== undefined && !stopsGates(trouble)) return run;
  return { ...run, phase: { ...run.phase, trouble } };
}

/** Records a gate run without a verdict: it ends the run, unless the disk was full. Then gates pause and run again. */
export function withoutVerdict<Run extends Phased>(run: Run, failure: Failure): Run {
  return isOfFullDisk(failure) ? run : withTrouble(run, failure);
}

/** True if a gate run with this failure judged nothing because its disk was full. */
export function isOfFullDisk({ kind }: Failure): boolean {
  return kind === 'no-space';
}
