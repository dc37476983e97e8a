import { names, optional, text, time, words } from './shape.ts';

/** Work on another machine fails, or is out of reach. */
export const workerFailures = {
  /** The worker that holds the worktree was lost, has ended, takes nothing new, or gets nothing more from the run. */
  'worker-gone': { worker: text, host: text, how: words('draining', 'ended', 'lost', 'refused') },
  /**
   * The machine that drove the run before has the work, and this one has not: its commit, or, without `commit`, its
   * worktree.
   */
  'work-missing': { branch: text, commit: optional(text) },
  /** Work that is about to land could not be pushed to the shared repository. `detail` is what git printed. */
  'share-failed': { detail: text },
  /** The shared repository has not taken such work for so long; the push goes on. */
  'share-slow': { ms: time },
  /**
   * A worker judges by another gate than the run, answered something that the run did not ask for, lacks something
   * that the run needs, or had an internal error, whose stack trace is in `detail`. After a `gate-error` the run keeps it
   * until another machine has judged the same candidate.
   */
  'worker-unfit': {
    worker: text,
    problem: words('gate', 'answer', 'set-up', 'error', 'gate-error'),
    detail: text,
  },
  /** Two workers had an internal error with the same task. `detail` is the stack trace of the second one. */
  'workers-failed': { workers: names, detail: text },
};
