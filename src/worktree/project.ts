import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { basename, dirname } from 'node:path';

const SLUG_CHARS = 40;

/**
 * Unique name of a repository on this machine, the same from each of its worktrees: its folder name plus a hash of its
 * real path.
 */
export function projectId(commonDir: string): string {
  const real = realpathSync(commonDir);
  const folder = basename(real) === '.git' ? basename(dirname(real)) : basename(real, '.git');
  const slug = folder
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, SLUG_CHARS)
    .replace(/^-+|-+$/g, '');
  const hash = createHash('sha256').update(real).digest('hex').slice(0, 8);
  return `${slug || 'repository'}-${hash}`;
}
