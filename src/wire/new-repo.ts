import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gitEnv } from '../git/env.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { exec } from '../process/exec.ts';

/** Creates a repository with its own identity and these files as the first commit on `main`. */
export async function makeRepository(
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
    const done = await git(dir, args);
    if (!done.ok) return done;
  }
  return ok(undefined);
}

export async function git(dir: string, args: readonly string[]): Promise<Result<string>> {
  const done = await exec(['git', ...args], {
    cwd: dir,
    env: gitEnv(process.env),
    wallMs: limits.gitWallMs,
    outputBytes: limits.gitOutputBytes,
  });
  if (done.id === 'not-started') return fail({ kind: 'git-missing', cause: done.cause });
  if (done.exit === 0) return ok(done.stdout.toString().trim());
  return fail({ kind: 'git-failed', args, exit: done.exit, stderr: done.stderr });
}
