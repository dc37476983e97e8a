import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gitCli } from '../git/cli.ts';
import { childEnv } from '../git/env.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { interruptible } from './interruptible.ts';
import { git } from './new-repo.ts';

/** Runs a command on every commit in a branch's reflog, each in a clean checkout. */
export async function judgeHistory(
  dir: string,
  branch: string,
  command: string,
): Promise<Result<{ readonly values: number; readonly green: number }>> {
  const listed = await git(dir, ['log', '-g', '--format=%H', `refs/heads/${branch}`, '--']);
  if (!listed.ok) return listed;
  const commits = listed.value.split('\n').filter(Boolean);
  const { processes, asked, release } = interruptible();
  const folder = mkdtempSync(join(tmpdir(), 'ym-history-'));
  const worktree = join(folder, 'tree');
  const port = gitCli(dir);
  try {
    let green = 0;
    for (const [index, commit] of commits.entries()) {
      const added = await port.addWorktree(worktree, commit);
      if (!added.ok) return added;
      const { how } = await processes.run({
        dir: folder,
        name: `gate-${index}`,
        argv: ['sh', '-c', command],
        cwd: worktree,
        env: childEnv(process.env),
        limits: { wallMs: limits.gateWallMs, outputBytes: limits.outputBytes },
      });
      const by = asked();
      if (by !== undefined) return fail({ kind: 'interrupted', by });
      if (how.id === 'exited' && how.code === 0) green += 1;
      await port.removeWorktree(worktree);
    }
    return ok({ values: commits.length, green });
  } finally {
    await port.removeWorktree(worktree);
    await port.close();
    rmSync(folder, { recursive: true, force: true });
    release();
  }
}
