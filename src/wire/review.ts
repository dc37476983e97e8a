import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childEnv } from '../git/env.ts';
import { ok, type Result } from '../model/failure.ts';
import { runForeground } from '../process/shell.ts';
import type { Project } from './project.ts';
import { personsShell } from './shell.ts';

/** What changed between two commits, as git shows it to this person: with their pager and their colors. */
export async function personsDiff(root: string, from: string, to: string): Promise<Result<void>> {
  const shown = await runForeground({
    argv: ['git', 'diff', from, to, '--'],
    cwd: root,
    env: childEnv(process.env),
  });
  return shown.ok ? ok(undefined) : shown;
}

/** A shell in a worktree of its own at a commit; nobody else works there, and it is removed afterwards. */
export async function copyOfWork({ git }: Project, commit: string): Promise<Result<void>> {
  const dir = mkdtempSync(join(tmpdir(), 'ym-review-'));
  const worktree = join(dir, 'work');
  try {
    const added = await git.addWorktree(worktree, commit);
    return added.ok ? await personsShell(worktree) : added;
  } finally {
    await git.removeWorktree(worktree);
    rmSync(dir, { recursive: true, force: true });
  }
}
