import type { Failure, Result } from '../model/failure.ts';
import type { RunId, Scope } from '../model/run.ts';
import { limits } from '../plan/limits.ts';
import { answerDeadline, newTasksDeadline } from '../plan/wait-or-stop.ts';
import type { RunRecord, TaskRecord } from '../plan/record.ts';
import { recordsInScope } from '../plan/scope.ts';
import { plain } from '../report/format/style.ts';
import { clockTime } from '../report/format/time.ts';
import { type RunResult, resultLines, resultOf } from '../report/summary/result.ts';
import { summaryOf } from '../report/summary/summary.ts';
import { summaryText } from '../report/summary/text.ts';
import { watchRun } from '../wire/files.ts';
import { openStore, type Project } from '../wire/project.ts';
import type { Observe, Running } from '../wire/run.ts';
import { exitOf, isDone } from './exit.ts';
import { flakesLately } from './flakes.ts';
import { type Progress, progress } from './follow.ts';
import type { Call } from './parse.ts';
import { clockOffset, type Screen } from './screen.ts';
import { onSignals } from './signals.ts';
import { complain } from './trouble.ts';

/** Starts, shows what happens, obeys signals, sums up. */
export async function drive(
  call: Call,
  screen: Screen,
  project: Project,
  scope: Scope,
  start: (observe: Observe) => Promise<Result<Running, readonly Failure[]>>,
): Promise<number> {
  const shown = progress(call, screen, project);
  let files: ReturnType<typeof watchRun> | undefined;
  const started = await start((past) => {
    const watching = watchRun(project, past);
    files = watching;
    return (event, state) => {
      watching.on(event, state);
      shown.on(event, state);
    };
  });
  if (!started.ok) {
    await project.git.close();
    return refused(call, screen, project, scope, started.failure);
  }
  const running = started.value;
  shown.begin(running);
  const quiet = onSignals(running, shown.say);
  const idle = sayIdle(running, shown.say);
  const removing = showRemoval(running, shown);
  const ended = await running.finished();
  idle();
  removing();
  quiet();
  const written = await files?.flush();
  shown.end();
  if (written?.ok === false) complain([written.failure]);
  if (!ended.ok) return complain([ended.failure]);
  return conclude(call, screen, project, ended.value, [...running.state.tasks.values()]);
}

/** A run that only waits, for tasks or for answers, looks like one that hangs, so it says what it waits for. */
function sayIdle({ id, state }: Running, say: (line: string) => void): () => void {
  let saidAt = 0;
  const look = (): void => {
    const run = state.run(id);
    const now = Date.now();
    const live = [...state.live].flatMap((task) => state.task(task) ?? []);
    const answers = answerDeadline(live);
    const tasks = run === undefined || live.length > 0 ? 0 : newTasksDeadline(run);
    const until = Math.max(answers, tasks);
    if (state.ready.size > 0 || now >= until) saidAt = 0;
    else if (now - saidAt >= limits.waitForTasksNoteMs) {
      saidAt = now;
      const time = clockTime(until, clockOffset());
      const what = answers > 0 ? 'answers' : 'tasks';
      const how = answers > 0 ? '"ym answer" gives one' : '"ym add" brings one in';
      say(`Waiting for ${what} until ${time}; ${how}, Ctrl-C ends the run.`);
    }
  };
  const timer = setInterval(look, limits.refreshMs);
  return () => clearInterval(timer);
}

/** Removing the worktrees of a large repository takes a while, in which nothing else happens. */
function showRemoval(running: Running, shown: Progress): () => void {
  let since: number | undefined;
  const look = (): void => {
    const removal = running.removal();
    if (removal === undefined) return;
    since ??= Date.now();
    shown.removing(removal, Date.now() - since);
  };
  const timer = setInterval(look, limits.removalPollMs);
  return () => clearInterval(timer);
}

/** Sums up from what the run has in memory; only its events are read again. */
async function conclude(
  call: Call,
  screen: Screen,
  project: Project,
  run: RunRecord,
  tasks: readonly TaskRecord[],
): Promise<number> {
  const exit = exitOf(run, tasks);
  if (call.options.flag('json')) {
    const result = resultOf(tasks, run.settings.scope, run);
    process.stdout.write(`${JSON.stringify(resultLine(result, exit, run.id))}\n`);
  } else if (call.global.quiet) complainOf(resultOf(tasks, run.settings.scope, run), exit, screen);
  else {
    const store = await openStore(project, 'read');
    if (!store.ok) return complain([store.failure]);
    const events = await store.value.events({ run: run.id });
    const flakes = await flakesLately(store.value, Date.now());
    await store.value.close();
    if (!events.ok) return complain([events.failure]);
    if (!flakes.ok) return complain([flakes.failure]);
    const summary = summaryOf(events.value, run, tasks, flakes.value);
    screen.lines(['', ...summaryText(summary, screen.style, screen.width)]);
  }
  return exit;
}

/** Output of a quiet run: each task that did not land, with the command for it. */
function complainOf(result: RunResult, exit: number, { width }: Screen): void {
  if (exit === 0) return;
  process.stderr.write(`${resultLines(result, plain, width).join('\n')}\n`);
}

/** The last line of `--json`, after the events. */
function resultLine(result: RunResult, exit: number, run?: RunId) {
  return { type: 'run-result', schema: 1, ...(run === undefined ? {} : { run }), exit, ...result };
}

/** A run with nothing to start: good news only where every task in scope is done. */
async function refused(
  call: Call,
  screen: Screen,
  project: Project,
  scope: Scope,
  failures: readonly Failure[],
): Promise<number> {
  const [first] = failures;
  if (first?.kind !== 'nothing-to-do') return complain(failures);
  const store = await openStore(project, 'read');
  if (!store.ok) return complain([store.failure]);
  const tasks = await store.value.tasks();
  await store.value.close();
  if (!tasks.ok) return complain([tasks.failure]);
  const mine = recordsInScope(tasks.value, scope, undefined);
  const exit = mine.every(isDone) ? 0 : 1;
  const result = resultOf(tasks.value, scope, undefined);
  if (call.options.flag('json')) {
    process.stdout.write(`${JSON.stringify(resultLine(result, exit))}\n`);
  } else if (call.global.quiet) complainOf(result, exit, screen);
  else {
    const head = mine.length === 0 ? noTasks : exit === 0 ? allDone : noneCanStart;
    screen.lines([head, ...(exit === 0 ? [] : resultLines(result, screen.style, screen.width))]);
  }
  return exit;
}

const noTasks = 'Nothing to do: there are no tasks. Add some with `ym add` or `ym import`.';
const allDone = 'Nothing to do: every task in scope has landed.';
const noneCanStart = 'Nothing was started: no task in scope can go on by itself.';
