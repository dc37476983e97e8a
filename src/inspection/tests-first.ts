import { type CheckFailure, noEvidence } from '../model/evidence.ts';
import { type Failure, unreachable } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { TestsOutcome, Verdict } from '../model/verdict.ts';
import type { Violation } from '../model/violation.ts';
import { isTestFile } from './read-test.ts';

/** Rules of the stage `tests`: an agent writes tests, which must fail; then they must pass as they are. */

/** Files that an agent may not change while it writes tests. */
export function notTests(files: readonly string[]): readonly Violation[] {
  return violations(
    files.filter((file) => !isTestFile(file)),
    'not-a-test',
  );
}

/** Tests that were written first and are not as they were. `changed` are the files that differ. */
export function changedTests(
  written: readonly string[],
  changed: readonly string[],
): readonly Violation[] {
  const since = new Set(changed);
  return violations(
    written.filter((file) => since.has(file)),
    'test-changed',
  );
}

function violations(
  files: readonly string[],
  what: 'not-a-test' | 'test-changed',
): readonly Violation[] {
  return files
    .slice(0, limits.violationsPerKind)
    .map((file) => ({ kind: 'tests-first', file, what }));
}

/**
 * Meaning of the gate's verdict on tests that were written first; `files` are all that the work changes. Undefined if the
 * gate gave no verdict.
 */
export function testsOutcome(verdict: Verdict, files: readonly string[]): TestsOutcome | undefined {
  switch (verdict.id) {
    case 'passed':
      return refused({ found: 'passed', tests: [] });
    case 'failed':
      return outcomeOfRed(verdict.failure, files.filter(isTestFile));
    case 'not-run':
      return undefined;
    default:
      unreachable(verdict);
  }
}

function outcomeOfRed(last: Failure, files: readonly string[]): TestsOutcome {
  const { failures, unlisted } = last.kind === 'gate-red' ? last.evidence : noEvidence;
  const own = failures.filter((failure) => isAbout(failure, files) && isMeant(failure, files));
  const others = failures.filter((failure) => !own.includes(failure));
  const names = (list: readonly CheckFailure[]) => list.map(({ name }) => name);
  if (own.length === 0) return refused({ found: 'no-test', tests: names(failures), last });
  if (others.length > 0) return refused({ found: 'other-tests', tests: names(others), last });
  // A failure that is not listed may belong to any file.
  if (unlisted > 0) return refused({ found: 'too-many', tests: [], last });
  return { id: 'red', tests: names(own), files };
}

function refused(found: Omit<Extract<Failure, { kind: 'tests-not-red' }>, 'kind'>): TestsOutcome {
  return { id: 'refused', failure: { kind: 'tests-not-red', ...found } };
}

function isAbout({ name, message }: CheckFailure, files: readonly string[]): boolean {
  return files.some((file) => mentions(`${name}\n${message}`, file));
}

/** Runners of these languages print the module or class of a test instead of its file. */
const namedByModule = /\.(?:py|java|kt|scala|cs)$/;

/** True if a text names a file: by its path, by the end of its path, or by its module. */
function mentions(text: string, file: string): boolean {
  const base = file.slice(file.lastIndexOf('/') + 1);
  const found = [...text.matchAll(new RegExp(`[\\w@+./\\\\-]*${escaped(base)}(?![\\w-])`, 'g'))];
  const isSame = found.some(([token]) => {
    const path = token.replaceAll('\\', '/').replace(/^(?:\.\/)+/, '');
    return path === file || path.endsWith(`/${file}`) || file.endsWith(`/${path}`);
  });
  if (isSame || !namedByModule.test(file)) return isSame;
  const stem = base.slice(0, base.lastIndexOf('.'));
  return new RegExp(`(?<![\\w-])${escaped(stem)}(?![\\w-])`).test(text);
}

/** Messages about code that does not exist yet. */
const missing =
  /cannot find|can't find|could not (?:find|resolve)|not found|no module named|cannot import name|does not provide an export|has no exported member|does not exist on type|undefined: |unresolved (?:import|reference)|is not defined|is not a function/i;

/** Words of unittest, Go and Jest about a file that they could not load. */
const unloaded = /_FailedTest|\[(?:build|setup) failed\]|Test suite failed to run/;

/**
 * True if a test failed, and not its whole file. A file that cannot be loaded counts if the code that it tests is
 * missing, but not if it has a syntax error.
 */
function isMeant(failure: CheckFailure, files: readonly string[]): boolean {
  const { name, message } = failure;
  const isWholeFile = files.some((file) => {
    const base = file.slice(file.lastIndexOf('/') + 1);
    return new RegExp(
      `^(?:\\S*/)?${escaped(base)}(?::\\[?\\d[\\d,]*\\]?)*(?: (?:\\[|error).*)?$`,
    ).test(name);
  });
  return (
    !(isWholeFile || unloaded.test(`${name}\n${message}`)) ||
    missing.test(message) ||
    missing.test(name)
  );
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
