import { assertionsOf, type Claim, casesOf } from './asserts.ts';
import type { ChangedText } from './changed.ts';
import { type Code, codeOf, languageOf } from './code.ts';
import { bareLines } from './skips.ts';
import { hasTestName, testPart } from './test-files.ts';

/** One changed file that holds or held tests. */
export interface TestFile {
  readonly file: ChangedText;
  readonly path: string;
  /** Its tests as code; both the same where only something else changed. */
  readonly read: Sides<Code>;
  readonly asserted: Sides<readonly Claim[]>;
  readonly cases: Sides<readonly Claim[]>;
  /** Lines without comments, layout and what every file has. */
  readonly lines: Sides<readonly string[]>;
}

export interface Sides<T> {
  readonly before: T;
  readonly after: T;
}

/** What is not asked for is not worked out: of most new tests nothing but their lines is. */
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

/** Works something out when it is first asked for. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Lines that a change added to tests: to all of them, and to those that runners find by their names. */
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
