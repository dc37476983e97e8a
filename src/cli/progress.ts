import type { RemovalProgress } from '../app/run.ts';
import type { RunStep } from '../app/run-steps.ts';
import { limits } from '../model/limits.ts';
import { counted } from '../report/format/amount.ts';
import { withIsoTimes } from '../report/format/time.ts';
import { progressLines } from '../report/progress/progress.ts';
import { printErrors, printJson } from './output.ts';
import type { Call } from './parse.ts';
import { clockOffset, type Screen } from './screen.ts';
import { StartSteps } from './start-steps.ts';

export interface Progress {
  on(step: RunStep): void;
  say(line: string): void;
  /** Worktrees have been removed for `ms` milliseconds. */
  removing(removal: RemovalProgress, ms: number): void;
  end(): void | Promise<void>;
}

/** `Removing 8 worktrees, 3 left.` */
export function removalText({ all, left }: RemovalProgress): string {
  return `Removing ${counted(all, 'worktree')}, ${left} left.`;
}

/** Output without a dashboard. */
export function progress(call: Call, screen: Screen): Progress {
  if (call.options.flag('json')) return jsonLines;
  if (call.global.quiet) return silent;
  return plainLines(screen);
}

const complainOnly = (line: string): void => printErrors([line]);

/** Prints only messages from `say`, on standard error. */
const silent: Progress = { on: () => {}, say: complainOnly, removing: () => {}, end: () => {} };

/** Every event as one line, for programs that follow a run. */
const jsonLines: Progress = {
  ...silent,
  on: ({ event }) => {
    printJson(JSON.stringify(event, withIsoTimes));
  },
};

/** Events as lines, for output without a terminal. */
export function plainLines(screen: Screen): Progress {
  let isRemovalSaid = false;
  const steps = new StartSteps();
  return {
    ...silent,
    removing: (removal, ms) => {
      if (isRemovalSaid || ms < limits.removalNoteMs) return;
      isRemovalSaid = true;
      screen.lines([removalText(removal)]);
    },
    on: (step) => {
      for (const one of steps.shown(step)) screen.lines(linesOf(one, screen));
    },
  };
}

function linesOf(step: RunStep, { style, width }: Screen): readonly string[] {
  const { event, records, entries, isRepeated, blamed } = step;
  if (isRepeated) return [];
  return progressLines(event, {
    record: records.task,
    run: records.run,
    entries: () => entries,
    blamed,
    offsetMin: clockOffset(),
    style,
    width,
  });
}
