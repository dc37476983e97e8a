import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gitCli } from '../git/cli.ts';
import { childEnv } from '../git/env.ts';
import { ok, type Result } from '../model/failure.ts';
import { limits } from '../plan/limits.ts';
import { exec } from '../process/exec.ts';
import { git } from './newrepo.ts';

/** Runs a command on every value a branch has had, as its reflog tells, each in a clean checkout. */
export async function judgeHistory(
  dir: string,
  branch: string,
  command: string,
): Promise<Result<{ readonly values: number; readonly green: number }>> {
  const listed = await git(dir, ['log', '-g', '--format=%H', `refs/heads/${branch}`, '--']);
  if (!listed.ok) return listed;
  const commits = listed.value.split('\n').filter(Boolean);
  const folder = mkdtempSync(join(tmpdir(), 'ym-history-'));
  const worktree = join(folder, 'tree');
  const port = gitCli(dir);
  try {
    let green = 0;
    for (const commit of commits) {
      const added = await port.addWorktree(worktree, commit);
      if (!added.ok) return added;
      const bounds = { wallMs: limits.gateWallMs, outputBytes: limits.outputBytes };
      const env = childEnv(process.env);
      const done = await exec(['sh', '-c', command], { cwd: worktree, env, ...bounds });
      if (done.id !== 'not-started' && done.exit === 0) green += 1;
      await port.removeWorktree(worktree);
    }
    return ok({ values: commits.length, green });
  } finally {
    await port.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
