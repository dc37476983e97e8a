/** Limits for disks, pull requests, waits of tasks, write-back, telemetry and hooks; part of `limits`. */
const outsideLimits = {
  /** Nothing new starts on a disk with less space than this, however small it is. */
  spaceLeast: 1024 * 1024,
  /** One call of the program that opens pull requests, and what it may print. */
  forgeWallMs: 2 * 60_000,
  forgeOutputBytes: 32 * 1024 * 1024,
  /** Pull requests that are listed at least, and at most, to find ours among them: newest first. */
  pullsListed: 100,
  pullsListedMax: 1_000,
  pullsPerBranch: 20,
  /** Longest title that the forge accepts. */
  pullTitleChars: 256,
  /** Characters of the task's body in the text of its pull request, and lines of each other list. */
  pullAskedChars: 16_000,
  pullListed: 30,
  /** First and longest poll interval for pull requests (it doubles while nothing changes). */
  pullWatchMs: 30_000,
  pullWatchMaxMs: 5 * 60_000,
  /** Time after which an unchanged pull request is no longer polled. */
  pullPatienceMs: 24 * 3600_000,

  /** First and longest interval of checks of what tasks wait for outside of the project (it doubles). */
  waitWatchMs: 10_000,
  waitWatchMaxMs: 5 * 60_000,
  /** Time limit of a command that a task waits for, commands at once, and characters of the reason why a wait goes on. */
  waitCommandMs: 60_000,
  waitCommandsAtOnce: 4,
  waitNoteChars: 300,

  /** One call of a program that writes states back, states written by one command, and pauses after trouble (doubling). */
  trackerWallMs: 30_000,
  syncedAtOnce: 20,
  syncRetryMs: 5_000,
  syncRetryMaxMs: 5 * 60_000,
  /** One request of telemetry, the pause before it is sent again, and all requests after the end of a run. */
  telemetryMs: 5_000,
  telemetryPauseMs: 500,
  telemetryEndMs: 12_000,
  /** One try of a hook by default, tries after the first, and the pause before the second (it doubles). */
  hookMs: 10_000,
  hookRetriesDefault: 3,
  hookRetriesMax: 10,
  hookPauseMs: 1_000,
  hookPauseMaxMs: 60_000,
  /** Messages of one hook in a minute. More are joined to digests. */
  hookRateDefault: 30,
  hookRateMax: 600,
  hookRateMs: 60_000,
  /** Events that one digest lists, deliveries that are kept, and what a command may print. */
  hookEvents: 100,
  hookDeliveries: 20,
  hookOutputBytes: 1024 * 1024,
  hookTextChars: 2_000,
  /** Time for messages after the end of a run. */
  hookEndMs: 5_000,
  budgetNear: 0.8,
  telemetrySpans: 1_000,
} as const;

/** Every limit of the program. The name contains the unit. Limits that a user may change are config keys too. */
export const limits = {
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

  /** Size of an index file; git needs about 100 bytes for each tracked file. */
  indexBytes: 512 * 1024 * 1024,
  /** Files that are checked to find ignored work of an agent, and the size of its archive. */
  leftOutLooks: 20_000,
  archiveBytes: 200 * 1024 * 1024,
  /** Turns in a row that may end without a signal; then one nudge, then the agent is stuck. */
  silentTurnsDefault: 5,
  silentTurnsMax: 100,
  /** Rounds of claims one attempt may have, ids in one of them, and tasks it may hold in addition to its own. */
  claimRounds: 20,
  claimIds: 32,
  coClaimsMax: 8,
  /** Characters of a reason, a question or a report that an agent gives with `ym agent`. */
  agentTextChars: 10_000,
  /** Bytes of one request in an agent's mailbox. */
  mailboxBytes: 4 * 1024 * 1024,
  /** Poll interval of a mailbox if the file system reports no changes. */
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
  /** The pause of an account without a time in the answer, after the first refusal (it doubles). */
  rateLimitMs: 30_000,
  rateLimitMaxMs: 15 * 60_000,
  quotaMs: 15 * 60_000,
  quotaMaxMs: 2 * 3600_000,
  /** Pauses of one account in a row, without a turn that went well, before it is left to a person. */
  pausesMax: 10,
  /** The longest pause that a run waits for. */
  quotaWaitDefaultMs: 6 * 3600_000,
  /** Time that a run waits for an answer when nothing else is left to do. */
  questionPatienceMs: 10 * 60_000,
  /** Successes of the fallback before the run's own agent is tried again. */
  cooldownDefault: 3,
  cooldownMax: 1_000,
  waitForTasksDefaultMs: 10 * 60_000,
  /** Interval of the message that a run waits for tasks. */
  waitForTasksNoteMs: 60_000,
  /** One agent process, from start to end. */
  agentWallMs: 60 * 60_000,
  /** One agent process without any output. */
  agentIdleMs: 15 * 60_000,
  /** One agent process until its first output. Off by default: plain commands may be silent. */
  agentStartMs: 0,
  /** One agent process after its final message. */
  agentLingerMs: 30_000,
  setupWallMs: 15 * 60_000,
  gateWallMs: 30 * 60_000,
  /** Restarts of a gate or set-up command that vanished, after a reboot or a kill from outside. */
  commandRestarts: 3,
  /** Failed set-ups of worktrees in a row that end the run. */
  setUpFailures: 3,
  /** Reruns of a gate command that was killed from outside, and the pause before the first one (it doubles). */
  gateKilledRetries: 2,
  gateKilledPauseMs: 1_000,
  /** A check that flaked more often than this within the window does not count for a while after the last time. */
  flakesMax: 3,
  flakeWindowMs: 7 * 24 * 3600_000,
  /** Further tries that a quarantined check gets in one gate run. */
  quarantineReruns: 3,
  quarantineMs: 3 * 24 * 3600_000,
  /** Bytes of the end of the verification's output that an event stores, and the largest size of its log. */
  verifyTailBytes: 2048,
  verifyLogBytes: 8 * 1024 * 1024,
  /** Output of one child, standard output and error together. */
  outputBytes: 64 * 1024 * 1024,
  /** One line of what an agent prints; a longer one is not read as a message. */
  agentLineBytes: 16 * 1024 * 1024,
  /** A child younger than this may miss SIGTERM, so it is sent again after this interval. */
  bornMs: 1_000,
  askAgainMs: 100,
  killGraceMs: 10_000,
  /** The same for descendants that a child left behind. */
  stragglerGraceMs: 1_000,
  /** The same for a child that crossed its limit of output, or of one line, and would continue to fill the disk. */
  floodGraceMs: 200,
  /** After SIGKILL; only a process stuck in the kernel takes longer. */
  killedMs: 5_000,
  /** From the start of a child until it has recorded its pid. */
  claimMs: 10_000,
  /** Tries to follow a running child while the machine has no file handles or space left. */
  followTries: 50,
  /** Poll interval for the files of a running child. */
  followMs: 200,
  /** Longest time between two reads of a log in which nothing happens. */
  followMaxMs: 1_000,
  /** Poll interval for the removal of worktrees, and the time after which a run without a terminal prints a line. */
  removalPollMs: 200,
  removalNoteMs: 1_000,
  /** The end of an agent's output that is read for its last action, more if that has none, and how often it is read. */
  lastActionBytes: 20 * 1024,
  lastActionMaxBytes: 64 * 1024,
  lastActionMs: 1_000,
  /** Failed tool calls of one turn that are kept; the newest ones stay. */
  failedCalls: 10,
  /** The end of a child's output that goes into an event. */
  tailBytes: 4096,
  /** Failures that are picked out of the output of a gate command, all their messages together, and one of them. */
  evidenceFailures: 40,
  evidenceChars: 12_000,
  evidenceMessageLines: 40,
  evidenceLineChars: 500,
  /** If no failure was found in the output: lines that look like one, and characters of its start. */
  evidenceSigns: 20,
  evidenceHeadChars: 2_000,
  /** One line of an output that is read as a whole; the rest of a longer one is skipped. */
  outputLineChars: 16 * 1024,
  /** Shorter values of secret variables are not looked for: they are words of every text. */
  secretMinChars: 6,
  /** Characters before a text that are read to recognize a secret that begins there; longer secrets are not found. */
  redactAheadChars: 8192,
  /** Characters of a streamed text that are held back while they may be part of a secret. */
  redactHeldChars: 32_768,
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
  /** File times may be coarser than the clock by this much. */
  fileTimeMs: 20,
  /** A git that lands work and whose pid was not recorded has ended after this time. */
  unknownGitMs: 60_000,
  lockPollMs: 50,
  /** Reads of a checkout that landings keep updating; the last one is used as it is. */
  landingLooks: 20,
  lockWaitMs: 20_000,
  /** Commits looked at, and then branches asked, to find out whether a commit is held by a ref. */
  reachSteps: 2_000,
  reachProbes: 16,
  /** Names that are tried for a ref that keeps work. */
  keepNames: 100,
  /** Commits of a branch that are followed back before git is asked for a merge. */
  ancestrySteps: 20,
  /** One check whether a program exists. */
  probeMs: 10_000,
  ...outsideLimits,
  /** Files in one folder, refs, and changed files of a checkout that are watched while agents work. */
  watchedFiles: 500,
  watchedRefs: 50_000,
  /** Refs in files of their own, and folders of them, that are read before git is asked instead. */
  looseRefs: 2_000,
  watchedChanges: 1_000,
  /** A watched file up to this size is compared by its contents, a larger one by size and time; and one with settings. */
  watchedBytes: 64 * 1024,
  watchedSettingsBytes: 1024 * 1024,
  /** Reports of tampering of one kind, and files in one report, that are named. */
  tamperingsNamed: 50,
  /** The pause after the first failure of a step because of the machine (it doubles), and the longest. */
  stepRetryMs: 250,
  stepRetryMaxMs: 60_000,
  /** A step that failed more often than this, for longer than the patience, is not waited for when nothing else is left. */
  stepTries: 3,
  machinePatienceMs: 60_000,
  /** Nothing new starts on a disk with less space than this, or than one part in so many of a small disk. */
  spaceBytes: 100 * 1024 * 1024,
  spaceFiles: 1_000,
  spaceShare: 20,
  spaceCheckMs: 2_000,
  /** Candidates that have left the queue and are released when the next one is built. */
  candidatesReleased: 8,
  /** First and longest pause between two tries of a landing that is blocked. */
  landingRetryMs: 1_000,
  landingRetryMaxMs: 10_000,
  /** Time that a claim is valid after the last heartbeat of its run. */
  leaseMs: 60_000,
  heartbeatMs: 15_000,
  /** Interval at which an engine reads events of other processes. */
  refreshMs: 500,
  /** An engine decides again after this long even when nothing has happened and nothing is due. */
  decideMs: 5_000,
  storeBusyMs: 5_000,
  /** Newest runs that are searched for one that is alive or unfinished. */
  runsListed: 50,
  /** Ended runs whose files are kept within bounds. */
  runsTidied: 10_000,
  /** Files of ended runs: all of them together, how old, and after what time they are compressed; small files are not. */
  runFilesBytes: 1024 * 1024 * 1024,
  runFilesAgeMs: 30 * 24 * 3600_000,
  runFilesPlainMs: 24 * 3600_000,
  runFilesPackMin: 4096,
  /** Newest runs that are searched for a name. */
  runsNamed: 1_000,
  /** Ids of tasks that a shell is given to complete a word. */
  idsCompleted: 5_000,
  /** Ids that a message lists one by one. */
  namesShown: 8,
  /** Tries of a write that a busy store or a full disk refused, and the pause between them. */
  storeRetries: 60,
  storeRetryMs: 1_000,
  /** Time that one try for the store's lock may block the process. */
  storeBusyStepMs: 50,
  /** Time to connect to the server of a store, to wait for one answer, and to wait for a server that has gone away. */
  storeConnectMs: 10_000,
  storeAnswerMs: 60_000,
  storeReconnectMs: 30_000,
  /** Copies of the store that are kept, one per run. */
  snapshots: 3,
  /** Interval between two copies of the store, and the shortest interval as a multiple of the time that a copy took. */
  snapshotMs: 300_000,
  snapshotPause: 200,
  /** Commits of the target that a repair reads if no record says where the first run began. */
  repairCommits: 20_000,
  /** Events read from the store at once. */
  eventPage: 1_000,
  /** Events between two checkpoints of the past, at first, and the largest number of checkpoints. */
  momentEvents: 250,
  momentCheckpoints: 400,
  /** Differences an audit lists before it only counts them. */
  auditLines: 100,
  /** Troubled tasks that a short status names. */
  troubledShown: 20,
  /** A copy of installed dependencies takes no longer than this. */
  copyWallMs: 10 * 60_000,
  /** Changed paths of installed dependencies that are repaired one by one; with more, all of them are copied. */
  repairedPaths: 500,
  /** Sets of installed dependencies that wait for new worktrees, for each state of the lock files. */
  preparedCopies: 16,
  /** Installed dependencies that were not used for this long are removed. */
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
  /** Newest branches that count for the red rate, and the green and red ones that are assumed before the first. */
  trainWindow: 20,
  priorGreen: 4,
  priorRed: 0.6,
  /** Branches that may share the first candidate of a run, and how many more for each that lands: before a red one, after. */
  firstBatch: 2,
  batchGrowth: 2,
  batchRegrowth: 0.5,
  /** Branches of a red candidate from which on its failures decide which are judged first. With fewer, one run finds out. */
  suspectsFrom: 3,
  /** Branches share a candidate only if each gate run is expected to settle at least this many of them. */
  batchWorth: 1.3,
  /** A candidate on top of others is judged only if all of them are green with at least this probability. */
  speculationMin: 0.5,
  /** A branch that has waited this long goes before more important ones, except P0. */
  trainAgeMs: 30 * 60_000,
  /** Red branches of one agent and type of task, and their share, from which on such branches are judged by themselves. */
  badBranches: 2,
  badShare: 0.3,
  /** Shortest time between two walks over the whole checkout, as a multiple of the duration of one. */
  checkoutLookRest: 10,
  /** Waiting branches that a new one is merged with to predict conflicts. */
  predictions: 8,
  /** Lines of history and bytes of text that a resolver is given of each side. */
  conflictLogLines: 20,
  conflictTextBytes: 4096,
  /** Bytes at the end of a reviewer's output that are searched for a verdict. */
  answerBytes: 64 * 1024,
  /** Findings of one review, and characters of their fields. */
  findings: 50,
  findingChars: 1_000,
  findingIdChars: 40,
  findingFileChars: 500,
  /** Parts of a reviewer's prompt: the task, its diff, findings of the round before, and names of changed files. */
  reviewTaskChars: 32_000,
  reviewDiffChars: 24_000,
  reviewBeforeChars: 2_000,
  reviewFilesNamed: 500,
  /** A file of the diff that does not fit is shown in part only if at least this much room is left. */
  reviewPartChars: 500,

  /** Changed paths of one piece of work that are stored. */
  changesKept: 200,
  /** Changed files that are read for counting their lines; tests and what the gate runs are read in addition. */
  inspectedFiles: 1_000,
  inspectedAtOnce: 64,
  /** Violations of one kind that are reported, and characters of a line. */
  violationsPerKind: 50,
  violationLineChars: 200,
  /** Steps of comparing two files line by line, for one file and for all files of a change. */
  diffCells: 200_000,
  diffCellsTotal: 20_000_000,
  /** Characters of one assertion that are read. */
  statementChars: 4_000,
  /** Lines below the head of a function within which an assertion belongs to it. */
  functionLines: 60,
  /** Files that are read to find out what the gate runs. */
  gateReads: 64,
  /** Lines that the target gained and a merge lost: how many are searched for elsewhere, and how many are reported. */
  droppedLooked: 500,
  droppedTold: 20,
  /** Commits of the target that a run remembers as not to blame. */
  clearedKept: 50,

  titleChars: 500,
  bodyChars: 1024 * 1024,
  tasksPerImport: 100_000,
  /** Tasks that an agent may propose at once, characters of its goal, and stored tasks that it is shown. */
  tasksPerProposal: 100,
  goalChars: 100_000,
  proposalTasksShown: 300,
  /** Rounds that reviewers and critics have for one piece of work, and further calls of one that gave no verdict. */
  reviewRoundsDefault: 3,
  reviewRoundsMax: 10,
  critiqueRoundsDefault: 3,
  critiqueRoundsMax: 5,
  verdictRetriesDefault: 1,
  variantsMax: 8,
  choiceReasonChars: 300,
  verdictRetriesMax: 5,
  /** Reruns of a red check on the same tree. */
  gateRerunsDefault: 1,
  gateRerunsMax: 3,
  /** Time that children have to end before the work of a run without records is saved. */
  rescueMs: 30_000,
  /** Time that a green gate proves that the environment is sound. */
  gateRecheckMs: 15 * 60_000,
  /** Verification of the whole target at the end of a run. */
  verifyWallMs: 30 * 60_000,
  /** Largest number of files or lines that a rule may allow one task to change. */
  ruleCountMax: 1_000_000,
  /** Characters of a user's name that an event stores. */
  actorChars: 100,
  /** Characters of a config value that a warning shows. */
  shownValueChars: 200,

  /** Largest values that a config may have. */
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
  /** One text of a report, such as a prompt or the output of a gate, and all of them together. */
  reportTextBytes: 48 * 1024,
  reportBytes: 24 * 1024 * 1024,
  /** Newest attempts whose failures are counted. */
  failuresAttempts: 5_000,
  /** A command that reads for longer tells how far it is. */
  progressMs: 2_000,
  /** One plan file, or one Markdown file with a task. */
  sourceBytes: 64 * 1024 * 1024,
} as const;

/** Worktrees held at once: one per slot, and as many for attempts that wait for the merge queue, plus two. */
export function poolSize(jobs: number): number {
  return jobs * 2 + 2;
}

/** Default number of gates that run at once on a machine with this many cores. */
export function gateSlotsFor(cores: number): number {
  return Math.max(1, Math.min(limits.gateSlotsMax, Math.floor(cores / 2)));
}
