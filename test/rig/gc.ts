// Shared by program/gc.test.ts and long/guard/gc.test.ts.
import { expect } from 'vitest';
import type { TestProject } from '../rig.ts';

/** Everything that no ref holds is gone afterwards; nothing is protected by its age or by a reflog. */
export function collect(y: TestProject): void {
  y.git('reflog', 'expire', '--expire=now', '--expire-unreachable=now', '--all');
  y.git('gc', '-q', '--prune=now');
  y.git('repack', '-adq');
  y.git('prune', '--expire=now');
}

/** Bases of attempts and commits of candidates that the run has noted. */
export async function neededCommits(y: TestProject): Promise<readonly string[]> {
  return (await y.events()).flatMap((event) => {
    if (event.type === 'worktree-ready') return [event.base];
    if (event.type === 'work-captured') return [event.commit];
    if (event.type === 'candidate-built') {
      return [event.commit, ...(event.prefixes ?? []).map(({ commit }) => commit)];
    }
    return [];
  });
}

export function expectPresent(y: TestProject, commits: readonly string[]): void {
  for (const commit of commits) expect(y.git('cat-file', '-t', commit)).toBe('commit\n');
}

export const heldRefs = (y: TestProject): string => y.git('for-each-ref', 'refs/yard/held');
