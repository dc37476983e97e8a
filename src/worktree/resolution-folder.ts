import { existsSync, readFileSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cloneOf, viewOf } from '../model/branch.ts';
import { type Of, object, ordinal, readJson, text } from '../model/shape.ts';
import type { Git } from '../port/git.ts';
import { removeEmpty } from './owner.ts';

/** Name of the folder around the worktrees of `ym resolve`, next to the folders of runs. */
export const RESOLUTIONS = 'resolve';

/** Stored next to the worktree of a resolution. */
const Note = object({
  /** Common git folder of the repository that the worktree belongs to. */
  repository: text,
  /** Attempt whose work is resolved, and the run that started it. */
  run: text,
  attempt: ordinal,
  commit: text,
  onto: text,
  target: text,
});
export type ResolutionNote = Of<typeof Note>;

interface Place {
  readonly stateDir: string;
  readonly project: string;
}

/** Worktree in which a person resolves the conflict of a task. */
export interface ResolutionOnDisk {
  readonly task: string;
  readonly dir: string;
  /** Absent if the file is gone or damaged. */
  readonly note?: ResolutionNote;
}

export const resolutionFolder = ({ stateDir, project }: Place, task: string): string =>
  join(stateDir, project, RESOLUTIONS, task);

export const noteFile = (dir: string): string => `${dir}.json`;

/** Undefined if the note is missing or invalid; then the folder counts as new. */
export function readNote(dir: string): ResolutionNote | undefined {
  const file = noteFile(dir);
  return existsSync(file) ? readJson(Note, readFileSync(file, 'utf8')) : undefined;
}

/** Lists the worktrees of this repository that `ym resolve` has made. Changes nothing. */
export async function resolutionFolders(
  place: Place & { readonly commonDir: string },
): Promise<readonly ResolutionOnDisk[]> {
  const folder = resolutionFolder(place, '');
  const names = existsSync(folder) ? await readdir(folder) : [];
  const tasks = names.flatMap((name) => /^(.+)\.(?:json|view)$/.exec(name)?.[1] ?? []);
  return [...new Set(tasks)].sort().flatMap((task): ResolutionOnDisk[] => {
    const dir = resolutionFolder(place, task);
    if (!existsSync(dir) && !existsSync(cloneOf(dir))) return [];
    const note = readNote(dir);
    if (note !== undefined) return note.repository === place.commonDir ? [{ task, dir, note }] : [];
    return isViewOf(dir, place.commonDir) ? [{ task, dir }] : [];
  });
}

/** True if our view of a worktree belongs to the repository with this git folder. */
export function isViewOf(worktree: string, commonDir: string): boolean {
  const link = join(viewOf(worktree), 'commondir');
  return existsSync(link) && readFileSync(link, 'utf8').trim() === commonDir;
}

/** Removes the worktree. Call it only after its work has been handed in or saved. */
export async function removeResolution(
  git: Pick<Git, 'removeWorktree'>,
  dir: string,
): Promise<void> {
  await git.removeWorktree(dir);
  rmSync(noteFile(dir), { force: true });
  await removeEmpty(dirname(dir));
  await removeEmpty(dirname(dirname(dir)));
  return undefined;
}
