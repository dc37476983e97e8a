import type { Keep } from '../../src/port/git.ts';
import type { OwnGit } from './own-git.ts';

/** Contents by path. Never changed once a commit has it, so commits and checkouts share it. */
export type Tree = ReadonlyMap<string, string>;

/** A checkout of the repository in memory. */
export interface Checkout {
  readonly dir: string;
  branch: string | undefined;
  /** HEAD of a worktree, whose git is its own; the user's checkout has what the branch tells. */
  own: string | undefined;
  /** Files on disk: the commit's tree until something is written. */
  files: Tree;
  /** When each file was written last by anything but a checkout. */
  readonly written: Map<string, number>;
  git: OwnGit;
  /** The commit whose merge has begun here. What that brought is staged, whatever is done to the files. */
  merging?: { readonly commit: string; readonly staged: boolean } | undefined;
}

export const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export function setOrDelete(
  files: Map<string, string>,
  path: string,
  content: string | undefined,
): void {
  if (content === undefined) files.delete(path);
  else files.set(path, content);
}

export function differences(from: Tree, to: Tree): string[] {
  if (from === to) return [];
  const paths = new Set([...from.keys(), ...to.keys()]);
  return [...paths].filter((path) => from.get(path) !== to.get(path)).sort(order);
}

export function ignoring(files: Tree): (path: string) => boolean {
  const nameOf = ignoredName(files);
  return (path) => nameOf(path) !== undefined;
}

/** The ignored file or folder that a path is, or is in. */
function ignoredName(files: Tree): (path: string) => string | undefined {
  const lines = (files.get('.gitignore') ?? '').split('\n').map((line) => line.replace(/\/$/, ''));
  const names = lines.filter((line) => line !== '' && !line.startsWith('#'));
  return (path) => names.find((name) => path === name || path.startsWith(`${name}/`));
}

/** Ignored files and folders in which something was written after a time. */
export function ignoredSince({ files, written }: Checkout, head: Tree, since: number): string[] {
  const nameOf = ignoredName(files);
  const recent = [...files.keys()].filter(
    (path) => !head.has(path) && (written.get(path) ?? Number.NEGATIVE_INFINITY) > since,
  );
  return [...new Set(recent.flatMap((path) => nameOf(path) ?? []))].sort(order);
}

/** Patterns are plain paths here, with or without a slash at their ends. */
export function isKept(keep: Keep, path: string): boolean {
  if (keep === 'all') return true;
  const names = keep.map((pattern) => pattern.replace(/^\/|\/$/g, ''));
  return names.some((name) => path === name || path.startsWith(`${name}/`));
}

/** A path that only one side changed is that side's; one that both changed differently is a conflict. */
export function mergeTrees(
  base: Tree,
  ours: Tree,
  theirs: Tree,
): { files: Tree; conflicts: string[] } {
  const files = new Map(ours);
  const conflicts: string[] = [];
  for (const path of differences(base, theirs)) {
    const [was, mine, other] = [base.get(path), ours.get(path), theirs.get(path)];
    if (mine === other) continue;
    if (mine === was) setOrDelete(files, path, other);
    else conflicts.push(path);
  }
  return { files, conflicts };
}

/** A tree with the ignored files that are in the checkout already. */
export function withIgnored(tree: Tree, present: Tree): Tree {
  const isIgnored = ignoring(tree);
  const stay = [...present].filter(([path]) => isIgnored(path) && !tree.has(path));
  return stay.length === 0 ? tree : new Map([...tree, ...stay]);
}

/** The files of a checkout without those that are ignored, unless the commit before has them. */
export function withoutIgnored(files: Tree, before: Tree): Tree {
  const isIgnored = ignoring(files);
  const ignored = [...files.keys()].some((path) => isIgnored(path) && !before.has(path));
  if (!ignored) return files;
  return new Map([...files].filter(([path]) => !isIgnored(path) || before.has(path)));
}
