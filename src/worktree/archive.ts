import { lstatSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { exec } from '../process/exec.ts';

/**
 * Packs files and folders of a worktree with `tar`, and returns those that it leaves out: what is beyond
 * `limits.archiveBytes` in all, and what cannot be read.
 */
export async function archive(
  worktree: string,
  paths: readonly string[],
  file: string,
  env: Readonly<Record<string, string>>,
): Promise<Result<readonly string[]>> {
  const packed: string[] = [];
  const left: string[] = [];
  let room = limits.archiveBytes;
  for (const path of paths) {
    const bytes = sizeOf(join(worktree, path), room);
    if (bytes <= room) packed.push(path);
    else left.push(path);
    if (bytes <= room) room -= bytes;
  }
  if (packed.length === 0) return ok(left);
  const argv = ['tar', '-czf', file, '-C', worktree, '--null', '-T', '-'];
  const input = packed.map((path) => `./${path}\0`).join('');
  const bounds = { wallMs: limits.gitWallMs, outputBytes: limits.tailBytes };
  const done = await exec(argv, { cwd: worktree, env, input, ...bounds });
  // Status 1: a file changed meanwhile.
  if (done.id === 'ended' && (done.exit === 0 || done.exit === 1)) return ok(left);
  await rm(file, { force: true });
  const cause = done.id === 'ended' ? done.stderr : done.cause;
  return fail({ kind: 'worktree-failed', cause: `files could not be archived: ${cause}` });
}

/** Size of a file or folder; more than `most` if it is larger or cannot be read. */
function sizeOf(path: string, most: number): number {
  try {
    const found = lstatSync(path);
    let bytes = found.isFile() ? found.size : 0;
    if (!found.isDirectory()) return bytes;
    for (const name of readdirSync(path)) {
      bytes += sizeOf(join(path, name), most - bytes);
      if (bytes > most) break;
    }
    return bytes;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return Number.POSITIVE_INFINITY;
    throw error;
  }
}
