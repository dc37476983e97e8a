/** What a piece of work changes, against what it stands on. */
export interface Changes {
  /** Paths, sorted; of a renamed file both. Cut to a bounded number, `count` says how many there are. */
  readonly files: readonly string[];
  readonly count: number;
  /** Lines added and taken away, as far as they were counted. */
  readonly added: number;
  readonly removed: number;
}

/**
 * A rule that the work breaks. Rules are read from the target, never from the work. What a person alone may permit is
 * named by `isForPerson`; the rest goes back to the agent first.
 */
export type Violation =
  /** A path that only a person may let through. */
  | { readonly kind: 'protected-path'; readonly file: string; readonly pattern: string }
  /** Something that decides what the gate runs: a script, a recipe, a file that a gate command names. */
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
  /** An assertion that was there before is gone or says something else. */
  | { readonly kind: 'test-weakened'; readonly file: string; readonly line: string }
  /** A repository inside the repository: its files would not land. */
  | { readonly kind: 'nested-repository'; readonly file: string }
  /** Lines that the target had gained are gone after a conflict was resolved, and nobody said so. */
  | {
      readonly kind: 'lines-dropped';
      readonly file: string;
      readonly lines: readonly string[];
    };

export type ViolationKind = Violation['kind'];

/** Whether the agent that made the work cannot be asked to fix it: the change may be right, but it is not its own. */
export function isForPerson({ kind }: Violation): boolean {
  return kind === 'protected-path' || kind === 'gate-changed';
}

/** Something outside of its worktree that changed while an agent worked. */
export type Tampering =
  /** A hook of git was planted, changed or taken away. */
  | { readonly kind: 'git-hook'; readonly name: string }
  /** The repository's own settings: `config`, `info/attributes`, and the like. */
  | { readonly kind: 'git-settings'; readonly file: string }
  /** A branch or tag that is not the attempt's own. */
  | {
      readonly kind: 'ref-moved';
      readonly ref: string;
      readonly from?: string;
      readonly to?: string;
    }
  /** Files in the checkout of the user. They may have changed them themselves. */
  | { readonly kind: 'checkout-changed'; readonly dir: string; readonly files: readonly string[] }
  /** The worktree of another attempt is not as that left it. */
  | { readonly kind: 'worktree-changed'; readonly task: string; readonly dir: string }
  /** A verdict that no gate of ours gave. */
  | { readonly kind: 'verdict-forged'; readonly tree: string };

/** Whether a person at work explains it just as well, so that it is told and holds nobody up. */
export function isReportedOnly({ kind }: Tampering): boolean {
  return kind !== 'git-hook' && kind !== 'git-settings';
}
