import { count, names, type Of, object, optional, text, union, words } from './shape.ts';
/** Summary of a diff between work and its base. */
export const Changes = object({
  /** Sorted paths; a renamed file counts with both names. Truncated; `count` is the full number. */
  files: names,
  count,
  /** Lines added and removed; lower bounds for very large changes. */
  added: count,
  removed: count,
});
export type Changes = Of<typeof Changes>;

/**
 * A rule of the target that the work violates; rules are never read from the work itself. `isForPerson` tells which
 * violations only a person may permit; the rest goes back to the agent first.
 */
export const Violation = union('kind', {
  /** Changes a path that needs a person's approval. */
  'protected-path': { file: text, pattern: text },
  /** Changes what the gate runs: a script, a recipe, or a file named in a gate command. */
  'gate-changed': { file: text, what: text },
  'out-of-scope': { file: text, allowed: names },
  'too-large': { what: words('files', 'lines'), value: count, limit: count },
  'test-deleted': { file: text },
  'test-emptied': { file: text },
  'test-skipped': { file: text, line: text },
  /** An existing assertion was removed or changed. */
  'test-weakened': { file: text, line: text },
  /** In the stage `tests`, a change of another file; after it, a change of a test that was written first. */
  'tests-first': { file: text, what: words('not-a-test', 'test-changed') },
  /** A nested git repository: its files would not land. */
  'nested-repository': { file: text },
  /** A new folder of installed packages, with the number of its files. */
  'packages-committed': { file: text, count },
  /** Resolving a conflict dropped lines that the target had added, and no commit message mentions it. */
  'lines-dropped': { file: text, lines: names },
  /** The work of a conflict task does not contain the branch in conflict, so the other task cannot land with it. */
  'branch-not-merged': { task: text, branch: text },
  /** A merge of the branch in conflict kept none of its changes in a file, and no commit message mentions it. */
  'branch-dropped': { file: text, branch: text },
});
export type Violation = Of<typeof Violation>;

export type ViolationKind = Violation['kind'];

/** True if only a person may permit it: the change may be right, but is not the agent's to decide. */
export function isForPerson({ kind }: Violation): boolean {
  return kind === 'protected-path' || kind === 'gate-changed';
}

/** Effects of a file in the user's home. */
export const homeEffects = [
  /** Git, or a command of the gate, reads it: it can change what lands. */
  'gate',
  /** It says which keys open this account or others. */
  'access',
  /** The user's next shell, desktop session or agent runs it. */
  'session',
] as const;
const HomeEffect = words(...homeEffects);
export type HomeEffect = Of<typeof HomeEffect>;

/** A change outside the agent's worktree while it worked. */
export const Tampering = union('kind', {
  /** A git hook was added, changed or removed. */
  'git-hook': { name: text },
  /** A settings file of the repository: `config`, `info/attributes` and the like. */
  'git-settings': { file: text },
  /** A branch or tag other than the attempt's branch moved. */
  'ref-moved': { ref: text, from: optional(text), to: optional(text) },
  /** The agent moved the target to a commit of its own. It was put back, and `kept` holds the commit. */
  'target-moved': { from: text, to: text, kept: text },
  /** Files in the user's checkout changed; the user may have done it. */
  'checkout-changed': { dir: text, files: names },
  'worktree-changed': { task: text, dir: text },
  /** A file of the user's home that runs code or gives access later was added, changed or removed. */
  'home-changed': { file: text, effect: HomeEffect },
  /** The repository lacks objects that the target needs; `object` is the first. */
  'objects-deleted': { object: text },
  /** The store holds a verdict without a valid seal. */
  'verdict-forged': { tree: text },
});
export type Tampering = Of<typeof Tampering>;

/**
 * True if the user, or a program of the user, often makes such a change and it cannot change what lands; then it is
 * reported but does not block the attempt.
 */
export function isReportedOnly(found: Tampering): boolean {
  switch (found.kind) {
    case 'git-hook':
    case 'git-settings':
    case 'target-moved':
      return false;
    case 'home-changed':
      return found.effect === 'session';
    case 'ref-moved':
    case 'checkout-changed':
    case 'worktree-changed':
    case 'verdict-forged':
    // The run ends anyway.
    case 'objects-deleted':
      return true;
  }
}
