import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Folders of the repository that a commit or merge in a worktree writes to. Hooks and settings are not among them. */
const sharedFolders = ['objects', 'refs', 'logs', 'lfs', 'rr-cache'];

/**
 * Folders outside the worktree that git must write for a commit. Only existing ones, because a sandbox fails to start
 * with others.
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

/** Path named in a small git file, relative to a folder. */
function pathIn(file: string, line: RegExp, from: string): string | undefined {
  if (!existsSync(file)) return undefined;
  const found = line.exec(readFileSync(file, 'utf8'))?.[1];
  return found === undefined ? undefined : resolve(from, found);
}
