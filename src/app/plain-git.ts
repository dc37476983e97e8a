import { fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { Project } from './ports.ts';

/** Git as the user would type it, with the limits of our own git: a checkout may be huge. */
export async function plainGit(
  { probe }: Pick<Project, 'probe'>,
  dir: string,
  args: readonly string[],
): Promise<Result<string>> {
  const { gitWallMs: wallMs, gitOutputBytes: outputBytes } = limits;
  const done = await probe(['git', ...args], dir, { wallMs, outputBytes });
  if (done.id === 'not-started') return fail({ kind: 'git-missing', cause: done.cause });
  const { exit, stdout } = done;
  if (exit === 0) return ok(stdout);
  const stderr = done.over === 'wall' ? `did not finish within ${wallMs} ms` : done.stderr;
  return fail({ kind: 'git-failed', args: [...args], exit, stderr });
}
