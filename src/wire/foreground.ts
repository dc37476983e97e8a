import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Project } from '../app/ports.ts';
import { childEnv } from '../git/env.ts';
import { fail, ok, type Result, usage } from '../model/failure.ts';
import { outcomeOf } from '../model/trouble.ts';
import { runForeground } from '../process/exec.ts';

export { runForeground };

const run = (
  argv: readonly [string, ...string[]],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Result<number>> =>
  outcomeOf(runForeground({ argv, cwd, env: { ...childEnv(process.env), ...env } }));

/**
 * Keeps git out of repositories in the folder, whose settings are the agent's: it only compares their commits. `git add`
 * still looks into them, so `core.fsmonitor` is off: it would run a program of the agent.
 */
const notInside = {
  GIT_CONFIG_COUNT: '2',
  GIT_CONFIG_KEY_0: 'diff.ignoreSubmodules',
  GIT_CONFIG_VALUE_0: 'dirty',
  GIT_CONFIG_KEY_1: 'core.fsmonitor',
  GIT_CONFIG_VALUE_1: 'false',
};

/**
 * Opens the user's shell in a folder; not `trusted` if an agent may have left repositories in it. Its exit status is
 * that of the user's last command, so it is ignored.
 */
export async function openShell(
  cwd: string,
  { trusted }: { readonly trusted: boolean } = { trusted: true },
): Promise<Result<void>> {
  const { SHELL } = process.env;
  const left = await run([SHELL || '/bin/sh'], cwd, trusted ? {} : notInside);
  if (left.ok) return ok(undefined);
  const { failure } = left;
  if (failure.kind !== 'trouble') return fail(failure);
  return fail({ ...failure, do: 'Set SHELL, or use `--no-shell`.' });
}

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

/** Shows a text in the user's pager, the one that git uses. */
export async function openPager(text: string): Promise<Result<void>> {
  const { GIT_PAGER, PAGER } = process.env;
  const pager = GIT_PAGER || PAGER || 'less -FRX';
  const dir = mkdtempSync(join(tmpdir(), 'ym-review-'));
  try {
    const file = join(dir, 'text');
    writeFileSync(file, text);
    const left = await run(['/bin/sh', '-c', `${pager} <"$0" || cat "$0"`, file], dir);
    return left.ok ? ok(undefined) : left;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Opens a shell in a temporary worktree at a commit. */
export async function openShellAt(
  { git }: Pick<Project, 'git'>,
  commit: string,
): Promise<Result<void>> {
  const dir = mkdtempSync(join(tmpdir(), 'ym-review-'));
  const worktree = join(dir, 'work');
  try {
    await git.addWorktree(worktree, commit);
    return await openShell(worktree);
  } finally {
    await outcomeOf(git.removeWorktree(worktree));
    rmSync(dir, { recursive: true, force: true });
  }
}
