import { limits } from '../model/limits.ts';
import type { Task } from '../model/task.ts';
import type { Violation, ViolationKind } from '../model/violation.ts';
import { byPath, type ChangedText, type Rules } from './changed.ts';
import { droppedLines, type Resolution } from './dropped.ts';
import { gateChanges } from './gate-files.ts';
import { nestedRepositories, outOfScope, protectedPaths } from './scope.ts';
import { type Size, sizeOf, tooLarge } from './size.ts';
import { testViolations } from './tests.ts';

/** Context beyond the changed texts. */
export interface InspectionContext {
  /** Texts of target files that the gate's commands lead to. */
  readonly targetTexts?: ReadonlyMap<string, string>;
  /** Known size; computed if absent. */
  readonly size?: Size;
  readonly resolution?: Resolution;
}

const order: Readonly<Record<ViolationKind, number>> = {
  'protected-path': 0,
  'gate-changed': 1,
  'out-of-scope': 2,
  'too-large': 3,
  'nested-repository': 4,
  'test-deleted': 5,
  'test-emptied': 6,
  'test-skipped': 7,
  'test-weakened': 8,
  'lines-dropped': 9,
};

/** Violations of all rules, sorted by kind and file, with a bounded number per kind. Deterministic. */
export function violationsOf(
  task: Pick<Task, 'paths' | 'scope'>,
  changed: readonly ChangedText[],
  rules: Rules,
  context: InspectionContext = {},
): readonly Violation[] {
  const files = [...changed].sort(byPath);
  const texts = new Map(files.map(({ path, before }) => [path, before]));
  const textOf = (path: string): string | undefined =>
    texts.get(path) ?? context.targetTexts?.get(path);
  const found = [
    ...protectedPaths(files, rules.protect),
    ...gateChanges(files, rules, textOf),
    ...outOfScope(task, files),
    ...tooLarge(context.size ?? sizeOf(files), rules),
    ...nestedRepositories(files),
    ...(rules.tests === 'guard' ? testViolations(task, files) : []),
    ...(context.resolution === undefined ? [] : droppedLines(context.resolution)),
  ];
  return bounded(found.sort((a, b) => order[a.kind] - order[b.kind]));
}

function bounded(violations: readonly Violation[]): readonly Violation[] {
  const times = new Map<ViolationKind, number>();
  return violations.filter(({ kind }) => {
    const count = (times.get(kind) ?? 0) + 1;
    times.set(kind, count);
    return count <= limits.violationsPerKind;
  });
}
