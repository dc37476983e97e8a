import { harnesses } from '../agent/harnesses.ts';
import type { Project } from '../app/ports.ts';
import { gitEnv, gitOptions } from '../git/env.ts';
import { filesGuard } from '../guard/files.ts';
import { homePlaces } from '../guard/home.ts';
import { namesInStatus } from '../guard/status.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { Guard, Snapshot } from '../port/guard.ts';
import { exec } from '../process/exec.ts';

/** Guard of the repository's settings and of the checkout in which the command was started. */
export async function guardOf({
  git,
  root,
  env,
}: Pick<Project, 'git' | 'root' | 'env'>): Promise<Guard> {
  const repository = await git.inspect();
  const { commonDir } = repository;
  const states = Object.values(harnesses).map((harness) => harness.state(env));
  const home = homePlaces(env, states);
  const checkoutFiles = () => changedFiles(root);
  return sharing(filesGuard({ git, commonDir, checkout: root, checkoutFiles, home }));
}

/**
 * Shares snapshots between turns that start or end together. A caller that asks while a snapshot is being taken gets the
 * next one, which includes everything up to its call. A snapshot walks the whole checkout, so a caller that accepts a
 * `recent` one gets the last.
 */
function sharing(guard: Guard): Guard {
  let now: Promise<Snapshot> | undefined;
  let next: Promise<Snapshot> | undefined;
  let last: { readonly seen: Snapshot; readonly until: number } | undefined;
  const begin = (): Promise<Snapshot> => {
    next = undefined;
    const began = performance.now();
    now = guard.snapshot().then((seen) => {
      const ended = performance.now();
      last = { seen, until: ended + (ended - began) * limits.checkoutLookRest };
      now = undefined;
      return seen;
    });
    return now;
  };
  return {
    snapshot: async (recent) => {
      if (recent === true && last !== undefined && performance.now() < last.until) return last.seen;
      if (now === undefined) return begin();
      next ??= now.then(begin);
      return next;
    },
  };
}

async function changedFiles(root: string): Promise<Result<readonly string[]>> {
  const args = ['status', '--porcelain=v1', '-z', '--untracked-files=normal'];
  const done = await exec(['git', '--no-optional-locks', ...gitOptions, ...args], {
    cwd: root,
    env: gitEnv(process.env),
    wallMs: limits.probeMs,
    outputBytes: limits.gitOutputBytes,
  });
  const exit = done.id === 'ended' ? done.exit : -1;
  const stderr = done.id === 'ended' ? done.stderr : done.cause;
  if (done.id !== 'ended' || exit !== 0) return fail({ kind: 'git-failed', args, exit, stderr });
  return ok(namesInStatus(done.stdout.toString('utf8')));
}
