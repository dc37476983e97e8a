/** Every bound of the program, with its unit in its name. What a user may change, the config names again. */
export const limits = {
  /** Slots of a run. */
  jobsMin: 1,
  jobsMax: 16,
  jobsDefault: 4,

  /** Agents that start within the window, and the pause between two starts. */
  spawnRateDefault: 4,
  spawnRateMax: 16,
  spawnWindowMs: 1_000,
  spawnJitterMinMs: 50,
  spawnJitterMaxMs: 150,
  /** Agent starts after a task's first one in a run. */
  retriesDefault: 3,
  /** Times that work may come back to one conversation before a fresh attempt is made. */
  returnsDefault: 2,
  /** Characters of an earlier attempt's diff that a fresh attempt is shown. */
  previousDiffChars: 12_000,
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
  coClaimsMax: 8,
  /** Characters of a reason, a question or a report that an agent gives with `ym agent`. */
  agentTextChars: 10_000,
  /** Bytes of one request in an agent's mailbox. */
  mailboxBytes: 4 * 1024 * 1024,
  /** Pause between two looks into a mailbox where the file system reports no changes. */
  mailboxPollMs: 2_000,
  /** Time that `ym agent` waits for its answer. */
  mailboxWaitMs: 60_000,
  /** Tasks one turn may file, and one task in all. */
  followUpsPerTurn: 10,
  followUpsPerTask: 50,
  /** Turns in a row that the service behind an agent may cut short, and the pause after the first (it doubles). */
  providerRetriesDefault: 5,
  providerRetriesMax: 100,
  hiccupMs: 2_000,
  hiccupMaxMs: 5 * 60_000,
  /** Turns in a row that may be killed from outside before that counts as a failed attempt. */
  agentKills: 3,
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
  /** Worktrees in a row that cannot be set up, until the run ends over it. */
  setUpFailures: 3,
  /** How often a gate command that was killed from outside is run again, and the pause before the first time (it doubles). */
  gateKilledRetries: 2,
  gateKilledPauseMs: 1_000,
  /** A check that flaked more often than this within the window does not count for a while after the last time. */
  flakesMax: 3,
  flakeWindowMs: 7 * 24 * 3600_000,
  /** Further tries that a quarantined check gets in one judgement. */
  quarantineReruns: 3,
  quarantineMs: 3 * 24 * 3600_000,
  /** The end of what the look at the target printed that goes into an event, and the most that its log holds. */
  verifyTailBytes: 2048,
  verifyLogBytes: 8 * 1024 * 1024,
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

  /** How often a removal of worktrees is looked at, and how long it may take before a line without a terminal. */
  removalPollMs: 200,
  removalNoteMs: 1_000,
  /** The end of an agent's output that is read for its last action, and how often the live view reads it. */
  lastActionBytes: 64 * 1024,
  lastActionMs: 1_000,
  /** Tool calls of one turn that failed and are kept, newest first to stay. */
  failedCalls: 10,
  /** The end of a child's output that goes into an event. */
  tailBytes: 4096,
  /** Failures that are picked out of the output of a gate command, all their messages together, and one of them. */
  evidenceFailures: 40,
  evidenceChars: 12_000,
  evidenceMessageLines: 40,
  evidenceLineChars: 500,
  /** Where no failure could be picked out: lines that tell of one, and the first lines. */
  evidenceSigns: 20,
  evidenceHeadChars: 2_000,
  /** One line of an output that is read as a whole; the rest of a longer one is passed over. */
  outputLineChars: 16 * 1024,
  /** Shorter values of secret variables are not looked for: they are words of every text. */
  secretMinChars: 6,
  /** How much in front of a text is read to recognise a secret that begins there; longer ones are not looked for. */
  redactAheadChars: 8192,
  /** How much of a text that comes in pieces is held back while it may be part of a secret. */
  redactHeldChars: 32_768,
  /** Standard output of one git command. */
  gitOutputBytes: 64 * 1024 * 1024,
  gitWallMs: 10 * 60_000,
  /** The largest file that is read from a commit. */
  blobBytes: 1024 * 1024,
  /** Paths that may differ between two commits, and trees read to find them: a small tree can hold billions of paths. */
  changedPaths: 500_000,
  /** One line of a log, files of a diff stat before the rest is only counted, and the width of its lines. */
  logLineChars: 200,
  statFiles: 200,
  statChars: 120,
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

  /** One call of the program that opens pull requests, and what it may print. */
  forgeWallMs: 2 * 60_000,
  forgeOutputBytes: 32 * 1024 * 1024,
  /** Pull requests that are listed at least, and at most, to find ours among them: newest first. */
  pullsListed: 100,
  pullsListedMax: 1_000,
  /** The same of one branch. */
  pullsPerBranch: 20,
  /** What the forge takes. */
  pullTitleChars: 256,
  /** Of what a task asks for, in the text of its pull request; and how many lines its other lists have. */
  pullAskedChars: 16_000,
  pullListed: 30,
  /** Between two looks at pull requests: the first, and the longest, when nothing changes (it doubles). */
  pullWatchMs: 30_000,
  pullWatchMaxMs: 5 * 60_000,
  /** How long one that stays as it is is looked at. */
  pullPatienceMs: 24 * 3600_000,

  /** Files in one folder, refs, and changed files of a checkout that are watched while agents work. */
  watchedFiles: 500,
  watchedRefs: 50_000,
  /** Refs in files of their own, and folders of them, that are read before git is asked instead. */
  looseRefs: 2_000,
  watchedChanges: 1_000,
  /** A watched file up to this size is compared by its contents, a larger one by size and time; and one with settings. */
  watchedBytes: 64 * 1024,
  watchedSettingsBytes: 1024 * 1024,
  /** Trespasses of one kind, and files of one, that are named. */
  tamperingsNamed: 50,

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
  /** An engine decides again after this long even when nothing has happened and nothing is due. */
  decideMs: 5_000,
  storeBusyMs: 5_000,
  /** How many of the newest runs are looked through for one that is alive or unfinished. */
  runsListed: 50,
  /** Ended runs whose files are kept within bounds. */
  runsTidied: 10_000,
  /** Files of ended runs: all of them together, how old, and after what time they are compressed; small files are not. */
  runFilesBytes: 1024 * 1024 * 1024,
  runFilesAgeMs: 30 * 24 * 3600_000,
  runFilesPlainMs: 24 * 3600_000,
  runFilesPackMin: 4096,
  /** Among how many of the newest runs one is looked for by its name. */
  runsNamed: 1_000,
  /** Ids of tasks that a shell is given to complete a word. */
  idsCompleted: 5_000,
  /** Ids that a message lists one by one. */
  namesShown: 8,
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

  /** A copy of installed dependencies takes no longer than this. */
  copyWallMs: 10 * 60_000,
  /** Of installed dependencies that were touched, so many places are put right one by one; beyond that all is copied. */
  repairedPaths: 500,
  /** Sets of installed dependencies that wait for new worktrees, for each state of the lock files. */
  preparedCopies: 16,
  /** Installed dependencies that nobody used for this long are removed. */
  preparedAgeMs: 14 * 24 * 60 * 60_000,
  /** Installed dependencies of one project that are kept between runs, in bytes. */
  preparedBytes: 20 * 1024 ** 3,

  /** Ports a slot may use: base + slot * portsPerSlot. */
  portBase: 41_000,
  portsPerSlot: 20,

  /** Branches in one candidate, and gates that run at once. */
  trainBatchDefault: 16,
  trainBatchMax: 64,
  gateSlotsMax: 16,
  /** Branches that count for how many turn out red lately, and what counts as seen before the first of them. */
  trainWindow: 20,
  priorGreen: 4,
  priorRed: 0.6,
  /** Branches that may share the first candidate of a run, and how many more for each that lands: before a red one, after. */
  firstBatch: 2,
  batchGrowth: 2,
  batchRegrowth: 0.5,
  /** Branches of a red candidate from which on its failures decide which are judged first. With fewer, one run finds out. */
  suspectsFrom: 3,
  /** Branches share a candidate where each run of the gate settles at least so many of them. */
  batchWorth: 1.3,
  /** A candidate on top of others is only judged where they will all be green with this chance. */
  speculationMin: 0.5,
  /** A branch that has waited this long goes before more important ones, but for the most important. */
  trainAgeMs: 30 * 60_000,
  /** Red branches of one agent and type of task, and their share, from which on such branches are judged by themselves. */
  badBranches: 2,
  badShare: 0.3,
  /** After a look at the whole checkout, so many times as long nobody looks again. */
  checkoutLookRest: 10,
  /** Waiting branches that a new one is merged with to foresee conflicts. */
  predictions: 8,
  /** Lines of history and bytes of text that a resolver is given of each side. */
  conflictLogLines: 20,
  conflictTextBytes: 4096,

  /** The end of what a reviewer says that is looked at for a verdict. */
  answerBytes: 64 * 1024,
  /** Findings of one review, and the words of one. */
  findings: 50,
  findingChars: 1_000,
  findingIdChars: 40,
  findingFileChars: 500,
  /** What a reviewer is shown: of the task, of its diff, of what the round before found, and files that are named. */
  reviewTaskChars: 32_000,
  reviewDiffChars: 24_000,
  reviewBeforeChars: 2_000,
  reviewFilesNamed: 500,
  /** A file of the diff that does not fit is shown in part only where at least so much room is left. */
  reviewPartChars: 500,

  /** Paths that are kept of what a piece of work changes. */
  changesKept: 200,
  /** Changed files that are read for counting their lines; tests and what the gate runs are read beside these. */
  inspectedFiles: 1_000,
  /** Files that are asked for at once. */
  inspectedAtOnce: 64,
  /** Breaches of one kind that are told, and how much of a line. */
  violationsPerKind: 50,
  violationLineChars: 200,
  /** Steps of comparing two files line by line, for one file and for all files of a change. */
  diffCells: 200_000,
  diffCellsTotal: 20_000_000,
  /** How far one assertion is read. */
  statementChars: 4_000,
  /** How many lines below its head an assertion is taken to belong to a function. */
  functionLines: 60,
  /** Files that are read to find out what the gate runs. */
  gateReads: 64,
  /** Lines that the target gained and a merge lost: how many are looked for elsewhere, and how many are told. */
  droppedLooked: 500,
  droppedTold: 20,

  /** Commits of the target that a run remembers as not to blame. */
  clearedKept: 50,

  titleChars: 500,
  bodyChars: 1024 * 1024,
  tasksPerImport: 100_000,
  /** Rounds that reviewers and critics have for one piece of work, and how often one that came to no verdict is asked again. */
  reviewRoundsDefault: 3,
  reviewRoundsMax: 10,
  critiqueRoundsDefault: 3,
  critiqueRoundsMax: 5,
  verdictRetriesDefault: 1,
  verdictRetriesMax: 5,
  /** How often a red check is run again on the same tree. */
  gateRerunsDefault: 1,
  gateRerunsMax: 3,
  /** How long children that were told to end are waited for before the work of a run without records is saved. */
  rescueMs: 30_000,
  /** How long a green gate counts as proof that the environment is sound. */
  gateRecheckMs: 15 * 60_000,
  /** The look at the whole target at the end of a run. */
  verifyWallMs: 30 * 60_000,
  /** Files or lines that one task may change, at the most that a rule may say. */
  ruleCountMax: 1_000_000,
  /** How much of a value of the config a warning shows. */
  shownValueChars: 200,

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

/** Gates that run at once on a machine with so many cores, where the config does not say. */
export function gateSlotsFor(cores: number): number {
  return Math.max(1, Math.min(limits.gateSlotsMax, Math.floor(cores / 2)));
}
