import { amount, count, map, names, type Of, object, optional } from './shape.ts';

/** Agent times of landed tasks, as a table small enough for the settings of a run. */
export const LearnedTimes = object({
  medianMs: count,
  /** Factors on the median by trait, such as `type:bug`. A trait without an effect is absent. */
  factors: map(amount),
  /** Factor on stated estimates: how much longer tasks took than estimated. */
  stated: amount,
});
export type LearnedTimes = Of<typeof LearnedTimes>;

/** Files that change together, learned from landed tasks and from the history of the target. */
export const LearnedFiles = object({
  /** By a word of a title, a label or a type: files that tasks with it mostly changed. */
  byWord: map(names),
  /** By file: other files that mostly changed in the same commit. */
  together: map(names),
});
export type LearnedFiles = Of<typeof LearnedFiles>;

/** Learned from past work. Read once at the start of a run, so that a resumed run decides the same. */
export const Forecast = object({
  times: optional(LearnedTimes),
  files: optional(LearnedFiles),
});
export type Forecast = Of<typeof Forecast>;
