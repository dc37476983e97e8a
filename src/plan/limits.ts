/** Every bound of the program, with its unit in its name. What a user may change, the config names again. */
export const limits = {
  /** Slots of a run. */
  jobsMin: 1,
  jobsMax: 16,
  jobsDefault: 4,

  /** Agent starts after a task's first one in a run. */
  retriesDefault: 2,
  /** Failed attempts in a row, over all runs, before a task is left alone. */
  quarantineAfterDefault: 3,
  /** Errors in a row in one slot before it takes no more work. */
  slotErrorsDefault: 5,
  /** A ready task that has waited this long goes before more important ones. */
  readyAgeMs: 30 * 60_000,

  /** One agent process, from start to end. */
  agentWallMs: 60 * 60_000,
  /** One agent process without any output. */
  agentIdleMs: 15 * 60_000,
  /** One agent process until its first output. Off by default: plain commands may be silent. */
  agentStartMs: 0,
  setupWallMs: 15 * 60_000,
  gateWallMs: 30 * 60_000,
  /** Output of one child, standard output and error together. */
  outputBytes: 64 * 1024 * 1024,
  /** From the polite signal to the one that cannot be refused. */
  killGraceMs: 10_000,
  /** How often files of a running child are looked at. */
  followMs: 200,

  /** The end of a child's output that goes into an event. */
  tailBytes: 4096,
  /** Standard output of one git command. */
  gitOutputBytes: 64 * 1024 * 1024,
  gitWallMs: 10 * 60_000,

  /** Between two tries to move a target that is in the way. */
  landingRetryMs: 5_000,
  /** How long a claim holds without a sign of life of its run. */
  leaseMs: 60_000,
  heartbeatMs: 15_000,
  /** How often an engine looks for events of other processes. */
  refreshMs: 500,
  storeBusyMs: 5_000,

  /** Ports a slot may use: base + slot * portsPerSlot. */
  portBase: 41_000,
  portsPerSlot: 20,

  titleChars: 500,
  bodyChars: 1024 * 1024,
  tasksPerImport: 100_000,
} as const;

/** Worktrees held at once: one a slot, and room for as many attempts that wait for the train. */
export function poolSize(jobs: number): number {
  return jobs * 2 + 2;
}
