import type { Violation } from '../model/violation.ts';
import type { ChangedText } from './changed.ts';
import { firstOf } from './globs.ts';

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
