import { assertionsOf, type Claim, casesOf } from './asserts.ts';
import type { ChangedText } from './changed.ts';
import { type Code, codeOf, languageOf } from './code.ts';
import { bareLines } from './skips.ts';
import { testPart } from './testfiles.ts';

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

export function readTest(file: ChangedText): TestFile {
  const { path } = file;
  const language = languageOf(path) ?? 'other';
  const before = codeOf(language, testPart(path, file.before ?? ''));
  const after = codeOf(language, testPart(path, file.after ?? ''));
  const unlike = before.text !== after.text;
  const sides = <T>(of: (code: Code) => readonly T[]): Sides<readonly T[]> =>
    unlike ? { before: of(before), after: of(after) } : { before: [], after: [] };
  return {
    file,
    path,
    read: { before, after },
    asserted: sides(assertionsOf),
    cases: sides(casesOf),
    lines: sides((code) => bareLines(code).filter((line) => /\w{2}/.test(line))),
  };
}
