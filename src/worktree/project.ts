import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { basename, dirname } from 'node:path';

const SLUG_CHARS = 40;

/**
 * A name for a repository that is the same from each of its worktrees and differs from every other repository on the
 * machine: its folder's name for people, the hash of its real path for certainty.
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
