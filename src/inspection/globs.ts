import picomatch from 'picomatch';

/** Longest pattern that the matcher accepts. */
const patternChars = 4096;

export type Matches = (path: string) => boolean;

/**
 * Matches a path against a glob. Dot files match too, a trailing slash means everything in that folder, and an empty or
 * overlong pattern matches nothing.
 */
export function globOf(pattern: string): Matches {
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
