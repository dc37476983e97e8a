import type { Unmarked } from '../../src/model/attempt.ts';
import type { Merge } from '../../src/port/git.ts';
import { mergeBase } from './git-history.ts';
import type { MemoryObjects } from './git-objects.ts';
import { mergeTrees, type Tree } from './git-trees.ts';

/** A merge, and the files it leaves in a checkout, its conflicts included. */
export interface Merged {
  readonly outcome: Merge;
  readonly files: Tree;
}

export function mergeCommits(objects: MemoryObjects, ours: string, theirs: string): Merged {
  const base = mergeBase(objects.commits, ours, theirs);
  if (base === undefined) return { outcome: { id: 'unrelated' }, files: objects.filesOf(ours) };
  return mergeFrom(objects, objects.filesOf(base), ours, theirs);
}

/** Files in conflict that one side removed, and of which the other side is still in the checkout. */
export function wholeSides(
  objects: MemoryObjects,
  ours: string,
  theirs: string,
  files: Tree,
): readonly Unmarked[] {
  const { outcome } = mergeCommits(objects, ours, theirs);
  if (outcome.id !== 'conflict') return [];
  const [left, right] = [objects.filesOf(ours), objects.filesOf(theirs)];
  return outcome.files.flatMap((path): Unmarked[] => {
    const [mine, other] = [left.get(path), right.get(path)];
    if (mine !== undefined && other !== undefined) return [];
    if (files.get(path) !== (mine ?? other)) return [];
    return [{ path, how: mine === undefined ? 'deleted-by-us' : 'deleted-by-them' }];
  });
}

/** Applies the change of a commit against its first parent (or nothing) onto another commit. */
export function pickCommit(objects: MemoryObjects, onto: string, commit: string): Merge {
  const [parent = ''] = objects.commits.get(commit)?.parents ?? [];
  return mergeFrom(objects, objects.filesOf(parent), onto, commit).outcome;
}

function mergeFrom(objects: MemoryObjects, base: Tree, ours: string, theirs: string): Merged {
  const [left, right] = [objects.filesOf(ours), objects.filesOf(theirs)];
  const { files, conflicts } = mergeTrees(base, left, right);
  if (conflicts.length === 0)
    return { outcome: { id: 'clean', tree: objects.treeId(files) }, files };
  const marked = new Map(files);
  for (const path of conflicts) marked.set(path, bothSides(left.get(path), right.get(path)));
  return { outcome: { id: 'conflict', files: conflicts }, files: marked };
}

/** As git leaves a file in conflict: with marks between the sides, or as the side left it that did not remove it. */
function bothSides(ours: string | undefined, theirs: string | undefined): string {
  if (ours === undefined || theirs === undefined) return ours ?? theirs ?? '';
  return `<<<<<<< HEAD\n${lines(ours)}=======\n${lines(theirs)}>>>>>>> theirs\n`;
}

const lines = (text: string): string => (/[^\n]$/.test(text) ? `${text}\n` : text);
