import type { Task } from '../model/task.ts';
import type { Violation } from '../model/violation.ts';
import type { Claim } from './asserts.ts';
import { byPath, type ChangedText, countsOf, existed, exists, shown, without } from './changed.ts';
import type { Language } from './code.ts';
import { redirectedImports } from './imports.ts';
import {
  hasTestName,
  isTestPath,
  linesWritten,
  mayHoldTests,
  once,
  readTest,
  type Sides,
  type TestFile,
  type Written,
} from './read-test.ts';
import { namesTest } from './scope.ts';
import { skipsIn } from './skips.ts';
import { withoutStandIns } from './stand-ins.ts';

/** Share of a removed test's lines that must reappear for it to count as moved. */
const movedShare = 0.8;

/**
 * Tests that a change removes, empties, skips or weakens. Tests named by the task's paths may be removed, emptied or
 * weakened, but not skipped.
 */
export function testViolations(
  task: Pick<Task, 'paths'>,
  changed: readonly ChangedText[],
): readonly Violation[] {
  const files = changed.filter(({ path }) => mayHoldTests(path)).map(readTest);
  const named = namesTest(task.paths);
  const written = once(() => linesWritten(files));
  const lost = files.flatMap((test): Violation[] => {
    const kind = lostKind(test, written);
    return kind === undefined ? [] : [{ kind, file: test.path }];
  });
  const reported = new Set(
    lost.flatMap((violation) => ('file' in violation ? [violation.file] : [])),
  );
  const remaining = files.filter(({ path }) => !reported.has(path));
  const sources = changed.filter(({ path }) => !isTestPath(path));
  return [
    ...lost.filter((violation) => 'file' in violation && !named(violation.file)),
    ...skipped(files),
    ...[...weakened(remaining, sources), ...redirected(remaining, changed)].filter(
      (violation) => 'file' in violation && !named(violation.file),
    ),
  ];
}

function redirected(
  files: readonly TestFile[],
  changed: readonly ChangedText[],
): readonly Violation[] {
  const tests = files.map(({ file }) => file);
  return redirectedImports(tests, changed).map(({ path, from }) => ({
    kind: 'test-weakened',
    file: path,
    line: `it no longer imports ${shown(from)}`,
  }));
}

/** Way in which a whole test file was lost; undefined if it was not. */
function lostKind(
  test: TestFile,
  written: () => Written,
): 'test-deleted' | 'test-emptied' | undefined {
  const { file, cases, asserted } = test;
  if (!existed(file)) return undefined;
  const unread = file.before === undefined;
  if (!unread && cases.before.length + asserted.before.length === 0) return undefined;
  if (!exists(file)) return !unread && isMoved(test, written) ? undefined : 'test-deleted';
  const emptied = unread
    ? false
    : cases.before.length > 0
      ? cases.after.length === 0
      : asserted.after.length === 0;
  return emptied && !isMoved(test, written) ? 'test-emptied' : undefined;
}

/** True if most of a test's lines reappear in other changed tests that runners find as before. */
function isMoved({ path, lines }: TestFile, written: () => Written): boolean {
  const { all, named } = written();
  const found = hasTestName(path) ? named : all;
  const again = lines.before.filter((line) => found.has(line)).length;
  return again >= lines.before.length * movedShare;
}

function skipped(files: readonly TestFile[]): readonly Violation[] {
  const old = files.filter(({ file }) => existed(file));
  const left = countsOf(old.flatMap(({ lines }) => without(lines.before, lines.after)));
  const claims = new Set(old.flatMap(({ asserted, cases }) => [...gone(asserted), ...gone(cases)]));
  const isNewCase = newCases(files);
  return files.flatMap((test) => {
    const { path, file, read, asserted, cases } = test;
    if (read.before.text === read.after.text) return [];
    const tookOver = (): boolean =>
      claims.size > 0 && [...asserted.after, ...cases.after].some(({ key }) => claims.has(key));
    const found = skipsIn({
      after: read.after,
      ...(existed(file) || tookOver() ? { before: read.before } : {}),
      left,
      isNewCase: (line, at) => isNewCase(test, line, at),
    });
    return found.map(
      (line): Violation => ({ kind: 'test-skipped', file: path, line: shown(line) }),
    );
  });
}

/** Languages in which test and skip marks may come in any order. */
const unordered: ReadonlySet<Language> = new Set(['rust', 'jvm', 'csharp']);

/** Recognizes lines of new cases. If the change removes cases none counts as new: it may be a renamed one. */
function newCases(
  files: readonly TestFile[],
): (test: TestFile, line: string, at: number) => boolean {
  if (lostAmong(files, 'cases').length > 0) return () => false;
  const known = new Set(files.flatMap(({ cases }) => cases.before.map(({ key }) => key)));
  return ({ cases, read }, line, at) => {
    if (unordered.has(read.after.language)) return false;
    const one = /^\s*@/.test(line)
      ? cases.after[placeOf(cases.after, at)]
      : cases.after[placeOf(cases.after, at + line.length) - 1];
    return one !== undefined && !known.has(one.key);
  };
}

/** Number of claims that start before an offset. */
function placeOf(claims: readonly Claim[], at: number): number {
  let low = 0;
  let high = claims.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((claims[middle]?.at ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Keys that one file lost. */
function gone({ before, after }: Sides<readonly Claim[]>): readonly string[] {
  if (before.length === 0) return [];
  return without(
    before.map(({ key }) => key),
    after.map(({ key }) => key),
  );
}

/** Assertions that are gone from the whole change, and missing cases. */
function weakened(
  files: readonly TestFile[],
  sources: readonly ChangedText[],
): readonly Violation[] {
  const unread = files.filter(
    ({ file }) => existed(file) && exists(file) && file.before === undefined,
  );
  const violations: Violation[] = unread
    .filter(({ file }) => file.mode !== '160000')
    .map(({ path }) => ({ kind: 'test-weakened', file: path, line: 'too large to inspect' }));
  const lost = withoutStandIns(lostAmong(files, 'asserted'), files, sources);
  for (const { path, line } of lost) {
    violations.push({ kind: 'test-weakened', file: path, line: shown(line) });
  }
  const reportedPaths = new Set(lost.map(({ path }) => path));
  for (const { path, line } of lostCases(files)) {
    if (!reportedPaths.has(path))
      violations.push({ kind: 'test-weakened', file: path, line: shown(line) });
  }
  return violations;
}

/** Missing cases, at most as many as the count has dropped: the others may be renamed. */
function lostCases(files: readonly TestFile[]): readonly Lost[] {
  const lost = lostAmong(files, 'cases');
  if (lost.length === 0) return lost;
  const fewer = files.reduce((sum, { cases }) => sum + cases.before.length - cases.after.length, 0);
  return lost.slice(0, Math.max(0, fewer));
}

interface Lost extends Claim {
  readonly path: string;
}

/** Claims that all files together make less often than before, with their file. */
function lostAmong(files: readonly TestFile[], what: 'asserted' | 'cases'): readonly Lost[] {
  if (files.every((test) => gone(test[what]).length === 0)) return [];
  const left = countsOf(files.flatMap((test) => test[what].after.map(({ key }) => key)));
  const claims = [...files]
    .sort(byPath)
    .flatMap(({ path, ...test }) => test[what].before.map((claim): Lost => ({ ...claim, path })));
  return claims.filter(({ key }) => {
    const times = left.get(key) ?? 0;
    left.set(key, times - 1);
    return times <= 0;
  });
}
