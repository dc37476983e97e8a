import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { outcomeOf } from '../model/trouble.ts';
import { plainGit } from './plain-git.ts';
import type { Project } from './ports.ts';
import { interruptible } from './verify.ts';

type Probing = Pick<Project, 'probe'>;

/** Creates a repository with its own identity and these files as the first commit on `main`. */
export async function makeRepository(
  ports: Probing,
  dir: string,
  files: Readonly<Record<string, string>>,
): Promise<Result<void>> {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  const steps = [
    ['init', '-q', '-b', 'main'],
    ['config', 'user.name', 'Yardmaster demo'],
    ['config', 'user.email', 'demo@yardmaster.invalid'],
    ['config', 'commit.gpgSign', 'false'],
    ['config', 'core.hooksPath', '/dev/null'],
    ['add', '-A'],
    ['commit', '-q', '-m', 'A corner shop'],
  ];
  for (const args of steps) {
    const done = await git(ports, dir, args);
    if (!done.ok) return done;
  }
  return ok(undefined);
}

async function git(ports: Probing, dir: string, args: string[]): Promise<Result<string>> {
  const done = await plainGit(ports, dir, args);
  return done.ok ? ok(done.value.trim()) : done;
}

/** Runs a command on every commit in a branch's reflog, each in a clean checkout. */
export async function judgeHistory(
  project: Probing & Pick<Project, 'root' | 'git' | 'childEnv' | 'children'>,
  { branch, command, signal }: { branch: string; command: string; signal: AbortSignal },
): Promise<Result<{ readonly values: number; readonly green: number }>> {
  const reflog = ['log', '-g', '--format=%H', `refs/heads/${branch}`, '--'];
  const listed = await git(project, project.root, reflog);
  if (!listed.ok) return listed;
  const commits = listed.value.split('\n').filter(Boolean);
  const processes = interruptible(await project.children({ agents: {} }), signal);
  const folder = mkdtempSync(join(tmpdir(), 'ym-history-'));
  const worktree = join(folder, 'tree');
  try {
    let green = 0;
    for (const [index, commit] of commits.entries()) {
      await project.git.addWorktree(worktree, commit);
      const { how } = await processes.run({
        dir: folder,
        name: `gate-${index}`,
        argv: ['sh', '-c', command],
        cwd: worktree,
        env: project.childEnv,
        limits: { wallMs: limits.gateWallMs, outputBytes: limits.outputBytes },
      });
      if (signal.aborted) return fail({ kind: 'interrupted', by: String(signal.reason) });
      if (how.id === 'exited' && how.code === 0) green += 1;
      await outcomeOf(project.git.removeWorktree(worktree));
    }
    return ok({ values: commits.length, green });
  } finally {
    await outcomeOf(project.git.removeWorktree(worktree));
    rmSync(folder, { recursive: true, force: true });
  }
}
