import { assertionsOf, type Claim, casesOf } from './asserts.ts';
import type { ChangedText } from './changed.ts';
import { type Code, codeOf, languageOf } from './code.ts';
import { bareLines } from './skips.ts';

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

const folders = /(?:^|\/)(?:tests?|__tests__|specs?|e2e|integration-tests?)\//i;
/** Test data; asserts nothing itself. */
const material = /(?:^|\/)(?:__)?(?:fixtures?|testdata|test-data|snapshots|mocks|golden)(?:__)?\//i;
/** File names that test runners look for. */
const names =
  /(?:^|\/)(?:[^/]*[._-](?:test|spec|tests|specs|e2e|cy)\.[^/]+|tests?[_-][^/]*\.[^/]+|(?:tests?|specs?|conftest)\.[^/.]+|[^/]*\.bats)$/i;
/** Names with a case-marked word, as in `CartTest.java`. */
const cased = /(?:[a-z0-9](?:Tests?|Specs?|IT)|^Test[A-Z][^/]*)\.[^/.]+$/;

/** True if the path shows that the code is a test. Data and fixtures are not. */
export function isTestPath(path: string): boolean {
  if (languageOf(path) === undefined || material.test(path)) return false;
  return hasTestName(path) || folders.test(path);
}

/** True for tests and for what only tests use: data, fixtures and helpers in a folder of tests. */
export function isTestFile(path: string): boolean {
  return isTestPath(path) || folders.test(path) || material.test(path);
}

/** True if runners find it by its name, not only by its folder. */
export function hasTestName(path: string): boolean {
  return names.test(path) || cased.test(path.slice(path.lastIndexOf('/') + 1));
}

/** True for tests and for languages with tests inside source files. */
export function mayHoldTests(path: string): boolean {
  return isTestPath(path) || path.endsWith('.rs');
}

/** Test part of a text: all of a test file, the part after the test marker of a Rust file, else nothing. */
function testPart(path: string, text: string): string {
  if (isTestPath(path)) return text;
  if (!path.endsWith('.rs')) return '';
  const start = /#\[(?:cfg\(test\)|(?:\w+::)*test\b)/.exec(text);
  return start === null ? '' : text.slice(start.index);
}
