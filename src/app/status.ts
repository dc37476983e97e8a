import { isLive } from '../model/attempt-state.ts';
import { defined } from '../model/defined.ts';
import { ok, type Result } from '../model/failure.ts';
import { type LeasedRun, lastSignOf } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { outcomeOf } from '../model/trouble.ts';
import type { PastView } from '../report/view/past.ts';
import { lastActionsOf, workingIn } from '../report/view/slot.ts';
import { type KnownTasks, type Snapshot, type View, viewOf } from '../report/view/view.ts';
import { driverOf, rereadIfDead, runsNow, runsUnderWay, runToShow } from './liveness.ts';
import { runNamed } from './lookup.ts';
import type { Opened, Project, QuickProject } from './ports.ts';

/**
 * The short status, without the tasks that need no attention. Reads neither the whole store nor, unless a person has moved
 * the target since the last run, git. Undefined if the target may lack a landing: then only `fullStatus` is true.
 */
export async function shortStatus(ports: QuickProject): Promise<Result<View | undefined>> {
  let all: readonly LeasedRun[] = [];
  const read = () =>
    ports.store.status((runs, active) => {
      all = runs;
      return runToShow(ports, runs, active);
    });
  const found = await rereadIfDead(ports, read, () => all);
  if (!found.ok) return found;
  const { run, outside, activeOutside, active, troubled, counts, blocked } = found.value;
  const records = [...new Map([...active, ...troubled].map((one) => [one.task.id, one])).values()];
  const tasks = { id: 'some', records, counts, blocked, outside, activeOutside } as const;
  const underWay = runsUnderWay(ports, all);
  // A run under way compares the target itself.
  if (run !== undefined && !underWay.includes(run.id)) {
    const isDropped = blocked.some(([kind]) => kind === 'landing-dropped');
    if (isDropped || !(await isTargetAsRecorded(ports, run))) return ok(undefined);
  }
  return ok(viewOf(await snapshotOf(ports, { tasks, underWay, run }), ports.clock.now()));
}

/**
 * True if the target still contains every landing that the records say it contains, as far as a file of git tells, or
 * one question to it. A run compares each value of its target that it sees with the landings, so any commit on top of
 * the last one has them all.
 */
async function isTargetAsRecorded(
  { tipOf, isAncestor }: Pick<QuickProject, 'tipOf' | 'isAncestor'>,
  { settings, base, target: { tip: seen = base, externalTip } }: LeasedRun,
): Promise<boolean> {
  if ((settings.delivery ?? 'land') !== 'land') return true;
  const tip = tipOf(settings.target);
  if (tip !== undefined && (tip === seen || tip === externalTip)) return true;
  const onTop = await outcomeOf(isAncestor(seen, tip ?? `refs/heads/${settings.target}`));
  // Without the target, its landings cannot be compared.
  return !onTop.ok || onTop.value;
}

/** The full status: every task, the target's commit from git, and checks in quarantine. */
export async function fullStatus(ports: Opened, name: string | undefined): Promise<Result<View>> {
  const { store, git, clock } = ports;
  const runs = await runsNow(ports);
  if (!runs.ok) return runs;
  const underWay = runsUnderWay(ports, runs.value);
  const { tasksNow } = await import('./landings.ts');
  const tasks = await tasksNow(ports, runs.value);
  if (!tasks.ok) return tasks;
  const named = name === undefined ? ok(undefined) : await runNamed(store, name);
  if (!named.ok) return named;
  const records = tasks.value;
  const active = records.filter(({ attempt }) => attempt !== undefined && isLive(attempt.state));
  const run = named.value ?? runToShow(ports, runs.value, active);
  const tip = run && (await outcomeOf(git.resolve(`refs/heads/${run.settings.target}`)));
  const { quarantinedChecksIn } = await import('./flakes.ts');
  const checks = run === undefined ? ok([]) : await quarantinedChecksIn(store, run.id, clock.now());
  if (!checks.ok) return checks;
  const snapshot = await snapshotOf(ports, {
    tasks: { id: 'all', records },
    underWay,
    run,
    targetCommit: tip?.ok ? tip.value : undefined,
    quarantinedChecks: checks.value,
  });
  const past = run === undefined ? ok(undefined) : await pastOf(ports, records, run);
  return past.ok
    ? ok(viewOf({ ...snapshot, ...defined({ past: past.value }) }, clock.now()))
    : past;
}

async function pastOf(
  { store, clock }: Pick<Opened, 'store' | 'clock'>,
  records: readonly TaskRecord[],
  run: LeasedRun,
): Promise<Result<PastView>> {
  const attempts = await store.attempts({ run: run.id });
  if (!attempts.ok) return attempts;
  const history = await store.runHistory(run.id);
  if (!history.ok) return history;
  const { pastViewOf } = await import('../report/view/past.ts');
  const past = { attempts: attempts.value, history: history.value };
  return ok(pastViewOf(records, run, past, clock.now()));
}

interface SnapshotParts
  extends Pick<Snapshot, 'underWay'>,
    Partial<Pick<Snapshot, 'quarantinedChecks'>> {
  readonly tasks: KnownTasks;
  readonly run: LeasedRun | undefined;
  readonly targetCommit?: string | undefined;
}

/** Adds the machine that drives the run and the last action of each working agent. */
async function snapshotOf(
  ports: Pick<Project, 'self' | 'lastActions'>,
  { tasks, underWay, run: record, targetCommit, quarantinedChecks = [] }: SnapshotParts,
): Promise<Snapshot> {
  const known = { tasks, underWay, quarantinedChecks };
  if (record === undefined) return { ...known, lastActions: new Map() };
  const lastSignAt = lastSignOf(record);
  const run = { record, driver: driverOf(ports, record), lastSignAt, targetCommit };
  const working = workingIn(tasks.records, record);
  const read = working.length > 0 ? await ports.lastActions() : () => undefined;
  return { ...known, run, lastActions: lastActionsOf(working, read) };
}
