/** Limits for disks, pull requests, waits of tasks, write-back, telemetry and hooks; part of `limits`. */
export const outsideLimits = {
  /** Nothing new starts on a disk with less space than this, however small it is. */
  spaceLeast: 1024 * 1024,
  /** One call of the program that opens pull requests, and what it may print. */
  forgeWallMs: 2 * 60_000,
  forgeOutputBytes: 32 * 1024 * 1024,
  /** Pull requests that are listed at least, and at most, to find ours among them: newest first. */
  pullsListed: 100,
  pullsListedMax: 1_000,
  /** The same of one branch. */
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
  /** Characters of the text of one event. */
  hookTextChars: 2_000,
  /** Time for messages after the end of a run. */
  hookEndMs: 5_000,
  /** Share of a budget that is near its end. */
  budgetNear: 0.8,
  /** Spans in one request. */
  telemetrySpans: 1_000,
} as const;
