import { gitEnv, gitOptions } from '../git/env.ts';
import { filesGuard } from '../guard/files.ts';
import type { Guard, Snapshot } from '../guard/guard.ts';
import { namesInStatus } from '../guard/status.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../plan/limits.ts';
import { exec } from '../process/exec.ts';
import type { Project } from './project.ts';

/** Watches the repository's own settings and the checkout in which the command was started. */
export async function guardOf({ git, root }: Project): Promise<Result<Guard>> {
  const repository = await git.inspect();
  if (!repository.ok) return repository;
  const { commonDir } = repository.value;
  return ok(sharing(filesGuard({ git, commonDir, checkout: root, checkoutFiles: filesIn(root) })));
}

/** Several turns begin and end together: one look serves all that are asked for while it is made. */
function sharing(guard: Guard): Guard {
  let looking: Promise<Snapshot> | undefined;
  return {
    look: () => {
      looking ??= guard.look().finally(() => {
        looking = undefined;
      });
      return looking;
    },
  };
}

function filesIn(root: string) {
  return async (): Promise<Result<readonly string[]>> => {
    const args = ['--no-optional-locks', 'status', '--porcelain=v1', '-z'];
    const done = await exec(['git', ...gitOptions, ...args], {
      cwd: root,
      env: gitEnv(process.env),
      wallMs: limits.gitWallMs,
      outputBytes: limits.gitOutputBytes,
    });
    const exit = done.id === 'ended' ? done.exit : -1;
    const stderr = done.id === 'ended' ? done.stderr : done.cause;
    if (done.id !== 'ended' || exit !== 0) return fail({ kind: 'git-failed', args, exit, stderr });
    return ok(namesInStatus(done.stdout.toString('utf8')));
  };
}
