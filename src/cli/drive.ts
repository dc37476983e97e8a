import type { Project } from '../app/ports.ts';
import type { Preflight } from '../app/preflight.ts';
import { type Run, waitOf } from '../app/run.ts';
import { readSummary } from '../app/summary.ts';
import type { Failure, Result } from '../model/failure.ts';
import { given } from '../model/given.ts';
import { limits } from '../model/limits.ts';
import type { RunId, Scope, StopReason } from '../model/run.ts';
import { type RunRecord, stopOf } from '../model/run-record.ts';
import { satisfies, type TaskRecord } from '../model/task-record.ts';
import { plain } from '../report/format/style.ts';
import { clockTime } from '../report/format/time.ts';
import { type RunResult, resultLines, resultOf } from '../report/summary/result.ts';
import { summaryText } from '../report/summary/text.ts';
import { recordsInScope } from '../task/scope.ts';
import type { Call } from './parse.ts';
import { type Progress, progress } from './progress.ts';
import { clockOffset, complain, type Screen, screenOf } from './screen.ts';
import { onSignals } from './signals.ts';

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
  const shown = progress(call, screen, project);
  shown.begin(run);
  const removeHandlers = onSignals(run, shown.say);
  const timers = [
    setInterval(waitingReporter(run, shown.say), limits.refreshMs),
    setInterval(removalReporter(run, shown), limits.removalPollMs),
  ];
  for await (const step of run.steps) shown.on(step);
  const ended = await run.ended;
  for (const timer of timers) clearInterval(timer);
  removeHandlers();
  shown.end();
  if (!ended.files.ok) complain([ended.files.failure]);
  if (!ended.run.ok) return complain([ended.run.failure]);
  return conclude(call, screen, project, ended.run.value, [...run.state.tasks.values()]);
}

/** Reports what a run waits for if it only waits for tasks or answers: it would look as if it hung. */
function waitingReporter(run: Run, say: (line: string) => void): () => void {
  let reportedAt = 0;
  return () => {
    const now = Date.now();
    const waits = waitOf(run, now);
    if (waits === undefined) reportedAt = 0;
    else if (now - reportedAt >= limits.waitForTasksNoteMs) {
      reportedAt = now;
      const time = clockTime(waits.until, clockOffset());
      const how = waits.for === 'answers' ? 'give one with `ym answer`' : 'add one with `ym add`';
      say(`Waiting for ${waits.for} until ${time}; ${how}. Ctrl-C ends the run.`);
    }
  };
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
  const exit = exitOf(run, tasks);
  const result = resultOf(tasks, run.settings.scope, run);
  if (call.options.flag('json') || call.global.quiet) {
    printResult(call, screen, result, exit, run.id);
    return exit;
  }
  const store = await project.openStore('read');
  if (!store.ok) return complain([store.failure]);
  const summary = await readSummary({ ...project, store: store.value }, run, tasks);
  await store.value.close();
  if (!summary.ok) return complain([summary.failure]);
  screen.lines(['', ...summaryText(summary.value, screen.style, screen.width)]);
  return exit;
}

/** With `--json` the last line, after the events; with `--quiet` each task that did not land, and the command for it. */
function printResult(
  call: Call,
  { width }: Screen,
  result: RunResult,
  exit: number,
  run?: RunId,
): void {
  if (call.options.flag('json')) {
    const line = { type: 'run-result', schema: 1, ...given({ run }), exit, ...result };
    process.stdout.write(`${JSON.stringify(line)}\n`);
  } else if (exit !== 0) {
    process.stderr.write(`${resultLines(result, plain, width).join('\n')}\n`);
  }
}

/** Prints why no run started. That there is nothing to do is a success only if every task in scope is done. */
async function notStarted(
  call: Call,
  project: Project,
  scope: Scope,
  failures: readonly Failure[],
): Promise<number> {
  if (failures[0]?.kind !== 'nothing-to-do') return complain(failures);
  const store = await project.openStore('read');
  if (!store.ok) return complain([store.failure]);
  const tasks = await store.value.tasks();
  await store.value.close();
  if (!tasks.ok) return complain([tasks.failure]);
  const mine = recordsInScope(tasks.value, scope, undefined);
  const exit = mine.every(isDone) ? 0 : 1;
  const result = resultOf(tasks.value, scope, undefined);
  const screen = screenOf(call);
  if (call.options.flag('json') || call.global.quiet) printResult(call, screen, result, exit);
  else {
    const head = mine.length === 0 ? noTasks : exit === 0 ? allDone : noneCanStart;
    screen.lines([head, ...(exit === 0 ? [] : resultLines(result, screen.style, screen.width))]);
  }
  return exit;
}

const noTasks = 'Nothing to do: there are no tasks. Add some with `ym add` or `ym import`.';
const allDone = 'Nothing to do: every task in scope has landed.';
const noneCanStart = 'Nothing was started: no task in scope can continue on its own.';

const early: Readonly<Partial<Record<StopReason, number>>> = {
  cancelled: 4,
  'stop-asked': 4,
  'budget-tokens': 4,
  'budget-cost': 4,
  'budget-wall': 4,
  'max-attempts': 4,
  quota: 4,
  environment: 3,
  'slot-errors': 3,
  died: 3,
};

/**
 * The exit status of a run. If every task is done, a request to stop does not matter; a red target outweighs tasks that
 * did not land.
 */
export function exitOf(run: RunRecord | undefined, tasks: readonly TaskRecord[]): number {
  if (run === undefined) return 70;
  const all = recordsInScope(tasks, run.settings.scope, run).every(isDone);
  const red = run.target.verified?.kind === 'failed' || run.target.verified?.kind === 'timed-out';
  if (all) return red ? 5 : 0;
  const stop = stopOf(run);
  return (stop === undefined ? undefined : early[stop.reason]) ?? (red ? 5 : 1);
}

/** True if a run can do nothing more for the task; delivered work waits to be merged by others. */
export function isDone(record: TaskRecord): boolean {
  return record.status.id === 'delivered' || satisfies(record);
}
