import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Project } from '../app/ports.ts';
import { childEnv } from '../git/env.ts';
import { fail, ok, type Result, usage } from '../model/failure.ts';
import { runForeground } from '../process/exec.ts';

export { runForeground };

const run = (argv: readonly [string, ...string[]], cwd: string): Promise<Result<number>> =>
  runForeground({ argv, cwd, env: childEnv(process.env) });

/** Opens the user's shell in a folder. Its exit status is that of the user's last command, so it is ignored. */
export async function openShell(cwd: string): Promise<Result<void>> {
  const { SHELL } = process.env;
  const left = await run([SHELL || '/bin/sh'], cwd);
  if (left.ok) return ok(undefined);
  const { failure } = left;
  if (failure.kind !== 'usage') return fail(failure);
  return fail({ ...failure, remedy: 'Set SHELL, or use `--no-shell`.' });
}

/** Opens the user's editor on a file. */
export async function openEditor(file: string, cwd: string): Promise<Result<void>> {
  const { VISUAL, EDITOR } = process.env;
  const editor = VISUAL || EDITOR || 'vi';
  // Like git: the variable may contain options, and the file name any character.
  const left = await run(['/bin/sh', '-c', `${editor} "$@"`, editor, file], cwd);
  if (!left.ok) return left;
  if (left.value === 0) return ok(undefined);
  return usage(
    `the editor \`${editor}\` failed with exit status ${left.value}`,
    'Set VISUAL or EDITOR to an editor that works.',
  );
}

/** Shows the diff of two commits with the user's pager and colors. */
export async function openDiff(root: string, from: string, to: string): Promise<Result<void>> {
  const left = await run(['git', 'diff', from, to, '--'], root);
  return left.ok ? ok(undefined) : left;
}

/** Opens a shell in a temporary worktree at a commit. */
export async function openShellAt(
  { git }: Pick<Project, 'git'>,
  commit: string,
): Promise<Result<void>> {
  const dir = mkdtempSync(join(tmpdir(), 'ym-review-'));
  const worktree = join(dir, 'work');
  try {
    const added = await git.addWorktree(worktree, commit);
    return added.ok ? await openShell(worktree) : added;
  } finally {
    await git.removeWorktree(worktree);
    rmSync(dir, { recursive: true, force: true });
  }
}
