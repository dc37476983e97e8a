import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** What a commit or a merge in a worktree writes into the folder of its repository. Not its hooks, nor its settings. */
const sharedFolders = ['objects', 'refs', 'logs', 'lfs', 'rr-cache'];

/**
 * The folders outside of a worktree, or hidden in it, that git has to write for a commit there. Only those that exist: a
 * sandbox does not start with others.
 */
export function gitRoots(worktree: string): readonly string[] {
  const link = join(worktree, '.git');
  const stat = statSync(link, { throwIfNoEntry: false });
  if (stat === undefined) return [];
  if (stat.isDirectory()) return [link];
  const own = pathIn(link, /^gitdir: (.+)$/m, worktree);
  if (own === undefined) return [];
  const common = pathIn(join(own, 'commondir'), /^(.+)$/m, own) ?? own;
  const shared = sharedFolders.map((folder) => join(common, folder));
  return [own, ...shared.filter((folder) => existsSync(folder))];
}

/** The path that a small file of git names, which may be relative to a folder. */
function pathIn(file: string, line: RegExp, from: string): string | undefined {
  if (!existsSync(file)) return undefined;
  const found = line.exec(readFileSync(file, 'utf8'))?.[1];
  return found === undefined ? undefined : resolve(from, found);
}
