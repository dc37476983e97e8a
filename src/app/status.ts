import { isLive } from '../model/attempt-state.ts';
import { ok, type Result } from '../model/failure.ts';
import { given } from '../model/given.ts';
import { limits } from '../model/limits.ts';
import type { RunId } from '../model/run.ts';
import type { LeasedRun } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { withLastActions } from '../report/view/slot.ts';
import { partialView, runFrom, type View, viewOf } from '../report/view/view.ts';
import { elsewhereOf, isDriven, isUnderWay, runToShow } from './liveness.ts';
import { runNamed } from './lookup.ts';
import type { Liveness, Opened, Project, QuickProject } from './ports.ts';

/** A view, and other runs that are under way. */
export type Status = View & { readonly alive: readonly RunId[] };

/** The short status, without the tasks that need no attention. Reads neither git nor the whole store. */
export async function shortStatus(
  ports: QuickProject,
): Promise<Result<Status & { readonly outside: number }>> {
  let alive: readonly RunId[] = [];
  const found = await ports.store.status((runs, active) => {
    const seen = runToShow(ports, runs, active);
    alive = othersUnderWay(ports, runs, seen);
    return seen;
  });
  if (!found.ok) return found;
  const { run: seen, outside } = found.value;
  const driven = seen === undefined || isDriven(ports, seen);
  const view = partialView(found.value, seen, ports.clock.now(), undefined, driven);
  return ok({ ...(await completed(ports, view, seen)), outside, alive });
}

/** The full status: every task, the target's commit from git, and checks in quarantine. */
export async function fullStatus(ports: Opened, name: string | undefined): Promise<Result<Status>> {
  const { store, git, clock } = ports;
  const tasks = await store.tasks();
  if (!tasks.ok) return tasks;
  const chosen = await choose(ports, name, tasks.value);
  if (!chosen.ok) return chosen;
  const { seen, alive } = chosen.value;
  const branch = seen?.settings.target;
  const tip = branch === undefined ? undefined : await git.resolve(`refs/heads/${branch}`);
  const commit = tip?.ok ? tip.value : undefined;
  const target = branch === undefined ? undefined : { branch, ...given({ commit }) };
  const now = clock.now();
  const driven = seen === undefined || isDriven(ports, seen);
  const { quarantinedChecksIn } = await import('./flakes.ts');
  const out = seen === undefined ? ok([]) : await quarantinedChecksIn(store, seen.id, now);
  if (!out.ok) return out;
  const quarantinedChecks = out.value.length === 0 ? undefined : out.value;
  const view = viewOf(tasks.value, seen, now, target, driven);
  const whole = await completed(ports, view, seen);
  return ok({ ...whole, alive, ...given({ quarantinedChecks }) });
}

/** Adds the machine that drives the run and the last action of each agent. */
async function completed(
  ports: Pick<Project, 'host' | 'lastActions'>,
  view: View,
  run: LeasedRun | undefined,
): Promise<View> {
  const whole = runFrom(view, run === undefined ? undefined : elsewhereOf(ports, run));
  if (!whole.slots.some(({ phase }) => phase === 'working')) return whole;
  return withLastActions(whole, await ports.lastActions());
}

/** The run to show, and the ids of other active runs. */
async function choose(
  ports: Opened,
  name: string | undefined,
  tasks: readonly TaskRecord[],
): Promise<Result<{ readonly seen?: LeasedRun; readonly alive: readonly RunId[] }>> {
  const runs = await ports.store.runs(limits.runsListed);
  if (!runs.ok) return runs;
  const named = name === undefined ? ok(undefined) : await runNamed(ports.store, name);
  if (!named.ok) return named;
  const active = tasks.filter(({ attempt }) => attempt !== undefined && isLive(attempt.state));
  const seen = named.value ?? runToShow(ports, runs.value, active);
  return ok({ ...given({ seen }), alive: othersUnderWay(ports, runs.value, seen) });
}

function othersUnderWay(
  ports: Liveness,
  runs: readonly LeasedRun[],
  seen: LeasedRun | undefined,
): readonly RunId[] {
  return runs.flatMap((run) => (run.id !== seen?.id && isUnderWay(ports, run) ? [run.id] : []));
}
