/** Limits for pull requests, waits of tasks, write-back and telemetry; part of `limits`. */
export const outsideLimits = {
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
  /** Spans in one request. */
  telemetrySpans: 1_000,
} as const;
