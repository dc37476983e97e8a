import { conflictLine, leftoverLine, namedAsDropped } from '../inspection/dropped.ts';
import { type Inspection, inspect } from '../inspection/inspect.ts';
import { changedTests, notTests } from '../inspection/tests-first.ts';
import { conflictWith, isStraightOn } from '../merge/conflict-details.ts';
import { joinWork } from '../merge/join-work.ts';
import type { Attempt } from '../model/attempt.ts';
import { changedFiles } from '../model/attempt-state.ts';
import type { Work } from '../model/command.ts';
import type { EventBody } from '../model/event.ts';
import { ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { outcomeOf } from '../model/trouble.ts';
import type { Violation } from '../model/violation.ts';
import type { CommitInfo, Git } from '../port/git.ts';
import { liveAttempts, of } from './attempt.ts';
import type { Events, Ports, RunContext } from './context.ts';

/**
 * Returns the base of the work: its first base, or the newest target commit merged into it. Commits that a person
 * dropped from the target meanwhile belong to the base, not to the work.
 */
export async function baseOfWork(
  { git }: Ports,
  context: RunContext,
  { worktree, captured, returns: { merged } }: Attempt,
  commit: string,
): Promise<string> {
  const base = worktree?.base;
  if (base !== undefined && (await isStraightOn(git, commit, base))) return base;
  const found = await git.mergeBase(`refs/heads/${context.target}`, commit);
  for (const own of [merged?.onto, captured?.base, base]) {
    if (own === undefined || own === '' || own === found) continue;
    const inside = await outcomeOf(git.isAncestor(own, commit));
    if (!inside.ok || !inside.value) continue;
    const isNewer = found === undefined ? ok(true) : await outcomeOf(git.isAncestor(found, own));
    return isNewer.ok && isNewer.value ? own : (found ?? own);
  }
  return found ?? base ?? commit;
}

/** Checks the work against the rules of the target. If the target was merged in, none of its lines may be missing. */
export async function inspectChanges(
  ports: Ports,
  context: RunContext,
  { task, attempt }: Work,
  base: string,
  commit: string,
): Promise<Inspection> {
  const { git } = ports;
  const input = { base, commit, task, rules: context.rules };
  const from = attempt.worktree?.base;
  if (from === undefined || from === base) return inspect(git, input);
  const { files, named } = await mergeHistory(ports, base, commit);
  return inspect(git, { ...input, merged: { from, to: base, files, named } });
}

/** Violations of the stage `tests`. Tests that the target changes too are merged, so they are not compared. */
export async function testsFirstViolations(
  { git }: Ports,
  { testsFirst, worktree }: Attempt,
  base: string,
  commit: string,
): Promise<readonly Violation[]> {
  if (testsFirst === undefined) return [];
  const isWriting = testsFirst.id === 'writing';
  const changes = await git.changes(isWriting ? base : testsFirst.commit, commit);
  const paths = changes.map(({ path }) => path);
  if (isWriting) return notTests(paths);
  const theirs = await git.changes(worktree?.base ?? base, base);
  const merged = new Set(theirs.map(({ path }) => path));
  const own = testsFirst.files.filter((file) => !merged.has(file));
  return changedTests(own, paths);
}

/**
 * Collects from the commits of the work: files in which a merge had conflicts, and files whose dropped lines a
 * message names.
 */
export async function mergeHistory(
  { git }: Ports,
  base: string,
  commit: string,
): Promise<{ readonly files: readonly string[]; readonly named: readonly string[] }> {
  const files = new Set<string>();
  const messages: string[] = [];
  let at: string | undefined = commit;
  for (let step = 0; step < limits.ancestrySteps && at !== undefined && at !== base; step += 1) {
    const info: Result<CommitInfo> = await outcomeOf(git.commit(at));
    if (!info.ok) break;
    const [first, second]: readonly string[] = info.value.parents;
    messages.push(info.value.message);
    if (first !== undefined && second !== undefined) {
      const merged = await outcomeOf(git.merge(first, second));
      const clashed = merged.ok && merged.value.id === 'conflict' ? merged.value.files : [];
      for (const file of [...clashed, ...(await leftOut(git, first, second, at))]) files.add(file);
    }
    at = first;
  }
  return { files: [...files], named: namedAsDropped(messages.join('\n')) };
}

/** Files that a merge kept unchanged on its own side although the other side had changed them. */
async function leftOut(
  git: Git,
  ours: string,
  theirs: string,
  merge: string,
): Promise<readonly string[]> {
  const base = await outcomeOf(git.mergeBase(ours, theirs));
  if (!base.ok || base.value === undefined) return [];
  const changed = await outcomeOf(git.changes(base.value, theirs));
  const differs = await outcomeOf(git.changes(ours, theirs));
  const taken = await outcomeOf(git.changes(ours, merge));
  if (!changed.ok || !differs.ok || !taken.ok) return [];
  const open = new Set(differs.value.map(({ path }) => path));
  const done = new Set(taken.value.map(({ path }) => path));
  return changed.value.map(({ path }) => path).filter((path) => open.has(path) && !done.has(path));
}

/** A changed file with conflict markers that the target does not have. */
export interface Marked {
  readonly file: string;
  /** Line of the first marker. */
  readonly line: number;
  /** True if the work adds the file. */
  readonly isNew: boolean;
}

/**
 * Finds changed files with conflict markers that are not in `onto`. In files that the agent received in conflict,
 * part of a marker is enough.
 */
export async function markersLeft(
  { git }: Ports,
  onto: string,
  commit: string,
  changed: readonly string[],
  { returns: { merged }, captured }: Attempt,
): Promise<readonly Marked[]> {
  const handed = merged?.id === 'conflicts' ? merged.files : [];
  const marked: Marked[] = [];
  for (const file of changed) {
    const now = await git.file(commit, file);
    const text = now ?? '';
    if (leftoverLine(text, []) === undefined) continue;
    const before = await git.file(onto, file);
    const theirs = before ?? '';
    const isHanded = handed.includes(file);
    if (!isHanded && conflictLine(theirs) !== undefined) continue;
    const own = isHanded && captured !== undefined ? await git.file(captured.commit, file) : '';
    const line = isHanded ? leftoverLine(text, [theirs, own ?? '']) : conflictLine(text);
    if (line !== undefined) marked.push({ file, line, isNew: before === undefined });
  }
  return marked;
}

/** Refuses work that conflicts with the current target, so that it need not be judged first. */
export async function refusedAtOnce(
  { git }: Ports,
  context: RunContext,
  work: Work,
  base: string,
  commit: string,
): Promise<Result<Events>> {
  const tip = await outcomeOf(git.resolve(`refs/heads/${context.target}`));
  if (!tip.ok || tip.value === undefined || tip.value === base) return ok([]);
  if (await areApart(git.changes(base, tip.value), git.changes(base, commit))) return ok([]);
  const { branch, worktree } = work.attempt;
  const own = worktree?.stacked === true ? {} : { base };
  const merged = await outcomeOf(joinWork(git, tip.value, { commit, ...own }));
  if (!merged.ok || merged.value.id !== 'conflict') return merged.ok ? ok([]) : merged;
  const { files } = merged.value;
  const failure = await conflictWith(git, { target: tip.value, commit, branch, files, ...own });
  return ok([{ type: 'merge-refused', ...of(context, work), failure }]);
}

type Changed = ReturnType<Ports['git']['changes']>;

/** True if two sets of changes have no path in common. */
async function areApart(one: Changed, other: Changed): Promise<boolean> {
  const [left, right] = await Promise.all([one, other]);
  const paths = new Set(left.map(({ path }) => path));
  return !right.some(({ path }) => paths.has(path));
}

/** Finds queued work that conflicts with this work; the two never share a candidate. */
export async function predictConflicts(
  { git, store }: Ports,
  context: RunContext,
  work: Work,
  commit: string,
  files: readonly string[],
): Promise<Events> {
  const mine = new Set(files);
  const events: EventBody[] = [];
  let asked = 0;
  for (const { task, attempt } of await liveAttempts(store, context.run)) {
    const { id } = task;
    const other = attempt.state;
    if (id === work.task.id || asked >= limits.predictions) continue;
    if (other.id !== 'queued' && other.id !== 'landing' && other.id !== 'unreviewed') continue;
    if (!changedFiles(attempt).some((file) => mine.has(file))) continue;
    asked += 1;
    const merged = await outcomeOf(git.merge(other.commit, commit));
    if (!merged.ok || merged.value.id !== 'conflict') continue;
    const { files: clash } = merged.value;
    events.push({ type: 'conflict-predicted', ...of(context, work), with: id, files: clash });
  }
  return events;
}
