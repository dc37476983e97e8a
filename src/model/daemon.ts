import { Failure } from './failure.ts';
import { Owner } from './run.ts';
import {
  closedUnion,
  closedWords,
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
  words,
} from './shape.ts';

export const daemonLimits = {
  jobsMax: 64,
  jobsDefault: 8,
  spawnsPerTickMax: 64,
  spawnsPerTickDefault: 4,
  drainDefaultMs: 10 * 60_000,
  /** Time between two looks at the runs; also the unit of `daemon.spawns_per_tick`. */
  tickMs: 1_000,
  /** Time between two reads of the schedules. */
  scheduleMs: 30_000,
  /** Times that a run whose process died is resumed in a row, and the pause before each. */
  restarts: 5,
  restartPauseMs: 2_000,
  /** A run that lived this long was not in trouble. */
  healthyMs: 10 * 60_000,
  /** Submissions that have ended and can still be asked for. */
  endedKept: 100,
  answerMs: 30_000,
  /** Time that the daemon waits for the records of one project. */
  projectMs: 5_000,
  startMs: 15_000,
  /** Time that runs have to end after their agents were stopped. */
  stopNowMs: 60_000,
  requestBytes: 64 * 1024 * 1024,
  logBytes: 5 * 1024 * 1024,
  /** Most bytes in the path of a Unix socket; macOS allows the fewest. */
  socketPathBytes: 100,
} as const;

export const DaemonPriority = closedWords('high', 'normal', 'low');
export type DaemonPriority = Of<typeof DaemonPriority>;

/** Settings of a run that the daemon divides among projects, as the project wants them. */
const wishes = {
  jobs: ordinal,
  spawnRate: ordinal,
  priority: DaemonPriority,
  /** True if the command line sets `jobs`, so that a reload keeps it. */
  hasOwnJobs: optional(words(true)),
};
export const Wishes = object(wishes);
export type Wishes = Of<typeof Wishes>;

/** A run that was handed to the daemon and has not ended. */
export const Submission = object({
  number: ordinal,
  root: text,
  /** Command line of the process that drives the run, such as `run --scope ready`. */
  words: names,
  /** The run that this command line resumes. */
  resumes: optional(text),
  wishes: Wishes,
  input: optional(text),
  askedAt: time,
  /** `PATH` of the caller, where the programs of agents are. The rest of its environment is in no file. */
  path: optional(text),
  /** The daemon's process that drives it, or did; absent while it waits for a slot or is driven elsewhere. */
  owner: optional(Owner),
  run: optional(text),
  /** True if the daemon asked the run to stop, so that the next daemon resumes it. Kept until then. */
  stopped: optional(words(true)),
  /** Times in a row that its process died, and when the next one may start. */
  deaths: count,
  retryAt: optional(time),
});
export type Submission = Of<typeof Submission>;

export const DaemonState = object({
  /** Checkouts whose schedules are followed. */
  projects: names,
  last: count,
  submissions: list(Submission),
  /** Time up to which the firings of a schedule are done, by `<root> <name>`. */
  fired: map(time),
  /** Tasks that schedules added and that no run has taken up. */
  due: list(object({ root: text, task: text })),
});
export type DaemonState = Of<typeof DaemonState>;

export const noState: DaemonState = {
  projects: [],
  last: 0,
  submissions: [],
  fired: {},
  due: [],
};

export const DaemonRequest = closedUnion('ask', {
  status: {},
  /** Follows the schedules of a project. */
  enroll: { root: text },
  submit: {
    root: text,
    words: names,
    /** The run to resume; absent for a new one. */
    resumes: optional(text),
    wishes: Wishes,
    input: optional(text),
    /** Environment of the caller: the run gets it, as if it were started there. */
    env: map(text),
  },
  submission: { number: ordinal },
  stop: { how: closedWords('finish', 'now') },
  reload: {},
});
export type DaemonRequest = Of<typeof DaemonRequest>;

export const Envelope = object({ version: text, request: DaemonRequest });

export const SubmissionState = closedUnion('id', {
  queued: {},
  starting: {},
  running: { run: text },
  /** A process that the daemon did not start drives it. */
  elsewhere: { run: text, driver: Owner },
  /** `exit` and `output` are those of its process, if this daemon saw it end. */
  ended: { run: optional(text), exit: optional(count), output: text },
});
export type SubmissionState = Of<typeof SubmissionState>;

export const DaemonRun = object({
  number: ordinal,
  root: text,
  state: SubmissionState,
  wishes: Wishes,
  /** Slots of the pool that it has, and how many are busy. */
  jobs: count,
  busy: count,
});
export type DaemonRun = Of<typeof DaemonRun>;

const answers = {
  status: {
    version: text,
    owner: Owner,
    since: time,
    jobs: ordinal,
    spawnsPerTick: ordinal,
    stopping: optional(words('finish', 'now')),
    projects: names,
    runs: list(DaemonRun),
  },
  submitted: { number: ordinal },
  submission: { state: SubmissionState },
  /** Changes, as sentences, and problems of config files, of which nothing was applied. */
  reloaded: { changes: names, problems: list(Failure) },
  done: {},
  refused: { failure: Failure },
};
export const DaemonAnswer = closedUnion('answer', answers);
export type DaemonAnswer = Of<typeof DaemonAnswer>;
export type DaemonStatus = Extract<DaemonAnswer, { readonly answer: 'status' }>;
