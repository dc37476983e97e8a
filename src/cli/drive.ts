import { type IdleWait, waitOf } from '../app/live.ts';
import { type Ending, type Outcome, outcomeOf, outcomeWithoutRun } from '../app/outcome.ts';
import type { Project } from '../app/ports.ts';
import type { Preflight } from '../app/preflight.ts';
import type { Run } from '../app/run.ts';
import { summaryOfEnded } from '../app/summary.ts';
import type { Failure, Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { RunId, Scope } from '../model/run.ts';
import type { RunPhase, RunRecord } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { counted } from '../report/format/amount.ts';
import { plain } from '../report/format/style.ts';
import { clockTime } from '../report/format/time.ts';
import { resultLines } from '../report/summary/result.ts';
import { summaryText } from '../report/summary/text.ts';
import { printErrors, printJson } from './output.ts';
import type { Call } from './parse.ts';
import { type Progress, progress } from './progress.ts';
import { clockOffset, complain, isFullScreen, type Screen, screenOf, warn } from './screen.ts';
import { onLeaving, onSignals } from './signals.ts';

/** Shows a started run, handles signals, and prints the summary at the end. */
export async function drive(
  call: Call,
  { project, settings }: Preflight,
  started: Result<Run, readonly Failure[]>,
): Promise<number> {
  if (!started.ok) {
    await project.git.close();
    return notStarted(call, project, settings.scope, started.failure);
  }
  const run = started.value;
  const screen = screenOf(call);
  const shown = await shownRun(call, screen, project, run);
  const { following } = run;
  let isInterrupted = false;
  const leave = (): void => {
    isInterrupted = true;
    following?.leave();
  };
  const removeHandlers = following === undefined ? onSignals(run, shown.say) : onLeaving(leave);
  const timers = [
    setInterval(waitingReporter(run, shown.say), limits.refreshMs),
    setInterval(removalReporter(run, shown), limits.removalPollMs),
  ];
  for await (const step of run.steps) shown.on(step);
  const isLeft = following?.left.aborted === true;
  const ended = await run.ended;
  if (isLeft) shown.say(leftText(run.id, ended.run.ok ? ended.run.value.phase : undefined));
  for (const timer of timers) clearInterval(timer);
  removeHandlers();
  await shown.end();
  if (!ended.files.ok) await complain([ended.files.failure]);
  warn(ended.undelivered);
  // The run goes on: only a signal counts as a stop, as in `ym watch`.
  if (isLeft) return isInterrupted ? exits.stopped : exits.done;
  if (!ended.run.ok) return complain([ended.run.failure]);
  return conclude(call, screen, project, ended.run.value, [...run.state.tasks.values()]);
}

/** True if a person follows the run on a terminal: then it waits for their decisions. */
export function isAttended({ options, global }: Call): boolean {
  const isSilent = options.flag('json') || global.quiet;
  return !isSilent && process.stdout.isTTY === true && process.stdin.isTTY === true;
}

/** Tells what becomes of a run that a person no longer follows. */
export function leftText(run: RunId, phase: RunPhase | undefined): string {
  if (phase?.id === 'ended') return `Run ${run} has ended. \`ym summary\` shows its result.`;
  switch (phase?.stopAsked) {
    case 'finish':
      return `Run ${run} ends in the background when its agents have finished. \`ym watch\` shows it.`;
    case 'now':
      return `Run ${run} ends in the background now. \`ym status\` shows it.`;
    default:
      return `Run ${run} goes on in the background. \`ym watch\` shows it, \`ym stop\` ends it.`;
  }
}

async function shownRun(call: Call, screen: Screen, project: Project, run: Run): Promise<Progress> {
  const { options, global } = call;
  const isDrawn = !(options.flag('json') || options.flag('plain') || global.quiet);
  if (!isDrawn || !isFullScreen(screen)) return progress(call, screen);
  const { dashboardProgress } = await import('./run-dashboard.ts');
  return dashboardProgress(call, screen, project, run);
}

/** Reports what a run waits for if it only waits for tasks or decisions: it would look as if it hung. */
function waitingReporter(run: Run, say: (line: string) => void): () => void {
  let reportedAt = 0;
  let reported = '';
  return () => {
    const now = Date.now();
    const waits = waitOf(run, now);
    const awaited = waits?.for === 'decisions' ? awaitedText(waits) : '';
    if (awaited !== '' && awaited !== reported) say(awaited);
    reported = awaited;
    if (waits === undefined || waits.for === 'decisions') reportedAt = 0;
    else if (now - reportedAt >= limits.waitForTasksNoteMs) {
      reportedAt = now;
      const time = clockTime(waits.until, clockOffset());
      const how = waits.for === 'answers' ? 'give one with `ym answer`' : 'add one with `ym add`';
      const end = run.following === undefined ? 'Ctrl-C' : '`ym stop`';
      say(`Waiting for ${waits.for} until ${time}; ${how}. ${end} ends the run.`);
    }
  };
}

/** `Waiting for 1 answer and 2 approvals of yours; …` */
function awaitedText({ decisions }: Extract<IdleWait, { for: 'decisions' }>): string {
  const { answers, approvals, choices } = decisions;
  const kinds = [
    [answers, 'answer'],
    [approvals, 'approval'],
    [choices, 'choice'],
  ] as const;
  const parts = kinds.flatMap(([count, noun]) => (count === 0 ? [] : [counted(count, noun)]));
  return `Waiting for ${parts.join(' and ')} of yours; \`ym review\` shows what to decide. Ctrl-C ends the run.`;
}

/** Shows the removal of worktrees, which takes a while in a large repository. */
function removalReporter(running: Run, shown: Progress): () => void {
  let since: number | undefined;
  return () => {
    const removal = running.removal();
    if (removal === undefined) return;
    since ??= Date.now();
    shown.removing(removal, Date.now() - since);
  };
}

/** Prints the summary from the records in memory; only the run's events are read again. */
async function conclude(
  call: Call,
  screen: Screen,
  project: Project,
  run: RunRecord,
  tasks: readonly TaskRecord[],
): Promise<number> {
  const outcome = outcomeOf(run, tasks);
  if (call.options.flag('json') || call.global.quiet) {
    return printResult(call, screen, outcome, run.id);
  }
  const summary = await summaryOfEnded(project, run, tasks);
  if (!summary.ok) return complain([summary.failure]);
  screen.lines(['', ...summaryText(summary.value, screen.style, screen.width, 'result-last')]);
  return exits[outcome.ending];
}

/** With `--json` the last line, after the events; with `--quiet` each task that did not land, and the command for it. */
function printResult(
  call: Call,
  { width }: Screen,
  { ending, result }: Outcome,
  run?: RunId,
): number {
  const exit = exits[ending];
  if (call.options.flag('json')) {
    const line = { type: 'run-result', schema: 1, run, exit, ...result };
    printJson(JSON.stringify(line));
  } else if (exit !== 0) {
    printErrors(resultLines(result, plain, width));
  }
  return exit;
}

/** Prints why no run started. */
async function notStarted(
  call: Call,
  project: Project,
  scope: Scope,
  failures: readonly Failure[],
): Promise<number> {
  if (failures[0]?.kind !== 'nothing-to-do') return complain(failures);
  const outcome = await outcomeWithoutRun(project, scope);
  if (!outcome.ok) return complain([outcome.failure]);
  const screen = screenOf(call);
  const { ending, result, tasks } = outcome.value;
  if (call.options.flag('json') || call.global.quiet) {
    return printResult(call, screen, outcome.value);
  }
  const rest = ending === 'done' ? [] : resultLines(result, screen.style, screen.width);
  screen.lines([nothingStarted[tasks], ...rest]);
  return exits[ending];
}

const nothingStarted = {
  none: 'Nothing to do: there are no tasks. Add some with `ym add` or `ym import`.',
  done: 'Nothing to do: every task in scope has landed.',
  stuck: 'Nothing was started: no task in scope can continue on its own.',
};

export const exits: Readonly<Record<Ending, number>> = {
  done: 0,
  incomplete: 1,
  unusable: 3,
  stopped: 4,
  red: 5,
};
