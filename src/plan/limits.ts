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

  /** Turns in a row that may end without a word; then one nudge, then the agent is stuck. */
  silentTurnsDefault: 5,
  silentTurnsMax: 100,
  /** Rounds of claims one attempt may have, ids in one of them, and tasks it may hold beside its own. */
  claimRounds: 20,
  claimIds: 32,
  ridersMax: 8,
  /** Tasks one turn may file, and one task in all. */
  followUpsPerTurn: 10,
  followUpsPerTask: 50,
  /** Turns in a row that the service behind an agent may cut short, and the pause after the first (it doubles). */
  providerRetriesDefault: 5,
  providerRetriesMax: 100,
  hiccupMs: 2_000,
  hiccupMaxMs: 5 * 60_000,
  /** The pause of an account without a time in the answer, after the first refusal (it doubles). */
  rateLimitMs: 30_000,
  rateLimitMaxMs: 15 * 60_000,
  quotaMs: 15 * 60_000,
  quotaMaxMs: 2 * 3600_000,
  /** Pauses of one account in a row, without a turn that went well, before it is left to a person. */
  pausesMax: 10,
  /** The longest pause that a run waits for. */
  quotaWaitDefaultMs: 6 * 3600_000,
  /** How long a run stays for the answer to a question when nothing else is left to do. */
  questionPatienceMs: 10 * 60_000,
  /** Successes of the fallback before the run's own agent is tried again. */
  cooldownDefault: 3,
  cooldownMax: 1_000,
  /** How long executors wait for tasks. */
  waitForTasksDefaultMs: 10 * 60_000,
  /** How often a run that waits for tasks says so. */
  waitForTasksNoteMs: 60_000,

  /** One agent process, from start to end. */
  agentWallMs: 60 * 60_000,
  /** One agent process without any output. */
  agentIdleMs: 15 * 60_000,
  /** One agent process until its first output. Off by default: plain commands may be silent. */
  agentStartMs: 0,
  /** One agent process after it has said its last word. */
  agentLingerMs: 30_000,
  setupWallMs: 15 * 60_000,
  gateWallMs: 30 * 60_000,
  /** How often a gate or set-up command that vanished (a reboot, an end from outside) is run again. */
  commandRestarts: 3,
  /** Output of one child, standard output and error together. */
  outputBytes: 64 * 1024 * 1024,
  /** One line of what an agent prints; a longer one is nobody's message. */
  agentLineBytes: 16 * 1024 * 1024,
  /** A child younger than this may miss a polite signal, and how long it is waited for before the next one. */
  bornMs: 1_000,
  askAgainMs: 100,
  /** From the polite signal to the one that cannot be refused. */
  killGraceMs: 10_000,
  /** The same for descendants that a child left behind. */
  stragglerGraceMs: 1_000,
  /** The same for a child that crossed its limit of output, or of one line, and would go on filling the disk. */
  floodGraceMs: 200,
  /** After the signal that cannot be refused; only a process stuck in the kernel takes longer. */
  killedMs: 5_000,
  /** From the start of a child until it has noted who runs it. */
  claimMs: 10_000,
  /** How often work on a running child is tried again when the machine has no files or room left. */
  followTries: 50,
  /** How often files of a running child are looked at. */
  followMs: 200,

  /** The end of a child's output that goes into an event. */
  tailBytes: 4096,
  /** Shorter values of secret variables are not looked for: they are words of every text. */
  secretMinChars: 6,
  /** How much in front of a text is read to recognise a secret that begins there; longer ones are not looked for. */
  redactAheadChars: 8192,
  /** How much of a text that comes in pieces is held back while it may be part of a secret. */
  redactHeldChars: 32_768,
  /** Standard output of one git command. */
  gitOutputBytes: 64 * 1024 * 1024,
  gitWallMs: 10 * 60_000,
  /** A lock file of git in a worktree of ours that is older than this was left by a dead process. */
  staleLockMs: 1_000,
  lockPollMs: 50,
  lockWaitMs: 20_000,
  /** Commits looked at, and then branches asked, to find out whether a commit is held by a ref. */
  reachSteps: 2_000,
  reachProbes: 16,
  /** Names that are tried for a ref that keeps work. */
  keepNames: 100,
  /** How far back a branch is followed before git is asked for a merge. */
  ancestrySteps: 20,

  /** Asking the shell or a program whether it is there. */
  probeMs: 10_000,

  /** Tries of a command whose environment was in the way, and the first pause between them (it doubles). */
  commandRetries: 5,
  commandRetryMs: 250,
  /** Tries to get the gate's worktree to a commit. */
  gateTreeTries: 4,
  /** Between two tries to move a target that is in the way. */
  landingRetryMs: 1_000,
  landingRetryMaxMs: 10_000,
  /** How long a run stays for a target that is in the way when nothing else is left to do. */
  landingPatienceMs: 60_000,
  /** How long a claim holds without a sign of life of its run. */
  leaseMs: 60_000,
  heartbeatMs: 15_000,
  /** How often an engine looks for events of other processes. */
  refreshMs: 500,
  storeBusyMs: 5_000,
  /** How many of the newest runs are looked through for one that is alive or unfinished. */
  runsListed: 50,
  /** Among how many of the newest runs one is looked for by its name. */
  runsNamed: 1_000,
  /** Tries of a write that a busy store or a full disk refused, and the pause between them. */
  storeRetries: 30,
  storeRetryMs: 1_000,
  /** How long one try for the store's lock may hold up everything else in the process. */
  storeBusyStepMs: 50,
  /** Events read from the store in one go. */
  eventPage: 1_000,
  /** Differences an audit lists before it only counts them. */
  auditLines: 100,
  /** Troubled tasks that a short status names. */
  troubledShown: 20,

  /** Ports a slot may use: base + slot * portsPerSlot. */
  portBase: 41_000,
  portsPerSlot: 20,

  /** Commits of the target that a run remembers as not to blame. */
  clearedKept: 50,

  titleChars: 500,
  bodyChars: 1024 * 1024,
  tasksPerImport: 100_000,
  /** The most that a config may ask for. */
  retriesMax: 100,
  quarantineAfterMax: 1000,
  poolMax: 256,
  attemptsMax: 1_000_000,
  tokensMax: 1_000_000_000_000,
  costMaxUsd: 1_000_000,
  outputBytesMin: 4096,
  outputBytesMax: 16 * 1024 * 1024 * 1024,
  /** Timers of the runtime cannot count much further. */
  durationMaxMs: 24 * 24 * 3600_000,
  /** One plan file, or one Markdown file with a task. */
  sourceBytes: 64 * 1024 * 1024,
} as const;

/** Worktrees held at once: one a slot, and room for as many attempts that wait for the train. */
export function poolSize(jobs: number): number {
  return jobs * 2 + 2;
}
