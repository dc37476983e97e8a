import { Command } from './command.ts';
import { EventBody } from './event.ts';
import { Failure } from './failure.ts';
import { closedUnion, count, list, names, type Of, object, ordinal, text, words } from './shape.ts';

export const jobLimits = {
  /** Intervals of a worker's heartbeat, and of the run's checks for it. */
  beatMs: 2_000,
  lookMs: 1_000,
  /** A worker that was silent for so long is lost. */
  lostMs: 8_000,
  /** Interval at which a run asks for the ends of jobs, while some are under way. */
  pollMs: 200,
  /** Time that a landing waits for its push to the shared repository before other work goes on. */
  pushPatienceMs: 15_000,
  /** The same if the push has begun at an earlier try. */
  joinedPushMs: 1_000,
  /** Time that a run waits at its end for each of its last calls to the shared repository, and for all that clear it. */
  lastCallMs: 15_000,
  clearMs: 120_000,
  /** Time to connect to the database, and to wait for one answer, before another connection is tried. */
  answerMs: 10_000,
  /** Jobs that a worker performs at once; most of them are short, and slots bound the others. */
  atOnce: 64,
  /** Bytes of a file that are shared with other machines at once, and at all; the whole file is where it was written. */
  pieceBytes: 256 * 1024,
  fileBytes: 16 * 1024 * 1024,
} as const;

/** A commit and the ref that names it in both repositories. */
export const RefAt = object({ ref: text, commit: text });
export type RefAt = Of<typeof RefAt>;

/** A command for a worker, with the refs that it needs; the first one is the target. */
export const Job = object({
  /** The same for the same command, so that it is given once, however often a process starts over. */
  id: text,
  run: text,
  command: Command,
  refs: list(RefAt),
  /** Ids of the gates of the run: of candidates, and of branches if that is another one. */
  gates: names,
});
export type Job = Of<typeof Job>;

/** A command that interrupts jobs of a worker. If it arrives late, and none of them is under way any more, it means nothing. */
export const Interruption = object({ run: text, command: Command, jobs: names });
export type Interruption = Of<typeof Interruption>;

/** Result of a job, and every ref of its attempt as it is now. */
export const JobEnd = closedUnion('id', {
  done: { events: list(EventBody), refs: list(RefAt) },
  failed: { failure: Failure },
});
export type JobEnd = Of<typeof JobEnd>;

/** Facts about a project that workers need. */
export const SharedProject = object({
  /** Repository through which commits travel. */
  remote: text,
  /** Name and email for commits, as git prints them. */
  identity: text,
  /** Version of the program that drives the latest run. */
  version: text,
});
export type SharedProject = Of<typeof SharedProject>;

export const Announced = object({
  /** Unique in the project. The same after a restart in the same folder. */
  id: text,
  host: text,
  slots: ordinal,
  /** Gates of candidates that it runs at once; 0 if it runs none. */
  gates: count,
  labels: names,
  /** Version of the program; only workers of the same version get jobs. */
  version: text,
  state: words('joined', 'draining', 'ended'),
});
export type Announced = Of<typeof Announced>;

export interface KnownWorker extends Announced {
  /** Time since it was last heard of, by the clock of the database. */
  readonly silentMs: number;
}
