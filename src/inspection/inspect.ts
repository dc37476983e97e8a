import { defined } from '../model/defined.ts';
import { limits } from '../model/limits.ts';
import type { Task } from '../model/task.ts';
import type { Changes, Violation, ViolationKind } from '../model/violation.ts';
import type { Change, Git, TreeEntry } from '../port/git.ts';
import { byPath, type ChangedText, type Rules } from './changed.ts';
import { droppedLines, type Resolution, type Resolved } from './dropped.ts';
import { gateChanges } from './gate-files.ts';
import { gateReads } from './gate-reads.ts';
import { mayHoldTests } from './read-test.ts';
import { committedPackages, nestedRepositories, outOfScope, protectedPaths } from './scope.ts';
import { type Size, sizeOf, tooLarge } from './size.ts';
import { testViolations } from './tests.ts';

export interface Inspection {
  readonly changes: Changes;
  readonly violations: readonly Violation[];
}

/** Work to inspect. The rules are those of the target, never of the work. */
export interface InspectionInput {
  /** Base commit of the work. */
  readonly base: string;
  readonly commit: string;
  readonly task: Pick<Task, 'paths' | 'scope'>;
  readonly rules: Rules;
  /** Set if the target was merged into the work: the target's range and the conflicted files. */
  readonly merged?: {
    readonly from: string;
    readonly to: string;
    readonly files: readonly string[];
    /** Files declared as dropped; see `namedAsDropped`. */
    readonly named?: readonly string[];
  };
}

/** Files with gate scripts or settings of script runners. */
const settings = /(?:^|\/)(?:package\.json|\.npmrc|\.yarnrc(?:\.yml)?)$/;

type Reader = Pick<Git, 'changes' | 'blob' | 'file'>;

/**
 * Checks work against the rules of its target without starting a process. Tests and files used by the gate are always
 * read, others up to a limit.
 */
export async function inspect(git: Reader, input: InspectionInput): Promise<Inspection> {
  const { base, commit, task, rules, merged } = input;
  const listed = await git.changes(base, commit);
  const gateSources = await gateTexts(git, base, rules.gate);
  const gateFiles = new Set(gateReads(rules.gate, (path) => gateSources.get(path)).files.keys());
  const inConflict = new Set(merged?.files);
  const isJudged = ({ path }: Change): boolean =>
    gateFiles.has(path) || inConflict.has(path) || settings.test(path) || mayHoldTests(path);
  const judged = listed.filter(isJudged);
  const others = listed.filter((change) => !isJudged(change));
  const texts = await textsOf(git, [...judged, ...others.slice(0, limits.inspectedFiles)]);
  const unread = others.slice(limits.inspectedFiles);
  const changed = [...texts, ...unread.map(namesOf)];
  const size = sizeOf(changed, unread.length + texts.filter(isBeyondCounting).length);
  const resolution =
    merged === undefined ? undefined : await resolutionOf(git, commit, merged, changed);
  const violations = violationsOf(task, changed, rules, {
    targetTexts: gateSources,
    size,
    resolution,
  });
  const paths = listed.slice(0, limits.changesKept).map(({ path }) => path);
  const changes = {
    files: paths,
    count: listed.length,
    added: size.added,
    removed: size.removed,
  };
  return { changes, violations };
}

/** Texts of the files that the gate's commands lead to. */
async function gateTexts(
  git: Reader,
  base: string,
  gate: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  const asked = new Set<string>();
  for (;;) {
    const wanted = new Set<string>();
    gateReads(gate, (path) => {
      if (!asked.has(path)) wanted.add(path);
      return texts.get(path);
    });
    if (wanted.size === 0 || asked.size >= limits.gateReads) return texts;
    for (const path of wanted) {
      asked.add(path);
      const text = await git.file(base, path);
      if (text !== undefined) texts.set(path, text);
    }
  }
}

/** A change with its path and modes only. */
function namesOf({ path, before, after }: Change): ChangedText {
  return { path, modeBefore: before?.mode, mode: after?.mode };
}

interface ReadText extends ChangedText {
  /** True if a side is too large to read. */
  readonly large?: boolean;
}

/** A new file that is too large to read exceeds any line limit. */
function isBeyondCounting({ large, modeBefore }: ReadText): boolean {
  return large === true && modeBefore === undefined;
}

async function textsOf(git: Reader, changes: readonly Change[]): Promise<readonly ReadText[]> {
  const read: ReadText[] = [];
  for (let at = 0; at < changes.length; at += limits.inspectedAtOnce) {
    const some = changes.slice(at, at + limits.inspectedAtOnce);
    const texts = await Promise.all(
      some.flatMap(({ before, after }) => [textOf(git, before), textOf(git, after)]),
    );
    some.forEach((change, index) => {
      const [before = {}, after = {}] = texts.slice(index * 2, index * 2 + 2);
      read.push({
        ...namesOf(change),
        ...defined({ before: before.text, after: after.text }),
        ...(before.large || after.large ? { large: true } : {}),
      });
    });
  }
  return read;
}

interface Side {
  readonly text?: string;
  readonly large?: boolean;
}

const repository = '160000';
/** Bytes in which git looks for a NUL to detect binary files. */
const probedBytes = 8000;

async function textOf(git: Reader, entry: TreeEntry | undefined): Promise<Side> {
  if (entry === undefined || entry.mode === repository) return {};
  const blob = await git.blob(entry.id);
  if (blob === undefined) return { large: true };
  if (blob.subarray(0, probedBytes).includes(0)) return {};
  return { text: blob.toString('utf8') };
}

async function resolutionOf(
  git: Reader,
  commit: string,
  { from, to, files, named = [] }: NonNullable<InspectionInput['merged']>,
  changed: readonly ChangedText[],
): Promise<Resolution> {
  const resolved: Resolved[] = [];
  for (const path of files) {
    const [was, is, result] = await Promise.all(
      [from, to, commit].map((one) => git.file(one, path)),
    );
    resolved.push({ path, from: was, to: is, result });
  }
  const inConflict = new Set(files);
  const elsewhere = changed.flatMap(({ path, after }) =>
    after === undefined || inConflict.has(path) ? [] : [after],
  );
  return { files: resolved, elsewhere, named };
}

/** Context beyond the changed texts. */
interface InspectionContext {
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
  'packages-committed': 5,
  'test-deleted': 6,
  'test-emptied': 7,
  'test-skipped': 8,
  'test-weakened': 9,
  'tests-first': 10,
  'lines-dropped': 11,
  'branch-not-merged': 12,
  'branch-dropped': 13,
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
    ...committedPackages(files),
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
