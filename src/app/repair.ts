import { attemptDir, runsDir } from '../files/layout.ts';
import { readAllRuns } from '../files/read-files.ts';
import { isLive } from '../model/attempt-state.ts';
import { BRANCHES, KEPT, parseName } from '../model/branch.ts';
import { type LandingCommit, landingOf } from '../model/commit-message.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { TaskId } from '../model/task.ts';
import type { Snapshot } from '../port/snapshots.ts';
import type { Store } from '../port/store.ts';
import { counted } from '../report/format/amount.ts';
import type { Repair } from '../report/run/repair.ts';
import { activeRun, reading } from './lookup.ts';
import { type Project, storeName } from './ports.ts';
import { eventsFrom, type Facts, type Known } from './repair-events.ts';

type State =
  | { readonly id: 'sound' }
  /** It can be read but contains no run, although there are files of runs. */
  | { readonly id: 'empty'; readonly trouble: Failure }
  | { readonly id: 'unusable'; readonly trouble: Failure };

export async function stateOfStore(project: Project): Promise<State> {
  const found = await reading(project, async (store) => {
    const differences = await store.audit();
    if (!differences.ok) return differences;
    const runs = await store.runs(1);
    return runs.ok ? ok({ differences: differences.value, isNew: runs.value.length === 0 }) : runs;
  });
  if (!found.ok) return { id: 'unusable', trouble: found.failure };
  const corrupt = (detail: string): Failure => {
    return { kind: 'store-corrupt', file: storeName(project), detail };
  };
  const { differences, isNew } = found.value;
  const [first] = differences;
  if (first !== undefined) {
    const detail = `${counted(differences.length, 'record differs', 'records differ')} from the log, the first: ${first}`;
    return { id: 'unusable', trouble: corrupt(detail) };
  }
  const files = isNew ? readAllRuns(runsDir(project)).runs.length : 0;
  if (files === 0) return { id: 'sound' };
  return { id: 'empty', trouble: corrupt(`it contains no run, but files of ${files} exist`) };
}

/**
 * Restores a store that is missing or damaged: from the newest sound copy if there is one, then from git and run files.
 * The damaged file is kept under another name.
 */
export async function repairStore(project: Project): Promise<Result<Repair>> {
  const state = await stateOfStore(project);
  if (state.id === 'sound') return ok(state);
  const { trouble } = state;
  if (trouble.kind !== 'store-corrupt' && trouble.kind !== 'store-missing') return fail(trouble);
  const active = await reading(project, (store) => activeRun({ ...project, store }));
  if (active.ok && active.value !== undefined) {
    const { id: run, owner } = active.value;
    return fail({ kind: 'run-writes', run, pid: owner.pid, host: owner.host });
  }
  const now = project.clock.now();
  const replaced = await replaceStore(project, state, now);
  if (!replaced.ok) return replaced;
  const store = await project.openStore('write');
  if (!store.ok) return store;
  try {
    const done = await complete(project, store.value, now);
    return done.ok ? ok({ id: 'repaired', trouble, ...replaced.value, ...done.value }) : done;
  } finally {
    await store.value.close();
  }
}

/** A store without runs is completed as it is, unless there is a copy. */
async function replaceStore(
  { snapshots }: Project,
  { id }: State,
  now: number,
): Promise<Result<{ readonly aside?: string; readonly copy?: Snapshot }>> {
  if (id === 'empty' && snapshots.list().length === 0) return ok({});
  const aside = await snapshots.setAside(now);
  if (!aside.ok) return aside;
  const copy = await snapshots.restore();
  return copy.ok ? ok({ aside: aside.value, copy: copy.value }) : copy;
}

type Completed = Pick<
  Extract<Repair, { id: 'repaired' }>,
  'added' | 'landed' | 'ended' | 'unknown' | 'unreadable'
>;

/** Adds the facts from git and run files to a restored or empty store. */
async function complete(project: Project, store: Store, now: number): Promise<Result<Completed>> {
  const before = await knownIn(store);
  if (!before.ok) return before;
  const facts = await factsOf(project, before.value);
  await endAgents(project, facts);
  for (const { at, events } of eventsFrom(facts, before.value, now)) {
    const stored = await store.append(at, events);
    if (!stored.ok) return stored;
  }
  const after = await knownIn(store);
  if (!after.ok) return after;
  return ok(changesOf(facts, before.value, after.value));
}

async function knownIn(store: Store): Promise<Result<Known>> {
  const tasks = await store.tasks();
  if (!tasks.ok) return tasks;
  const runs = await store.runs(Number.MAX_SAFE_INTEGER);
  if (!runs.ok) return runs;
  return ok({
    tasks: new Map(tasks.value.map((record) => [record.task.id, record])),
    runs: new Map(runs.value.map((run) => [run.id, run])),
  });
}

async function factsOf(project: Project, known: Known): Promise<Facts & Refs> {
  const { git } = project;
  const told = readAllRuns(runsDir(project));
  const branches = await git.refs(BRANCHES);
  const kept = await git.refs(KEPT);
  const repository = await git.inspect();
  const runs = [
    ...told.runs,
    ...[...known.runs.values()].map(({ base, settings }) => ({ base, target: settings.target })),
  ];
  const bases = new Set(runs.map(({ base }) => base));
  const targets = new Set(runs.map(({ target }) => target));
  if (targets.size === 0 && repository.branch) targets.add(repository.branch);
  const landings: LandingCommit[] = [];
  for (const target of targets) {
    const found = await landingsOn(git, target, bases);
    landings.push(...found);
  }
  const refs = [...branches, ...kept].map(({ ref }) => ref);
  const names = branches.map(({ ref }) => ref.slice('refs/heads/'.length));
  return { told, landings, branches: new Set(names), refs };
}

interface Refs {
  readonly refs: readonly string[];
}

/** Landings on a branch since the first run, oldest first. */
async function landingsOn(
  git: Project['git'],
  target: string,
  bases: ReadonlySet<string>,
): Promise<readonly LandingCommit[]> {
  const tip = await git.resolve(`refs/heads/${target}`);
  const landings: LandingCommit[] = [];
  const left = new Set(bases);
  let next = tip;
  for (let count = 0; next !== undefined && count < limits.repairCommits; count += 1) {
    left.delete(next);
    if (bases.size > 0 && left.size === 0) break;
    const info = await git.commit(next);
    const { parents, message } = info;
    const landing = landingOf(next, parents, message);
    if (landing !== undefined) landings.unshift(landing);
    next = parents[0];
  }
  return landings;
}

/** Ends agents that a killed run left at work: the next run resets their worktrees. */
async function endAgents(project: Project, { told }: Facts): Promise<void> {
  const processes = await project.children({ agents: {} });
  for (const { run, task, attempt, outcome } of told.attempts) {
    if (outcome === 'unfinished') await processes.endIn(attemptDir(project, run, task, attempt));
  }
}

function changesOf({ told, refs }: Facts & Refs, before: Known, after: Known): Completed {
  const ids = [...after.tasks.keys()];
  const isLanded = (known: Known, id: TaskId): boolean =>
    known.tasks.get(id)?.status.id === 'landed';
  const wasLive = (id: TaskId): boolean => {
    const attempt = before.tasks.get(id)?.attempt;
    return attempt !== undefined && isLive(attempt.state);
  };
  const landed = ids.filter((id) => isLanded(after, id) && !isLanded(before, id));
  return {
    added: ids.filter((id) => !before.tasks.has(id)),
    landed,
    ended: ids.filter((id) => wasLive(id) && !landed.includes(id)),
    unknown: refs.filter((ref) => !after.tasks.has(parseName(ref)?.task ?? '')),
    unreadable: told.unreadable,
  };
}
