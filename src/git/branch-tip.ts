import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '../model/limits.ts';

/** Commit of a branch, read from git's files; undefined if only git itself can tell. */
export function tipInFiles(commonDir: string, branch: string): string | undefined {
  const ref = `refs/heads/${branch}`;
  if (existsSync(join(commonDir, 'reftable'))) return undefined;
  const loose = textIn(join(commonDir, ref))?.trim();
  if (loose !== undefined) return /^[0-9a-f]{40,}$/.test(loose) ? loose : undefined;
  const packed = textIn(join(commonDir, 'packed-refs')) ?? '';
  const end = packed.indexOf(` ${ref}\n`);
  return end < 0 ? undefined : packed.slice(packed.lastIndexOf('\n', end) + 1, end);
}

function textIn(file: string): string | undefined {
  try {
    const found = statSync(file);
    return found.isFile() && found.size <= limits.gitOutputBytes
      ? readFileSync(file, 'utf8')
      : undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}
