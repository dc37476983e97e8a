import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isMissing, realDir } from '../git/admin.ts';
import { keepRef } from '../model/branch.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import type { TaskId } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { removeEmpty } from '../worktree/owner.ts';
import { type Unresolved, unresolvedIn } from './conflicts.ts';
import type { Project } from './project.ts';
import { replaceFile } from './replace.ts';

export type { Unresolved };

/** Worktree in which a person merges the target into the work of a task. It outlives the command. */
export interface Resolution {
  readonly dir: string;
  /** Commit with the agent's work. */
  readonly commit: string;
  /** Commit of the target that is merged into it. */
  readonly onto: string;
  readonly target: string;
  /** Files that git could not merge. */
  readonly files: readonly string[];
}

const folderOf = ({ stateDir, id }: Project, task: TaskId): string =>
  join(stateDir, id, 'resolve', task);
const noteOf = (dir: string): string => `${dir}.json`;

/** The resolution that an earlier call started, if it has not been handed in. */
export async function findResolution(
  project: Project,
  task: TaskId,
): Promise<Result<Resolution | undefined>> {
  const dir = folderOf(project, task);
  const note = readNote(noteOf(dir));
  if (note === undefined) return ok(undefined);
  const registered = await project.git.worktrees();
  if (!registered.ok) return registered;
  const here = await realDir(dir);
  const places = await Promise.all(registered.value.map(realDir));
  if (!existsSync(dir) || !places.includes(here)) return ok(undefined);
  const now = await project.git.status(dir);
  if (!now.ok) return now;
  // The user aborted the merge: start it again.
  if (!now.value.dirty && now.value.head === note.commit) {
    const begun = await project.git.beginMerge(dir, note.onto);
    if (!begun.ok) return begun;
  }
  return withFiles(project, { dir, ...note });
}

/** Creates the worktree and starts the merge. */
export async function beginResolution(
  project: Project,
  { task, attempt }: TaskRecord,
  kept: string,
  target: string,
): Promise<Result<Resolution>> {
  const { git } = project;
  const identity = await git.identity();
  if (!identity.ok) return identity;
  const keep = keepRef(attempt?.run ?? '', task.id, attempt?.number ?? 0);
  const commit = await firstOf(git, [`refs/heads/${kept}`, keep, kept]);
  if (!commit.ok) return commit;
  if (commit.value === undefined) return gone(task.id, kept);
  const tip = await git.resolve(`refs/heads/${target}`);
  if (!tip.ok) return tip;
  if (tip.value === undefined) return fail({ kind: 'target-missing', branch: target });
  const inside = await git.isAncestor(commit.value, tip.value);
  if (!inside.ok) return inside;
  if (inside.value) return isThere(task.id, target);
  const dir = folderOf(project, task.id);
  const note = { commit: commit.value, onto: tip.value, target };
  const made = makeFolder(dirname(dir));
  if (!made.ok) return made;
  const added = await git.addWorktree(dir, commit.value);
  if (!added.ok) return added;
  // Stored before the merge starts, so that an interrupted command can be continued and no edits are lost.
  const noted = await replaceFile(noteOf(dir), `${JSON.stringify(note)}\n`);
  if (!noted.ok) return noted;
  const begun = await git.beginMerge(dir, tip.value);
  if (!begun.ok) return begun;
  if (begun.value.id !== 'unrelated') return withFiles(project, { dir, ...note });
  await removeResolution(project, { dir });
  const cause = 'the two have no common history';
  return fail({ kind: 'unmergeable', branch: kept, cause });
}

async function firstOf(
  git: Project['git'],
  refs: readonly string[],
): Promise<Result<string | undefined>> {
  for (const ref of refs) {
    const commit = await git.resolve(ref);
    if (!commit.ok || commit.value !== undefined) return commit;
  }
  return ok(undefined);
}

async function withFiles(
  { git }: Project,
  note: Omit<Resolution, 'files'>,
): Promise<Result<Resolution>> {
  const merge = await git.merge(note.commit, note.onto);
  if (!merge.ok) return merge;
  return ok({ ...note, files: merge.value.id === 'conflict' ? merge.value.files : [] });
}

/** Files that must be resolved before the merge can be committed. */
export function leftIn({ dir, files }: Resolution): Promise<Result<readonly Unresolved[]>> {
  return unresolvedIn(dir, files);
}

/** Commits the merge, with all files that git does not ignore, and keeps it under `ref`. */
export async function concludeResolution(
  { git }: Project,
  task: { readonly id: TaskId; readonly title: string },
  { dir, onto, target }: Resolution,
): Promise<Result<{ readonly commit: string; readonly ref: string }>> {
  const message = `Merge ${target} into: ${task.title}\n\nYard-Task: ${task.id}\n`;
  const commit = await git.commitAll(dir, message);
  if (!commit.ok) return commit;
  const merged = await git.isAncestor(onto, commit.value);
  if (!merged.ok) return merged;
  if (!merged.value) return unmerged(task.id, target, dir);
  const nothing = await git.isAncestor(commit.value, onto);
  if (!nothing.ok) return nothing;
  const [made, theirs] = [await git.commit(commit.value), await git.commit(onto)];
  if (!made.ok) return made;
  if (!theirs.ok) return theirs;
  const isSame = made.value.tree === theirs.value.tree;
  if (nothing.value || isSame) return nothingLeft(task.id, dir);
  const ref = `refs/yard/handed/${task.id}`;
  const moved = await git.moveRefs([{ ref, to: commit.value }]);
  return moved.ok ? ok({ commit: commit.value, ref }) : moved;
}

/** Removes the worktree. Call it only after the work has been handed in. */
export async function removeResolution(
  { git }: Project,
  { dir }: Pick<Resolution, 'dir'>,
): Promise<Result<void>> {
  const removed = await git.removeWorktree(dir);
  if (!removed.ok) return removed;
  rmSync(noteOf(dir), { force: true });
  await removeEmpty(dirname(dir));
  await removeEmpty(dirname(dirname(dir)));
  return ok(undefined);
}

type Note = Pick<Resolution, 'commit' | 'onto' | 'target'>;

/** Undefined if the note is missing or invalid; then the folder counts as new. */
function readNote(file: string): Note | undefined {
  try {
    const read: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isNote(read) ? read : undefined;
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isNote(value: unknown): value is Note {
  if (typeof value !== 'object' || value === null) return false;
  const keys = ['commit', 'onto', 'target'] as const;
  return keys.every((key) => key in value && typeof (value as Note)[key] === 'string');
}

function makeFolder(dir: string): Result<void> {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    return ok(undefined);
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    return fail({ kind: 'state-unwritable', dir, cause });
  }
}

function gone(task: TaskId, kept: string): Result<never> {
  const problem = `the branch ${kept} with the work of ${task} no longer exists`;
  return fail({ kind: 'usage', problem, remedy: `Start again with \`ym retry ${task}\`.` });
}

function isThere(task: TaskId, target: string): Result<never> {
  const problem = `the work of ${task} is already on ${target}`;
  return fail({ kind: 'usage', problem, remedy: `Mark it as done with \`ym skip ${task}\`.` });
}

function unmerged(task: TaskId, target: string, dir: string): Result<never> {
  const problem = `${dir} is no longer merged with ${target}`;
  const remedy = `Merge ${target} there and type \`ym resolve ${task} --done\`, or start again: \`git worktree remove --force ${dir}\` and \`ym resolve ${task}\`.`;
  return fail({ kind: 'usage', problem, remedy });
}

function nothingLeft(task: TaskId, dir: string): Result<never> {
  const problem = `nothing of the work of ${task} is left in ${dir}`;
  const remedy = `Close the task with \`ym skip ${task}\` or \`ym cancel ${task}\`; or start again: \`git worktree remove --force ${dir}\` and \`ym resolve ${task}\`.`;
  return fail({ kind: 'usage', problem, remedy });
}
