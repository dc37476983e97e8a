import picomatch from 'picomatch';

/** Patterns beyond this are refused by the matcher; such a one can only be meant as nonsense. */
const patternChars = 4096;

export type Matches = (path: string) => boolean;

/**
 * Whether a path fits one glob. Names that begin with a dot are no exception, and a pattern that ends in a slash means
 * everything in that folder. An empty or absurdly long pattern fits nothing.
 */
export function globOf(pattern: string): Matches {
  if (pattern === '' || pattern.length > patternChars) return () => false;
  const whole = pattern.endsWith('/') ? `${pattern}**` : pattern;
  const fits = picomatch(whole, { dot: true });
  return (path) => path === pattern || fits(path);
}

/** The first of some patterns that a path fits. */
export function firstOf(patterns: readonly string[]): (path: string) => string | undefined {
  const compiled = patterns.map((pattern) => ({ pattern, fits: globOf(pattern) }));
  return (path) => compiled.find(({ fits }) => fits(path))?.pattern;
}

/**
 * Whether the globs of a task speak of this test file: by its name, or by a pattern that itself says test or spec. A
 * pattern such as `src/**` only happens to fit.
 */
export function speaksOf(patterns: readonly string[]): Matches {
  const fitting = patterns.filter((pattern) => /test|spec/i.test(pattern)).map(globOf);
  return (path) => patterns.includes(path) || fitting.some((fits) => fits(path));
}
