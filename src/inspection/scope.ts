import picomatch from 'picomatch';
import type { Task } from '../model/task.ts';
import type { Violation } from '../model/violation.ts';
import { type ChangedText, existed } from './changed.ts';

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

const packages = /^(?:.*?\/)??node_modules(?=\/)/;

/** New folders of installed packages. A project that commits such a folder already may go on changing it. */
export function committedPackages(changed: readonly ChangedText[]): readonly Violation[] {
  const inPackages = changed.filter(({ path }) => packages.test(path));
  const folders = new Set(inPackages.map(({ path }) => packages.exec(path)?.[0] ?? ''));
  return [...folders].flatMap((file): Violation[] => {
    const files = inPackages.filter(({ path }) => path.startsWith(`${file}/`));
    return files.some(existed) ? [] : [{ kind: 'packages-committed', file, count: files.length }];
  });
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

/** Longest pattern that the matcher accepts. */
const patternChars = 4096;

export type Matches = (path: string) => boolean;

/**
 * Matches a path against a glob. Dot files match too, a trailing slash means everything in that folder, and an empty or
 * overlong pattern matches nothing.
 */
function globOf(pattern: string): Matches {
  if (pattern === '' || pattern.length > patternChars) return () => false;
  const whole = pattern.endsWith('/') ? `${pattern}**` : pattern;
  const fits = picomatch(whole, { dot: true });
  return (path) => path === pattern || fits(path);
}

/** First pattern that matches a path. */
export function firstOf(patterns: readonly string[]): (path: string) => string | undefined {
  const compiled = patterns.map((pattern) => ({ pattern, fits: globOf(pattern) }));
  return (path) => compiled.find(({ fits }) => fits(path))?.pattern;
}

/**
 * True if a task's globs name this test file, by its path or by a pattern that contains test or spec. A pattern such as
 * `src/**` does not count.
 */
export function namesTest(patterns: readonly string[]): Matches {
  const fitting = patterns.filter((pattern) => /test|spec/i.test(pattern)).map(globOf);
  return (path) => patterns.includes(path) || fitting.some((fits) => fits(path));
}
