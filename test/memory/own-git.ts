import { reaches } from './git-history.ts';
import type { MemoryObjects } from './git-objects.ts';
import {
  type Checkout,
  differences,
  mergeTrees,
  setOrDelete,
  type Tree,
  withIgnored,
  withoutIgnored,
} from './git-trees.ts';

/** Content of the git of a worktree besides its HEAD. It concerns neither the repository nor other worktrees. */
export interface OwnGit {
  /** Newest first. */
  readonly stashes: string[];
  /** Branches besides the one that the worktree is on. */
  readonly branches: Map<string, string>;
  /** Paths whose edits `git add` does not see: `--assume-unchanged` and `--skip-worktree`. */
  readonly flagged: Set<string>;
}

export const newGit = (): OwnGit => ({ stashes: [], branches: new Map(), flagged: new Set() });

/** Commits that only other branches or the stash hold. */
export function straysIn(objects: MemoryObjects, { git, own = '' }: Checkout): readonly string[] {
  const held = new Set([...git.branches.values(), ...git.stashes]);
  return [...held].filter((commit) => !reaches(objects.commits, own, commit));
}

/** Git as an agent uses it in its worktree. */
export class AgentGit {
  readonly #objects: MemoryObjects;
  readonly #checkout: Checkout;
  readonly #made: (commit: string) => void;

  constructor(objects: MemoryObjects, checkout: Checkout, made: (commit: string) => void) {
    this.#objects = objects;
    this.#checkout = checkout;
    this.#made = made;
  }

  get isMerging(): boolean {
    return this.#checkout.merging !== undefined;
  }

  /** `git add -A` and `git commit`. Returns HEAD if there is nothing to commit. */
  commit(message: string): string {
    const checkout = this.#checkout;
    const { merging } = checkout;
    const files = this.#added();
    if (merging === undefined && differences(this.#headFiles(), files).length === 0) {
      return this.#head();
    }
    const parents = [this.#head(), ...(merging === undefined ? [] : [merging.commit])];
    checkout.own = this.#objects.store(files, parents, message);
    checkout.merging = undefined;
    this.#made(checkout.own);
    return checkout.own;
  }

  /** `git stash -u`. Returns the entry, unless there is nothing to stash. */
  stash(): string | undefined {
    const head = this.#headFiles();
    const added = this.#added();
    if (differences(head, added).length === 0) return undefined;
    const tracked = new Map([...added].filter(([path]) => head.has(path)));
    const untracked = new Map([...added].filter(([path]) => !head.has(path)));
    const on = this.#head();
    const index = this.#objects.store(head, [on], 'index');
    const parents = [on, index, this.#objects.store(untracked, [], 'untracked files')];
    const entry = this.#objects.store(tracked, parents, 'stash');
    this.#checkout.git.stashes.unshift(entry);
    this.#backToHead();
    return entry;
  }

  /** `git stash pop` of the newest entry. It stays if it does not apply. */
  pop(): boolean {
    const { git, files } = this.#checkout;
    const [entry] = git.stashes;
    const [on = '', , untracked = ''] = this.#objects.commits.get(entry ?? '')?.parents ?? [];
    if (entry === undefined) return false;
    const merged = mergeTrees(this.#objects.filesOf(on), files, this.#objects.filesOf(entry));
    const more = this.#objects.filesOf(untracked);
    const isInTheWay = [...more.keys()].some((path) => files.has(path));
    if (merged.conflicts.length > 0 || isInTheWay) return false;
    this.#checkout.files = new Map([...merged.files, ...more]);
    git.stashes.shift();
    return true;
  }

  /** Commits everything on a new branch and returns to the branch before. */
  commitOn(branch: string, message: string): string {
    const commit = this.#objects.store(this.#added(), [this.#head()], message);
    this.#checkout.git.branches.set(branch, commit);
    this.#backToHead();
    return commit;
  }

  /** `git update-index --skip-worktree`, or `--assume-unchanged`. */
  flag(path: string): void {
    if (this.#headFiles().has(path)) this.#checkout.git.flagged.add(path);
  }

  #head(): string {
    return this.#checkout.own ?? '';
  }

  #headFiles(): Tree {
    return this.#objects.filesOf(this.#head());
  }

  /** The files as `git add -A` sees them. */
  #added(): Tree {
    const head = this.#headFiles();
    const files = new Map(withoutIgnored(this.#checkout.files, head));
    for (const path of this.#checkout.git.flagged) setOrDelete(files, path, head.get(path));
    return files;
  }

  #backToHead(): void {
    const { files, git } = this.#checkout;
    const back = new Map(withIgnored(this.#headFiles(), files));
    for (const path of git.flagged) setOrDelete(back, path, files.get(path));
    this.#checkout.files = back;
  }
}
