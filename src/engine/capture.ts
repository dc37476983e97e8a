import { isDocumentation } from '../inspection/dropped.ts';
import { isStraightOn } from '../merge/conflict-details.ts';
import { keepRefOf } from '../model/branch.ts';
import type { Work } from '../model/command.ts';
import { commitMessage } from '../model/commit-message.ts';
import { defined } from '../model/defined.ts';
import type { EventBody } from '../model/event.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { outcomeOf, settled } from '../model/trouble.ts';
import type { Violation } from '../model/violation.ts';
import { planType } from '../plan/agent-pool.ts';
import type { CommitInfo, RefMove } from '../port/git.ts';
import { hold, strayNames } from '../worktree/save.ts';
import { commandFailure, runCommands } from '../worktree/setup.ts';
import { envOf, failed, of, poolKey } from './attempt.ts';
import { answersViolations, checkConflictWork } from './conflict-work.ts';
import { attemptDir, type Events, type Ports, type RunContext } from './context.ts';
import {
  baseOfWork,
  inspectChanges,
  type Marked,
  markersLeft,
  predictConflicts,
  refusedAtOnce,
  testsFirstViolations,
} from './inspection.ts';
import { filedBy } from './turn.ts';

/**
 * Commits whatever the agent left and holds it with a keep ref. All facts come from git, not from the agent. Work that
 * cannot be read because objects of the repository are gone waits for them.
 */
export async function capture(
  ports: Ports,
  context: RunContext,
  work: Work,
): Promise<Result<Events>> {
  const done = await captureWork(ports, context, work);
  const isCaught = done.ok && done.value.every(({ type }) => type !== 'attempt-given-up');
  const base = work.attempt.worktree?.base;
  if (isCaught || base === undefined) return done;
  const missing = await outcomeOf(ports.git.missingObject(base));
  const object = missing.ok ? missing.value : undefined;
  return object === undefined ? done : fail({ kind: 'objects-missing', object });
}

async function captureWork(ports: Ports, context: RunContext, work: Work): Promise<Result<Events>> {
  const { git } = ports;
  const { attempt, task } = work;
  if (attempt.worktree === undefined || attempt.state.id !== 'capturing') return ok([]);
  const own = await settled(attemptWorktree(ports, work, await ignoredSince(ports, work)));
  const { dir } = attempt.worktree;
  if (!own.ok) return failed(context, work, captureFailed(own.failure, dir));
  const untouched = await outcomeOf(unresolvedFiles(ports, work, own.value.dir));
  if (!untouched.ok) return failed(context, work, captureFailed(untouched.failure, dir));
  const trailers = untouched.value.map((path) => `${unresolvedTrailer}: ${path}`);
  const message = commitMessage(task.title, [`Yard-Task: ${task.id}`, ...trailers]);
  const finished = await outcomeOf(finishWork(ports, context, work, own.value));
  if (!finished.ok) return failed(context, work, captureFailed(finished.failure, dir));
  if (finished.value === 'interrupted') return ok([]);
  const { failure } = finished.value;
  const left = await outcomeOf(commitChanges(ports, finished.value.own, message));
  if (!left.ok) {
    const isTold = attempt.conversation.leftOutTold === true;
    if (left.failure.kind === 'nested-repository' && !isTold) {
      const files = left.failure.paths.slice(0, limits.changesKept);
      return ok([{ type: 'work-left-out', ...of(context, work), files, because: 'nested' }]);
    }
    return failed(context, work, captureFailed(left.failure, dir));
  }
  const { commit, by } = left.value;
  const made = await outcomeOf(isWork(ports, context, attempt.worktree.base, commit));
  if (!made.ok) return failed(context, work, made.failure);
  if (!made.value) return withoutChanges(ports, context, work, own.value.dir);
  const info = await outcomeOf(git.commit(commit));
  if (!info.ok) return failed(context, work, info.failure);
  const unresolved = filesInTrailer(info.value.message);
  if (unresolved.length > 0) {
    const failure: Failure = { kind: 'conflict-unresolved', files: unresolved };
    return abandonMerge(ports, context, work, commit, failure);
  }
  const kept = await outcomeOf(git.moveRefs(refsOfWork(attempt.branch, commit)));
  if (!kept.ok) return failed(context, work, kept.failure);
  const { tree } = info.value;
  const stale = await settled(noProgress(ports, work, info.value));
  if (!stale.ok) return failed(context, work, stale.failure);
  if (stale.value !== undefined) {
    return failed(context, work, { kind: 'no-progress', last: stale.value });
  }
  const ignored = namedIgnored(own.value.ignored);
  const facts = { commit, tree, by, ignored, failure };
  const captured = { type: 'work-captured', ...of(context, work), ...facts } as const;
  // Work handed in by a person is not inspected.
  if (attempt.handedIn !== undefined && attempt.conversation.turns === 0) {
    return ok([{ ...captured, by: 'person' }]);
  }
  return inspectWork(ports, context, work, captured);
}

/** The branch shows the work to users; the keep ref holds it whatever they do with the branch. */
export function refsOfWork(branch: string, commit: string): readonly RefMove[] {
  return [
    { ref: keepRefOf(branch), to: commit },
    { ref: `refs/heads/${branch}`, to: commit },
  ];
}

/** Trailer of an unfinished merge commit: names a conflicted file that the agent did not resolve. */
const unresolvedTrailer = 'Yard-Unresolved';

function filesInTrailer(message: string): readonly string[] {
  const lines = message.matchAll(new RegExp(`^${unresolvedTrailer}: (.+)$`, 'gm'));
  return [...lines].map(([, path = '']) => path);
}

/** Conflicted files without markers that the agent did not touch. */
async function unresolvedFiles(
  { git }: Ports,
  { attempt: { returns } }: Work,
  dir: string,
): Promise<readonly string[]> {
  const { merged } = returns;
  if (merged?.id !== 'conflicts' || merged.unmarked === undefined) return [];
  const begun = new Set(merged.unmarked.map(({ path }) => path));
  const now = await git.unmarked(dir);
  return now.map(({ path }) => path).filter((path) => begun.has(path));
}

/** Returns why the work was returned if it has not changed since, or if nothing but the target is left of it. */
async function noProgress(
  ports: Ports,
  work: Work,
  { commit, tree }: CommitInfo,
): Promise<Result<Failure | undefined>> {
  const { git } = ports;
  const { captured, returns } = work.attempt;
  const { because, merged } = returns;
  if (because === undefined) return ok(undefined);
  const target = merged === undefined ? undefined : await outcomeOf(git.commit(merged.onto));
  if (target?.ok === false) return target;
  if (target?.value.tree === tree) return ok(because);
  if (captured?.tree !== tree) {
    if (merged?.id !== 'clean') return ok(undefined);
    const before = await git.commit(merged.commit);
    return ok(before.tree === tree ? because : undefined);
  }
  if (merged?.id !== 'conflicts') {
    const answered = await answersViolations(ports, work, because, commit);
    return answered.ok ? ok(answered.value ? undefined : because) : answered;
  }
  // A merge resolved entirely in favor of the work has the same tree, but is progress.
  const had = await git.isAncestor(merged.onto, captured.commit);
  const has = await git.isAncestor(merged.onto, commit);
  return ok(has && !had ? undefined : because);
}

/** Inspects the captured work: what it changes, which rules it violates, and what it conflicts with. */
async function inspectWork(
  ports: Ports,
  context: RunContext,
  work: Work,
  captured: Extract<EventBody, { type: 'work-captured' }>,
): Promise<Result<Events>> {
  const { commit } = captured;
  const first = work.attempt.worktree?.base;
  const base = await outcomeOf(baseOfWork(ports, context, work.attempt, commit));
  if (!base.ok) return failed(context, work, base.failure);
  const seen = await outcomeOf(inspectChanges(ports, context, work, base.value, commit));
  if (!seen.ok) return failed(context, work, seen.failure);
  const { changes } = seen.value;
  const early = await outcomeOf(testsFirstViolations(ports, work.attempt, base.value, commit));
  if (!early.ok) return failed(context, work, early.failure);
  const checked = await settled(checkConflictWork(ports, work, base.value, commit));
  if (!checked.ok) return failed(context, work, checked.failure);
  const { resolves, unresolved } = checked.value;
  const violations = [...seen.value.violations, ...early.value, ...unresolved];
  const marked = await outcomeOf(
    markersLeft(ports, base.value, commit, changes.files, work.attempt),
  );
  if (!marked.ok) return failed(context, work, marked.failure);
  const failure = unfinishedMerge(work, marked.value, violations);
  if (failure !== undefined) return abandonMerge(ports, context, work, commit, failure);
  const left = markersOf(work, base.value, marked.value);
  if (left !== undefined) {
    return ok([
      { ...captured, changes },
      { type: 'merge-refused', ...of(context, work), failure: left },
    ]);
  }
  const event = {
    ...captured,
    ...(base.value === first ? {} : { base: base.value }),
    changes,
    ...(violations.length === 0 ? {} : { violations }),
    ...defined({ resolves }),
  };
  const refused = await settled(refusedAtOnce(ports, context, work, base.value, commit));
  if (!refused.ok) return failed(context, work, refused.failure);
  if (refused.value.length > 0) return ok([event, ...refused.value]);
  return ok([event, ...(await predictConflicts(ports, context, work, commit, changes.files))]);
}

/**
 * Classifies conflict markers if the engine had not started a merge: they are from a merge of the agent's own, or
 * lines that only look like markers. New documentation may contain such lines.
 */
function markersOf(
  { attempt }: Work,
  base: string,
  marked: readonly Marked[],
): Failure | undefined {
  if (base !== (attempt.returns.merged?.onto ?? attempt.worktree?.base)) {
    const files = marked.map(({ file }) => file);
    return files.length === 0 ? undefined : { kind: 'conflict-markers', files };
  }
  const places = marked
    .filter(({ file, isNew }) => !(isNew && isDocumentation(file)))
    .map(({ file, line }) => `${file}:${line}`);
  return places.length === 0 ? undefined : { kind: 'marker-lines', places };
}

/**
 * Returns why the merge that the agent had to finish is incomplete: markers are left, or lines of others were
 * dropped.
 */
function unfinishedMerge(
  { attempt }: Work,
  marked: readonly Marked[],
  violations: readonly Violation[],
): Failure | undefined {
  if (attempt.returns.merged?.id !== 'conflicts') return undefined;
  const files = marked.map(({ file }) => file);
  if (files.length > 0) return { kind: 'conflict-markers', files };
  const isLossOnly = violations.every(({ kind }) => kind === 'lines-dropped');
  return violations.length > 0 && isLossOnly ? { kind: 'rules-broken', violations } : undefined;
}

/**
 * Undoes the unfinished merge, so that the branch holds the work as before and a person can merge it again. A
 * separate ref holds the unfinished merge.
 */
async function abandonMerge(
  { git }: Ports,
  context: RunContext,
  work: Work,
  merge: string,
  failure: Failure,
): Promise<Result<Events>> {
  const { attempt } = work;
  const dir = attempt.worktree?.dir;
  if (attempt.captured === undefined || dir === undefined) return failed(context, work, failure);
  const { commit } = attempt.captured;
  const aside = await settled(hold(git, strayNames(keepRefOf(attempt.branch)), merge));
  const back = aside.ok ? await outcomeOf(git.moveRefs(refsOfWork(attempt.branch, commit))) : aside;
  const pointed = back.ok ? await outcomeOf(git.point(dir, commit, attempt.branch)) : back;
  return failed(context, work, pointed.ok ? failure : pointed.failure);
}

/** Checked-out commit of a worktree, and whether there are uncommitted changes. */
export interface WorktreeState {
  readonly dir: string;
  readonly head: string;
  readonly dirty: boolean;
  /** Ignored files and folders that the agent made. */
  readonly ignored: readonly string[];
}

/** Returns the attempt's worktree. If the agent deleted it, it is created again with the work captured before. */
export async function attemptWorktree(
  { git, pool }: Ports,
  work: Work,
  ignoredSince?: number,
): Promise<Result<WorktreeState>> {
  const { attempt } = work;
  const kept = await git.resolve(keepRefOf(attempt.branch));
  const last = kept ?? attempt.worktree?.base;
  const taken = await pool.take(poolKey(work), last);
  if (!taken.ok) return taken;
  const { dir } = taken.value;
  const old = attempt.worktree?.dir ?? dir;
  if (dir !== old) {
    // The state folder was moved between two processes of the run.
    await pool.give(poolKey(work));
    return fail({
      kind: 'worktree-failed',
      cause: `its worktree is ${old}, in another state folder`,
    });
  }
  const status = await git.status(dir, ignoredSince);
  const { head, branch: on, dirty, ignored = [] } = status;
  const astray = on === undefined && !dirty && head === last;
  if (astray) await git.point(dir, head, attempt.branch);
  return ok({ dir, head, dirty, ignored });
}

export async function commitChanges(
  { git }: Ports,
  { dir, head, dirty }: WorktreeState,
  message: string,
): Promise<{ readonly commit: string; readonly by: 'agent' | 'engine' }> {
  if (!dirty) return { commit: head, by: 'agent' };
  const committed = await git.commitAll(dir, message);
  return { commit: committed, by: 'engine' };
}

/** True if a commit contributes something: its tree differs from the base, and the target does not contain it. */
export async function isWork(
  { git }: Ports,
  context: RunContext,
  base: string,
  commit: string,
): Promise<boolean> {
  if (commit === base) return false;
  const before = await git.commit(base);
  const after = await git.commit(commit);
  if (before.tree === after.tree) return false;
  if (await isStraightOn(git, commit, base)) return true;
  const tip = await outcomeOf(git.resolve(`refs/heads/${context.target}`));
  if (!tip.ok || tip.value === undefined) return true;
  const there = await git.isAncestor(commit, tip.value);
  return !there;
}

/** Blames the files that an agent left in its worktree, unless git names a cause on the machine. */
export function captureFailed(failure: Failure, dir: string): Failure {
  switch (failure.kind) {
    case 'git-failed': {
      const cause = `git ${failure.args.join(' ')}: ${failure.stderr}`;
      return { kind: 'capture-failed', cause, dir };
    }
    case 'worktree-failed':
      return { kind: 'capture-failed', cause: failure.cause, dir };
    default:
      return failure;
  }
}

/** The worktree after the commands of `worktree.finish`, and why they failed. */
interface Finished {
  readonly own: WorktreeState;
  readonly failure?: Failure;
}

/**
 * Runs the commands of `worktree.finish` on what a turn left. Without changes, or after a person handed the work in, none
 * run. A command that has ended keeps its result if the engine dies, so that no turn is finished twice.
 */
async function finishWork(
  { git, processes }: Ports,
  context: RunContext,
  work: Work,
  own: WorktreeState,
): Promise<Finished | 'interrupted'> {
  const { task, attempt } = work;
  const { turns } = attempt.conversation;
  const before = attempt.captured?.commit ?? attempt.worktree?.base;
  const isChanged = own.dirty || own.head !== before;
  if (context.finish.length === 0 || turns === 0 || !isChanged) return { own };
  const run = {
    commands: context.finish,
    worktree: own.dir,
    dir: attemptDir(context, task.id, attempt),
    name: `finish-${turns}`,
    env: envOf(context, work, own.dir, turns),
    limits: context.limits.setup,
    role: 'setup',
  } as const;
  const failed = await runCommands(processes, run);
  if (failed === 'interrupted') return failed;
  const status = await git.status(own.dir);
  const { head, dirty } = status;
  const left = { ...own, head, dirty };
  if (failed === undefined) return { own: left };
  return { own: left, failure: { kind: 'finish-failed', ...commandFailure(failed) } };
}

/**
 * Without changes the attempt fails, except for a `plan` task that filed tasks. An agent that left its work in ignored
 * files, in its stash or on another branch is told once. After that ignored files are kept in an archive; commits get
 * refs when the attempt ends.
 */
async function withoutChanges(
  ports: Ports,
  context: RunContext,
  work: Work,
  dir: string,
): Promise<Result<Events>> {
  const { task, attempt } = work;
  if (attempt.state.id !== 'capturing') return ok([]);
  const all = task.type === planType ? await ports.store.tasks() : ok([]);
  if (!all.ok) return failed(context, work, all.failure);
  const filed = filedBy(task, all.value);
  if (filed.length > 0) {
    return ok([{ type: 'work-planned', ...of(context, work), filed: filed.map(({ id }) => id) }]);
  }
  const found = await outcomeOf(ports.git.leftOut(dir, attempt.worktree?.readyAt ?? 0));
  const strays = await outcomeOf(ports.git.strays(dir));
  const elsewhere = strays.ok ? strays.value.map((commit) => `commit ${commit.slice(0, 7)}`) : [];
  const files = [...elsewhere, ...(found.ok ? found.value : [])].slice(0, limits.changesKept);
  if (files.length > 0 && attempt.conversation.leftOutTold !== true) {
    return ok([{ type: 'work-left-out', ...of(context, work), files }]);
  }
  const { tail, failed: calls } = attempt.state;
  const failure: Failure = { kind: 'no-changes', tail, failed: calls };
  if (!found.ok || files.length === 0) return failed(context, work, failure);
  const archive = `${attemptDir(context, task.id, attempt)}/left-out.tar.gz`;
  const left = found.value.length > 0 ? await ports.archive(dir, found.value, archive) : ok([]);
  if (!left.ok) return left;
  const kept = {
    ...(left.value.length < found.value.length ? { archive } : {}),
    ...(left.value.length > 0 ? { notKept: left.value.slice(0, limits.changesKept) } : {}),
  };
  return failed(context, work, { ...failure, leftOut: files, ...kept });
}

/**
 * Time since which ignored files count as made by the agent. The gate runs in the worktree after a capture, so later
 * turns count from their start.
 */
async function ignoredSince(
  { store }: Ports,
  { task, attempt }: Work,
): Promise<number | undefined> {
  const at = attempt.worktree?.readyAt;
  if (attempt.captured === undefined) return at;
  const found = await store.attempts({ task: task.id });
  const record = found.ok ? found.value.find(({ number }) => number === attempt.number) : undefined;
  const last = record?.captures.at(-1)?.at ?? Number.POSITIVE_INFINITY;
  return record?.turns.find(({ startedAt }) => startedAt >= last)?.startedAt;
}

function namedIgnored(
  paths: readonly string[],
): { names: readonly string[]; count: number } | undefined {
  if (paths.length === 0) return undefined;
  return { names: paths.slice(0, limits.namesShown), count: paths.length };
}
