/** Summary of a diff between work and its base. */
export interface Changes {
  /** Sorted paths; a renamed file counts with both names. Truncated; `count` is the full number. */
  readonly files: readonly string[];
  readonly count: number;
  /** Lines added and removed; lower bounds for very large changes. */
  readonly added: number;
  readonly removed: number;
}

/**
 * A rule of the target that the work violates; rules are never read from the work itself. `isForPerson` tells which
 * violations only a person may permit; the rest goes back to the agent first.
 */
export type Violation =
  /** Changes a path that needs a person's approval. */
  | { readonly kind: 'protected-path'; readonly file: string; readonly pattern: string }
  /** Changes what the gate runs: a script, a recipe, or a file named in a gate command. */
  | { readonly kind: 'gate-changed'; readonly file: string; readonly what: string }
  | { readonly kind: 'out-of-scope'; readonly file: string; readonly allowed: readonly string[] }
  | {
      readonly kind: 'too-large';
      readonly what: 'files' | 'lines';
      readonly value: number;
      readonly limit: number;
    }
  | { readonly kind: 'test-deleted'; readonly file: string }
  | { readonly kind: 'test-emptied'; readonly file: string }
  | { readonly kind: 'test-skipped'; readonly file: string; readonly line: string }
  /** An existing assertion was removed or changed. */
  | { readonly kind: 'test-weakened'; readonly file: string; readonly line: string }
  /** A nested git repository: its files would not land. */
  | { readonly kind: 'nested-repository'; readonly file: string }
  /** Resolving a conflict dropped lines that the target had added, and no commit message mentions it. */
  | {
      readonly kind: 'lines-dropped';
      readonly file: string;
      readonly lines: readonly string[];
    };

export type ViolationKind = Violation['kind'];

/** True if only a person may permit it: the change may be right, but is not the agent's to decide. */
export function isForPerson({ kind }: Violation): boolean {
  return kind === 'protected-path' || kind === 'gate-changed';
}

/** A change outside the agent's worktree while it worked. */
export type Tampering =
  /** A git hook was added, changed or removed. */
  | { readonly kind: 'git-hook'; readonly name: string }
  /** A settings file of the repository: `config`, `info/attributes` and the like. */
  | { readonly kind: 'git-settings'; readonly file: string }
  /** A branch or tag other than the attempt's branch moved. */
  | {
      readonly kind: 'ref-moved';
      readonly ref: string;
      readonly from?: string;
      readonly to?: string;
    }
  /** Files in the user's checkout changed; the user may have done it. */
  | { readonly kind: 'checkout-changed'; readonly dir: string; readonly files: readonly string[] }
  /** The worktree of another attempt was changed. */
  | { readonly kind: 'worktree-changed'; readonly task: string; readonly dir: string }
  /** The store holds a verdict without a valid seal. */
  | { readonly kind: 'verdict-forged'; readonly tree: string };

/** True if the user could have caused the change; then it is reported but does not block the attempt. */
export function isReportedOnly({ kind }: Tampering): boolean {
  return kind !== 'git-hook' && kind !== 'git-settings';
}
