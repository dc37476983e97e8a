import { assertionsOf, type Claim, casesOf } from './asserts.ts';
import type { ChangedText } from './changed.ts';
import { type Code, codeOf, languageOf } from './code.ts';
import { bareLines } from './skips.ts';
import { hasTestName, testPart } from './test-files.ts';

/** Changed file that holds or held tests. */
export interface TestFile {
  readonly file: ChangedText;
  readonly path: string;
  /** Code of its tests; both sides are equal if only other parts changed. */
  readonly read: Sides<Code>;
  readonly asserted: Sides<readonly Claim[]>;
  readonly cases: Sides<readonly Claim[]>;
  /** Significant lines without comments and layout. */
  readonly lines: Sides<readonly string[]>;
}

export interface Sides<T> {
  readonly before: T;
  readonly after: T;
}

/** Lazy: of most new tests only the lines are needed. */
export function readTest(file: ChangedText): TestFile {
  const { path } = file;
  const language = languageOf(path) ?? 'other';
  const before = codeOf(language, testPart(path, file.before ?? ''));
  const after = codeOf(language, testPart(path, file.after ?? ''));
  const same = before.text === after.text;
  const sides = <T>(of: (code: Code) => readonly T[]): Sides<readonly T[]> => {
    const was = once(() => (same ? [] : of(before)));
    const is = once(() => (same ? [] : of(after)));
    return {
      get before() {
        return was();
      },
      get after() {
        return is();
      },
    };
  };
  return {
    file,
    path,
    read: { before, after },
    asserted: sides(assertionsOf),
    cases: sides(casesOf),
    lines: sides((code) => bareLines(code).filter((line) => /\w{2}/.test(line))),
  };
}

/** Computes a value on first use. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Lines added to tests: to all of them, and to those that runners find by name. */
export interface Written {
  readonly all: ReadonlySet<string>;
  readonly named: ReadonlySet<string>;
}

export function linesWritten(files: readonly TestFile[]): Written {
  const all = new Set<string>();
  const named = new Set<string>();
  for (const { path, lines } of files) {
    const had = new Set(lines.before);
    for (const line of lines.after) {
      if (had.has(line)) continue;
      all.add(line);
      if (hasTestName(path)) named.add(line);
    }
  }
  return { all, named };
}
