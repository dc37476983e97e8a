import { lstatSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkWritable } from '../files/state-file.ts';
import type { Attempt } from '../model/attempt.ts';
import { keepRefOf, startedBy } from '../model/branch.ts';
import { commitMessage } from '../model/commit-message.ts';
import { fail, ok, type Result, usage } from '../model/failure.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { Task, TaskId } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { outcomeOf } from '../model/trouble.ts';
import { conflictCauseOf } from '../plan/returned-work.ts';
import {
  noteFile,
  type ResolutionNote,
  readNote,
  removeResolution,
  resolutionFolder,
} from '../worktree/resolution-folder.ts';
import { continuingRun, taskNamed } from './lookup.ts';
import { plainGit } from './plain-git.ts';
import type { Opened, Project } from './ports.ts';

/** A file with an unresolved merge conflict. */
interface Unresolved {
  readonly file: string;
  /** Line numbers of conflict markers. Empty if one side has to be chosen as a whole. */
  readonly lines: readonly number[];
}

/**
 * Unresolved files of a merge in a worktree. A text without conflict markers counts as resolved even without `git add`;
 * anything else, such as a file that one side deleted, needs `git add` or `git rm`.
 */
async function unresolvedIn(
  project: Pick<Project, 'probe'>,
  dir: string,
  files: readonly string[],
): Promise<Result<readonly Unresolved[]>> {
  const unmerged = await unmergedIn(project, dir);
  if (!unmerged.ok) return unmerged;
  const left = [...new Set([...files, ...unmerged.value.keys()])].flatMap((file) => {
    const text = textIn(dir, file);
    const lines = text === undefined ? [] : marksIn(text);
    if (lines.length > 0) return [{ file, lines }];
    const sides = unmerged.value.get(file);
    const open = sides !== undefined && !(sides === bothSides && text !== undefined);
    return open ? [{ file, lines: [] }] : [];
  });
  return ok(left.sort((a, b) => (a.file < b.file ? -1 : 1)));
}

/** Plain files on both sides: only these can be merged as text. */
const bothSides = 'both';

/** Unmerged paths, and whether both sides have a plain file there. */
async function unmergedIn(
  project: Pick<Project, 'probe'>,
  dir: string,
): Promise<Result<ReadonlyMap<string, typeof bothSides | 'other'>>> {
  const listed = await plainGit(project, dir, ['ls-files', '-u', '-z']);
  if (!listed.ok) return listed;
  const sides = new Map<string, string[]>();
  for (const entry of listed.value.split('\0').filter(Boolean)) {
    const [about = '', path = ''] = entry.split('\t');
    const [mode = '', , stage = ''] = about.split(' ');
    if (stage !== '1') sides.set(path, [...(sides.get(path) ?? []), mode]);
    else if (!sides.has(path)) sides.set(path, []);
  }
  return ok(
    new Map(
      [...sides].map(([path, modes]) => [
        path,
        modes.length === 2 && modes.every((mode) => mode.startsWith('100')) ? bothSides : 'other',
      ]),
    ),
  );
}

/** Content of a text file; undefined for anything else. */
function textIn(dir: string, file: string): string | undefined {
  const path = join(dir, file);
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  const bytes = readFileSync(path);
  return bytes.includes(0) ? undefined : bytes.toString('utf8');
}

/** Matches only markers that git writes: a text may be about conflicts. */
const opening = /^<{7,} HEAD\b/;
const closing = /^>{7,} [0-9a-f]{40}/;

function marksIn(text: string): readonly number[] {
  const lines = text.split('\n');
  const numbered = (mark: RegExp): number[] =>
    lines.flatMap((line, at) => (mark.test(line) ? [at + 1] : []));
  const begins = numbered(opening);
  return begins.length > 0 ? begins : numbered(closing);
}

export type { Unresolved };

type Folders = Pick<Project, 'git' | 'stateDir' | 'id' | 'writeFile'>;

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

const folderOf = ({ stateDir, id }: Folders, task: TaskId): string =>
  resolutionFolder({ stateDir, project: id }, task);

/** The folder to resolve the conflict of a task in: the existing one, else, with `begin`, a new one. */
export async function resolutionOf(
  ports: Opened,
  id: TaskId,
  { begin }: { readonly begin: boolean },
): Promise<Result<Resolution>> {
  const record = await taskNamed(ports.store, id);
  if (!record.ok) return record;
  const work = workInConflict(record.value);
  if (!work.ok) return work;
  const found = await findResolution(ports, id);
  if (found !== undefined) return ok(found);
  if (!begin) return usage(`no merge was started for ${id}`, `Type \`ym resolve ${id}\` first.`);
  const owner = work.value.attempt.run;
  const run = await ports.store.run(owner);
  if (!run.ok) return run;
  if (run.value === undefined) return fail({ kind: 'unknown-run', run: owner });
  return beginResolution(ports, record.value.task, work.value, run.value.settings.target);
}

/** Result of handing in a person's work. */
type HandedIn =
  | { readonly id: 'unresolved'; readonly left: readonly Unresolved[] }
  | {
      readonly id: 'handed-in';
      readonly commit: string;
      /** The run under way that tests and lands it, if there is one. */
      readonly run?: RunRecord;
      readonly removed: Result<void>;
    };

/** Hands in the content of the folder if no conflict is left; otherwise leaves the folder as it is. */
export async function handIn(
  ports: Opened,
  id: TaskId,
  folder: Resolution,
): Promise<Result<HandedIn>> {
  const left = await leftIn(ports, folder);
  if (!left.ok) return left;
  if (left.value.length > 0) return ok({ id: 'unresolved', left: left.value });
  // The task may have changed in the hours that a person takes.
  const record = await taskNamed(ports.store, id);
  if (!record.ok) return record;
  const { task } = record.value;
  const wanted = workInConflict(record.value);
  if (!wanted.ok) return wanted;
  const made = await concludeResolution(ports, task, folder);
  if (!made.ok) return made;
  const decision = { kind: 'hand-in', ...made.value } as const;
  const { store, clock } = ports;
  const stored = await store.append(clock.now(), [{ type: 'task-decided', id, decision }]);
  if (!stored.ok) return stored;
  const removed = await outcomeOf(removeResolution(ports.git, folder.dir));
  const run = await continuingRun(ports, [id]);
  const { commit } = made.value;
  return ok({ id: 'handed-in', commit, removed, run });
}

/** Conflicting work of a given-up attempt, and the branch that keeps it. */
interface WorkInConflict {
  readonly attempt: Attempt;
  readonly kept: string;
}

/** The conflicting work of a given-up task, or why there is nothing to resolve. */
export function workInConflict(record: TaskRecord): Result<WorkInConflict> {
  const { task, status, attempt } = record;
  const why = `\`ym why ${task.id}\` shows its state.`;
  if (record.handedIn !== undefined) {
    const remedy = `\`ym run --only ${task.id}\` lets it be judged.`;
    return usage(`the resolved work of ${task.id} was handed in already`, remedy);
  }
  if (attempt === undefined) return usage(`no agent has worked on ${task.id} yet`, why);
  if (attempt.state.id !== 'failed' || !isGivenUp(status.id)) {
    return usage(`task ${task.id} was not given up, so there is nothing to resolve`, why);
  }
  const { failure, kept, left } = attempt.state;
  if (conflictCauseOf(failure, attempt) === undefined) {
    return usage(`task ${task.id} did not end in a conflict`, why);
  }
  if (kept !== undefined) return ok({ attempt, kept });
  const problem = `no branch keeps the work of ${task.id}`;
  return usage(
    problem,
    left === undefined ? `\`ym retry ${task.id}\` starts again.` : `It is still in ${left}.`,
  );
}

function isGivenUp(status: TaskRecord['status']['id']): boolean {
  return status === 'failed' || status === 'blocked' || status === 'quarantined';
}

/** The resolution that an earlier call started, if it has not been handed in. */
export async function findResolution(
  project: Folders,
  task: TaskId,
): Promise<Resolution | undefined> {
  const dir = folderOf(project, task);
  const note = readNote(dir);
  if (note === undefined) return undefined;
  const there = await project.git.hasWorktree(dir);
  if (!there) return undefined;
  const now = await project.git.status(dir);
  // The user aborted the merge: start it again.
  if (!now.dirty && now.head === note.commit) {
    await project.git.beginMerge(dir, note.onto);
  }
  return withFiles(project, placeOf(dir, note));
}

const placeOf = (
  dir: string,
  { commit, onto, target }: ResolutionNote,
): Omit<Resolution, 'files'> => ({ dir, commit, onto, target });

/** Creates the worktree and starts the merge. */
export async function beginResolution(
  project: Folders,
  task: Pick<Task, 'id'>,
  { attempt, kept }: WorkInConflict,
  target: string,
): Promise<Result<Resolution>> {
  const { git } = project;
  await git.identity();
  const repository = await git.inspect();
  const keep = keepRefOf(attempt.branch);
  const commit = await firstOf(git, [`refs/heads/${kept}`, keep, kept]);
  if (!commit.ok) return commit;
  if (commit.value === undefined) return gone(task.id, kept);
  const tip = await git.resolve(`refs/heads/${target}`);
  if (tip === undefined) return fail({ kind: 'target-missing', branch: target });
  const inside = await git.isAncestor(commit.value, tip);
  if (inside) return isThere(task.id, target);
  const dir = folderOf(project, task.id);
  const note: ResolutionNote = {
    repository: repository.commonDir,
    run: startedBy(attempt),
    attempt: attempt.number,
    commit: commit.value,
    onto: tip,
    target,
  };
  checkWritable(dirname(dir));
  await git.addWorktree(dir, commit.value);
  // Stored before the merge starts, so that an interrupted command can be continued and no edits are lost.
  await project.writeFile(noteFile(dir), `${JSON.stringify(note)}\n`);
  const begun = await git.beginMerge(dir, tip);
  if (begun.id !== 'unrelated') return ok(await withFiles(project, placeOf(dir, note)));
  await outcomeOf(removeResolution(git, dir));
  const cause = 'the two have no common history';
  return fail({ kind: 'unmergeable', branch: kept, cause });
}

async function firstOf(
  git: Project['git'],
  refs: readonly string[],
): Promise<Result<string | undefined>> {
  for (const ref of refs) {
    const commit = await outcomeOf(git.resolve(ref));
    if (!commit.ok || commit.value !== undefined) return commit;
  }
  return ok(undefined);
}

async function withFiles({ git }: Folders, note: Omit<Resolution, 'files'>): Promise<Resolution> {
  const merge = await git.merge(note.commit, note.onto);
  return { ...note, files: merge.id === 'conflict' ? merge.files : [] };
}

/** Files that must be resolved before the merge can be committed. */
export function leftIn(
  project: Pick<Project, 'probe'>,
  { dir, files }: Resolution,
): Promise<Result<readonly Unresolved[]>> {
  return unresolvedIn(project, dir, files);
}

/** Commits the merge, with all files that git does not ignore, and keeps it under `ref`. */
export async function concludeResolution(
  { git }: Folders,
  task: Pick<Task, 'id' | 'title'>,
  { dir, onto, target }: Resolution,
): Promise<Result<{ readonly commit: string; readonly ref: string }>> {
  const message = commitMessage(`Merge ${target} into: ${task.title}`, [`Yard-Task: ${task.id}`]);
  const commit = await git.commitAll(dir, message);
  const merged = await git.isAncestor(onto, commit);
  if (!merged) return unmerged(task.id, target, dir);
  const nothing = await git.isAncestor(commit, onto);
  const [made, theirs] = [await outcomeOf(git.commit(commit)), await outcomeOf(git.commit(onto))];
  if (!made.ok) return made;
  if (!theirs.ok) return theirs;
  const isSame = made.value.tree === theirs.value.tree;
  if (nothing || isSame) return nothingLeft(task.id, dir);
  const ref = `refs/yard/handed/${task.id}`;
  await git.moveRefs([{ ref, to: commit }]);
  return ok({ commit, ref });
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
  const remedy = `Merge ${target} there and type \`ym resolve ${task} --done\`, or start again: \`rm -rf ${dir}\` and \`ym resolve ${task}\`.`;
  return fail({ kind: 'usage', problem, remedy });
}

function nothingLeft(task: TaskId, dir: string): Result<never> {
  const problem = `nothing of the work of ${task} is left in ${dir}`;
  const remedy = `Close the task with \`ym skip ${task}\` or \`ym cancel ${task}\`; or start again: \`rm -rf ${dir}\` and \`ym resolve ${task}\`.`;
  return fail({ kind: 'usage', problem, remedy });
}
