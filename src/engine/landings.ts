import { missingLandings, type PastLanding } from '../merge/missing-landings.ts';
import { ok, type Result } from '../model/failure.ts';
import type { RunId } from '../model/run.ts';
import type { TaskRecord } from '../model/task-record.ts';
import type { LandingEvent } from '../task/status.ts';
import type { Ports } from './context.ts';

type Reading = { readonly store: Pick<Ports['store'], 'run' | 'tasks' | 'isShared'> } & Pick<
  Ports,
  'git'
>;

/** A landing as the task's record knows it: in the target, or dropped from it. */
interface KnownLanding extends PastLanding {
  readonly at: number;
  readonly isDropped: boolean;
}

/**
 * Compares the landed tasks with the target. The target is read after the tasks: a landing is stored after it has moved
 * the target.
 */
export async function compareLandings(
  ports: Reading,
  target: string,
): Promise<Result<readonly LandingEvent[]>> {
  const tasks = await ports.store.tasks();
  return tasks.ok ? landingChanges(ports, target, tasks.value) : tasks;
}

/**
 * Compares landed tasks, which were read before, with the target. Every value of it that a run knows was compared, and
 * each landing contains the ones before it. So if the target contains the newest landings, it contains all.
 */
export async function landingChanges(
  { git, store }: Reading,
  target: string,
  tasks: readonly TaskRecord[],
): Promise<Result<readonly LandingEvent[]>> {
  const tip = await git.resolve(`refs/heads/${target}`);
  const known = tasks.flatMap(landingIn).sort((a, b) => b.at - a.at);
  if (tip === undefined || known.length === 0) return ok([]);
  const isOnTarget = targetFilter(store, target);
  if (!known.some(({ isDropped }) => isDropped)) {
    const newest = await newestOf(known, isOnTarget);
    const gone = await git.missing(tip, newest);
    if (gone.length === 0) return ok([]);
  }
  const landings: KnownLanding[] = [];
  for (const one of known) if (await isOnTarget(one)) landings.push(one);
  return changesOf({ git, store }, target, tip, landings);
}

/** Clocks of the machines that drove the runs may differ by this much. */
const skewMs = 3_600_000;

/** Commits of the newest landings. */
async function newestOf(
  known: readonly KnownLanding[],
  isOnTarget: (landing: KnownLanding) => Promise<boolean>,
): Promise<readonly string[]> {
  const commits: string[] = [];
  let at: number | undefined;
  for (const one of known) {
    if (at !== undefined && one.at < at - skewMs) break;
    if (!(await isOnTarget(one))) continue;
    at ??= one.at;
    commits.push(one.commit);
  }
  return commits;
}

/** The same for one task. Empty if it has not landed, or its branch is gone. */
export async function compareLanding(
  { git, store }: Reading,
  record: TaskRecord,
): Promise<Result<readonly LandingEvent[]>> {
  const [landing] = landingIn(record);
  const run = landing === undefined ? ok(undefined) : await store.run(landing.run);
  if (!run.ok) return run;
  if (landing === undefined || run.value === undefined) return ok([]);
  const { target, delivery = 'land' } = run.value.settings;
  if (delivery !== 'land') return ok([]);
  const tip = await git.resolve(`refs/heads/${target}`);
  return tip === undefined ? ok([]) : changesOf({ git, store }, target, tip, [landing]);
}

async function changesOf(
  { git, store }: Reading,
  target: string,
  tip: string,
  landings: readonly KnownLanding[],
): Promise<Result<readonly LandingEvent[]>> {
  const missing = await missingLandings(git, tip, landings);
  if (!missing.ok) return missing;
  const gone = new Set(missing.value);
  const changed = landings.filter((landing) => gone.has(landing) !== landing.isDropped);
  const lacking = changed.flatMap(({ commit, isDropped }) => (isDropped ? [] : commit));
  // If the store is not shared, this clone has made all landings itself.
  const foreign = store.isShared && lacking.length > 0 ? await git.neverIn(target, lacking) : [];
  return ok(
    changed.map(({ id, commit, isDropped }) => {
      const of = { id, commit, target, tip };
      if (isDropped) return { type: 'landing-restored', ...of };
      const behind = foreign.includes(commit) ? true : undefined;
      return { type: 'landing-dropped', ...of, behind };
    }),
  );
}

function landingIn({ task, status }: TaskRecord): readonly KnownLanding[] {
  if (status.id === 'landed') return [{ ...status, id: task.id, isDropped: false }];
  if (status.id !== 'blocked' || status.failure.kind !== 'landing-dropped') return [];
  const { commit, run, at } = status.failure;
  return [{ id: task.id, commit, run, at, isDropped: true }];
}

/** True for landings of runs that land on this branch themselves; pull requests are merged elsewhere. */
function targetFilter(
  store: Reading['store'],
  target: string,
): (landing: KnownLanding) => Promise<boolean> {
  const answers = new Map<RunId, Promise<boolean>>();
  const ask = async (id: RunId): Promise<boolean> => {
    const run = await store.run(id);
    if (!run.ok || run.value === undefined) return false;
    const { target: branch, delivery = 'land' } = run.value.settings;
    return branch === target && delivery === 'land';
  };
  return ({ run }) => {
    const known = answers.get(run) ?? ask(run);
    answers.set(run, known);
    return known;
  };
}
