import { isLive } from '../model/attempt.ts';
import { ok, type Result } from '../model/failure.ts';
import { given } from '../model/given.ts';
import { limits } from '../model/limits.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import type { Store } from '../port/store.ts';
import { statusText } from '../report/status/status.ts';
import { runFrom, viewOf } from '../report/view/view.ts';
import { elsewhereOf, isDriven, isUnderWay, runToShow } from '../wire/driven.ts';
import { quarantinedChecksIn } from '../wire/flakes.ts';
import { withActions } from './last-actions.ts';
import { runNamed, withStore } from './open.ts';
import type { Call } from './parse.ts';
import { clockOffset, print } from './screen.ts';

/** The full status: every task, and the target's commit from git. */
export function run(call: Call): Promise<number> {
  return withStore(call, 'read', async ({ project, store }) => {
    const tasks = await store.tasks();
    if (!tasks.ok) return tasks;
    const chosen = await choose(call, store, tasks.value);
    if (!chosen.ok) return chosen;
    const { seen, alive } = chosen.value;
    const branch = seen?.settings.target;
    const tip =
      branch === undefined ? undefined : await project.git.resolve(`refs/heads/${branch}`);
    const commit = tip?.ok ? tip.value : undefined;
    const target = branch === undefined ? undefined : { branch, ...given({ commit }) };
    const now = Date.now();
    const driven = seen === undefined || isDriven(seen);
    const out = seen === undefined ? ok([]) : await quarantinedChecksIn(store, seen.id, now);
    if (!out.ok) return out;
    const quarantinedChecks = out.value.length === 0 ? undefined : out.value;
    const elsewhere = seen === undefined ? undefined : elsewhereOf(seen);
    const whole = runFrom(viewOf(tasks.value, seen, now, target, driven), elsewhere);
    const view = { ...(await withActions(project, whole)), alive, ...given({ quarantinedChecks }) };
    const all = call.options.flag('all');
    const verbose = call.options.flag('verbose');
    const options = { now, all, verbose, offsetMin: clockOffset() };
    return print(call, view, ({ style, width }) => statusText(view, options, style, width));
  });
}

/** The run to show, and the ids of other active runs. */
async function choose(
  call: Call,
  store: Store,
  tasks: readonly TaskRecord[],
): Promise<Result<{ readonly seen?: RunRecord; readonly alive: readonly string[] }>> {
  const runs = await store.runs(limits.runsListed);
  if (!runs.ok) return runs;
  const name = call.options.text('run');
  const named = name === undefined ? ok(undefined) : await runNamed(store, name);
  if (!named.ok) return named;
  const active = tasks.filter(({ attempt }) => attempt !== undefined && isLive(attempt.state));
  const seen = named.value ?? runToShow(runs.value, active);
  const others = runs.value.filter((one) => one.id !== seen?.id && isUnderWay(one));
  return ok({ ...given({ seen }), alive: others.map(({ id }) => id) });
}
