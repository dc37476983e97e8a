import type { Task } from '../model/task.ts';
import type { Violation } from '../model/violation.ts';
import type { ChangedText } from './changed.ts';
import { firstOf } from './globs.ts';

const nested = '160000';

/** Paths that a task with a strict scope changed outside of its globs. */
export function outOfScope(
  { paths, scope }: Pick<Task, 'paths' | 'scope'>,
  changed: readonly ChangedText[],
): readonly Violation[] {
  if (scope !== 'strict') return [];
  const patternOf = firstOf(paths);
  return changed
    .filter(({ path }) => patternOf(path) === undefined)
    .map(({ path }) => ({ kind: 'out-of-scope', file: path, allowed: paths }));
}

/** New nested repositories. Updating an existing submodule is allowed. */
export function nestedRepositories(changed: readonly ChangedText[]): readonly Violation[] {
  return changed
    .filter(({ mode, modeBefore }) => mode === nested && modeBefore !== nested)
    .map(({ path }) => ({ kind: 'nested-repository', file: path }));
}

/** Changed paths that need approval, whatever the change. */
export function protectedPaths(
  changed: readonly ChangedText[],
  protect: readonly string[],
): readonly Violation[] {
  const patternOf = firstOf(protect);
  return changed.flatMap(({ path }): Violation[] => {
    const pattern = patternOf(path);
    return pattern === undefined ? [] : [{ kind: 'protected-path', file: path, pattern }];
  });
}
