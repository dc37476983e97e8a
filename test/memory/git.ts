import { sizeOf } from '../../src/inspection/size.ts';
import type { Unmarked } from '../../src/model/attempt.ts';
import { Trouble } from '../../src/model/trouble.ts';
import type { WorkSize } from '../../src/model/work-size.ts';
import type {
  FastForward,
  Git,
  Keep,
  Merge,
  Push,
  RefMove,
  RefResult,
  RemoteMove,
  Repository,
  Uncaptured,
  WorktreeStatus,
} from '../../src/port/git.ts';
import { need } from '../rig/need.ts';
import { reaches } from './git-history.ts';
import { mergeCommits, wholeSides } from './git-merge.ts';
import { failed, MemoryReading } from './git-reading.ts';
import { LoggedRefs, moveAll, refsBelow } from './git-refs.ts';
import { MemoryRemotes } from './git-remotes.ts';
import {
  type Checkout,
  differences,
  ignoredSince,
  isKept,
  setOrDelete,
  type Tree,
  withIgnored,
  withoutIgnored,
} from './git-trees.ts';
import { AgentGit, newGit, straysIn } from './own-git.ts';

export interface MemoryGitOptions {
  readonly root?: string;
  readonly branch?: string;
  readonly files?: Readonly<Record<string, string>>;
  /** Absent in a repository where nobody has said who commits. */
  readonly identity?: string | undefined;
  /** Names of empty repositories to push to. */
  readonly remotes?: readonly string[];
  readonly now?: () => number;
}

/**
 * Git without git: commits, refs and checkouts as maps, ids made from contents, so the same steps give the same ids.
 * Merging knows whole files only. Paths that a line of `.gitignore` names, or that lie below it, are ignored. A worktree
 * has a git of its own, with a stash, other branches and flagged paths.
 */
export class MemoryGit extends MemoryReading implements Git {
  readonly root: string;
  /** Commits with the worktree they were made in. */
  readonly #made = new Set<string>();
  readonly #remotes: MemoryRemotes;
  readonly #refs = new LoggedRefs();
  readonly #checkouts = new Map<string, Checkout>();
  readonly #identity: string | undefined;
  readonly #now: () => number;

  constructor(options: MemoryGitOptions = {}) {
    super();
    this.root = options.root ?? '/repo';
    const branch = options.branch ?? 'main';
    this.#identity = 'identity' in options ? options.identity : 'Memory <memory@example.invalid>';
    this.#now = options.now ?? Date.now;
    const files = new Map(Object.entries(options.files ?? {}));
    this.#remotes = new MemoryRemotes(options.remotes ?? []);
    const fresh = { written: new Map(), git: newGit() };
    this.#checkouts.set(this.root, { dir: this.root, branch, own: undefined, files, ...fresh });
    if (options.files === undefined) return;
    this.#refs.set(`refs/heads/${branch}`, this.objects.store(files, [], 'start'));
  }

  // File operations of a user, agent or gate.

  write(dir: string, path: string, content: string): void {
    const checkout = this.#need(dir);
    checkout.files = new Map(checkout.files).set(path, content);
    checkout.written.set(path, this.#now());
  }

  read(dir: string, path: string): string | undefined {
    return this.#need(dir).files.get(path);
  }

  remove(dir: string, path: string): void {
    const checkout = this.#need(dir);
    const files = new Map(checkout.files);
    files.delete(path);
    checkout.files = files;
  }

  files(dir: string): Tree {
    return this.#need(dir).files;
  }

  has(dir: string): boolean {
    return this.#checkouts.has(dir);
  }

  /** Stash entries of a worktree, newest first. */
  stashes(dir: string): readonly string[] {
    return this.#need(dir).git.stashes;
  }

  /** Git as the agent in this worktree uses it. */
  agentIn(dir: string): AgentGit {
    return new AgentGit(this.objects, this.#need(dir), (made) => this.#made.add(`${dir} ${made}`));
  }

  /** The files of the commit that is checked out. */
  headFiles(dir: string): Tree {
    return this.tree(this.#headOf(this.#need(dir)) ?? '');
  }

  /** Files that git would commit of a checkout: all files but the ignored ones. */
  committable(dir: string): Tree {
    return this.#tracked(this.#need(dir));
  }

  /** A person commits these files in their own checkout, and whatever else they had edited stays as it is. */
  commitByHand(files: Readonly<Record<string, string>>): void {
    const checkout = this.#need(this.root);
    const head = this.#headOf(checkout);
    if (head === undefined) return;
    const added = Object.entries(files);
    const made = this.objects.store(new Map([...this.tree(head), ...added]), [head], 'by hand');
    checkout.files = new Map([...checkout.files, ...added]);
    this.#moveHead(checkout, made);
  }

  /** A person throws away every edit in their own checkout. */
  tidyByHand(): void {
    const checkout = this.#need(this.root);
    const head = this.#headOf(checkout);
    if (head !== undefined) checkout.files = this.tree(head);
  }

  /** The refs of a remote, which others may move too. */
  remote(name: string): Map<string, string> {
    return this.#remotes.refsOf(name);
  }

  // The port.

  async inspect(): Promise<Repository> {
    const { branch } = this.#need(this.root);
    const head = this.#headOf(this.#need(this.root));
    return {
      root: this.root,
      commonDir: `${this.root}/.git`,
      bare: false,
      shallow: false,
      branch,
      head,
    };
  }

  async identity(): Promise<string> {
    if (this.#identity === undefined)
      throw new Trouble({ kind: 'no-identity', missing: 'user.name' });
    return this.#identity;
  }

  async resolve(revision: string): Promise<string | undefined> {
    return this.find(revision);
  }

  async refs(prefix: string): Promise<readonly { ref: string; commit: string }[]> {
    return refsBelow(this.#refs, prefix);
  }

  async checkoutOf(branch: string): Promise<string | undefined> {
    return this.#need(this.root).branch === branch ? this.root : undefined;
  }

  async addWorktree(
    dir: string,
    commit: string,
    { empty = false }: { readonly empty?: boolean } = {},
  ): Promise<void> {
    const target = this.objects.commits.get(this.find(commit) ?? '');
    if (target === undefined) throw failed('addWorktree', `${commit} names no commit`);
    if (dir === this.root) throw failed('addWorktree', `${dir} contains the repository itself`);
    const there = this.#checkouts.get(dir);
    if (there !== undefined && this.#isDirty(there)) {
      throw new Trouble({ kind: 'worktree-failed', cause: `${dir} has uncommitted changes` });
    }
    const files = empty ? nothing : target.files;
    const fresh = { branch: undefined, written: new Map(), git: newGit() };
    this.#checkouts.set(dir, { dir, own: target.commit, files, ...fresh });
    return;
  }

  async removeWorktree(dir: string): Promise<void> {
    if (dir === this.root) throw failed('removeWorktree', `${dir} contains the repository itself`);
    this.#checkouts.delete(dir);
    return;
  }

  async hasWorktree(dir: string): Promise<boolean> {
    return dir !== this.root && this.#checkouts.has(dir);
  }

  async leftOut(dir: string, since: number): Promise<readonly string[]> {
    const checkout = this.#checkouts.get(dir);
    if (checkout === undefined) throw notOurs(dir);
    return ignoredSince(checkout, this.tree(this.#headOf(checkout) ?? ''), since);
  }

  async uncaptured(dir: string): Promise<Uncaptured> {
    const checkout = this.#checkouts.get(dir);
    if (checkout === undefined) throw notOurs(dir);
    const tree = this.tree(this.#headOf(checkout) ?? '');
    const paths = differences(tree, this.#tracked(checkout));
    return { paths, commits: straysIn(this.objects, checkout) };
  }

  async workSize(dir: string, base: string): Promise<WorkSize> {
    const checkout = this.#checkouts.get(dir);
    if (checkout === undefined) throw notOurs(dir);
    const [before, after] = [this.tree(base), this.#tracked(checkout)];
    const paths = differences(before, after);
    const texts = paths.map((path) => ({
      before: before.get(path),
      after: after.get(path),
      path,
    }));
    const { added, removed } = sizeOf(texts);
    return { count: paths.length, added, removed };
  }

  async strays(dir: string): Promise<readonly string[]> {
    const checkout = this.#checkouts.get(dir);
    if (checkout === undefined) throw notOurs(dir);
    return straysIn(this.objects, checkout);
  }

  async resetSettings(): Promise<string | undefined> {
    return;
  }

  async point(dir: string, commit: string, branch?: string): Promise<void> {
    const checkout = this.#checkouts.get(dir);
    const target = this.objects.commits.get(this.find(commit) ?? '');
    if (checkout === undefined || dir === this.root) throw notOurs(dir);
    if (target === undefined) throw failed('point', `${commit} names no commit`);
    if (branch === undefined || branch !== checkout.branch) checkout.git = newGit();
    checkout.branch = branch;
    checkout.own = target.commit;
    checkout.files = withIgnored(target.files, checkout.files);
    checkout.merging = undefined;
    return;
  }

  async headOf(dir: string): Promise<string> {
    const found = await this.status(dir);
    return found.head;
  }

  async status(dir: string): Promise<WorktreeStatus> {
    const checkout = this.#checkouts.get(dir);
    if (checkout === undefined) throw notOurs(dir);
    const head = this.#headOf(checkout);
    if (head === undefined) throw failed('status', `${dir} is on a branch without a commit`);
    const dirty = this.#isDirty(checkout);
    return checkout.branch === undefined
      ? { head, dirty }
      : { head, branch: checkout.branch, dirty };
  }

  async commitAll(dir: string, message: string): Promise<string> {
    const checkout = this.#checkouts.get(dir);
    if (checkout === undefined || dir === this.root) throw notOurs(dir);
    const head = this.#headOf(checkout);
    if (head === undefined) throw failed('commitAll', `${dir} is on a branch without a commit`);
    const { merging } = checkout;
    if (merging === undefined && !this.#isDirty(checkout)) return head;
    const parents = merging === undefined ? [head] : [head, merging.commit];
    const made = this.objects.store(this.#tracked(checkout), parents, message);
    checkout.merging = undefined;
    this.#made.add(`${dir} ${made}`);
    this.#moveHead(checkout, made);
    return made;
  }

  async exactly(dir: string, commit: string, keep: Keep): Promise<void> {
    const { files: before = nothing, git } = this.#checkouts.get(dir) ?? {};
    await this.point(dir, commit);
    const tree = this.tree(this.find(commit) ?? '');
    const stay = [...before].filter(([path]) => !tree.has(path) && isKept(keep, path));
    const checkout = this.#need(dir);
    checkout.files = stay.length === 0 ? tree : new Map([...tree, ...stay]);
    if (keep === 'all' && git !== undefined) checkout.git = git;
    return;
  }

  async differing(dir: string, commit: string): Promise<readonly string[]> {
    const tree = this.tree(this.find(commit) ?? '');
    return differences(tree, this.#need(dir).files).filter((path) => tree.has(path));
  }

  async untracked(dir: string): Promise<readonly string[]> {
    const tree = this.tree(this.#headOf(this.#need(dir)) ?? '');
    return [...this.#need(dir).files.keys()].filter((path) => !tree.has(path));
  }

  async setAside(dir: string): Promise<readonly string[]> {
    const checkout = this.#need(dir);
    checkout.files = this.tree(this.#headOf(checkout) ?? '');
    return [];
  }

  async wasMadeIn(dir: string, commit: string): Promise<boolean> {
    return this.#made.has(`${dir} ${commit}`);
  }

  async missingObject(commit: string): Promise<string | undefined> {
    return this.find(commit) === undefined ? commit : undefined;
  }

  async beginMerge(dir: string, commit: string): Promise<Merge> {
    const checkout = this.#checkouts.get(dir);
    if (checkout === undefined || dir === this.root) throw notOurs(dir);
    const [ours, theirs] = [this.#headOf(checkout), this.find(commit)];
    if (ours === undefined || theirs === undefined) throw failed('beginMerge', 'no such commit');
    const { outcome, files } = mergeCommits(this.objects, ours, theirs);
    if (checkout.merging?.commit === theirs) return outcome;
    const ineligible = checkout.merging !== undefined || checkout.files === nothing;
    if (ineligible || this.#isDirty(checkout)) {
      throw new Trouble({ kind: 'worktree-failed', cause: `${dir} is not fit for a merge` });
    }
    if (outcome.id === 'unrelated' || reaches(this.objects.commits, ours, theirs)) return outcome;
    const staged = differences(this.tree(ours), files).length > 0 || outcome.id === 'conflict';
    checkout.merging = { commit: theirs, staged };
    checkout.files = withIgnored(files, checkout.files);
    return outcome;
  }

  async unmarked(dir: string): Promise<readonly Unmarked[]> {
    const { merging, files } = this.#need(dir);
    const ours = this.#headOf(this.#need(dir)) ?? '';
    return merging === undefined ? [] : wholeSides(this.objects, ours, merging.commit, files);
  }

  async commitTree(tree: string, parents: readonly string[], message: string): Promise<string> {
    const files = this.objects.tree(tree);
    if (files === undefined) throw failed('commitTree', `${tree} is no tree`);
    const missing = parents.find((parent) => !this.objects.commits.has(parent));
    if (missing !== undefined) throw failed('commitTree', `${missing} names no commit`);
    return this.objects.store(files, parents, message);
  }

  async neverIn(branch: string, commits: readonly string[]): Promise<readonly string[]> {
    const past = [...(this.#refs.past.get(`refs/heads/${branch}`) ?? [])];
    const { commits: known } = this.objects;
    const wasIn = (commit: string): boolean =>
      known.has(commit) && past.some((value) => reaches(known, value, commit));
    return commits.filter((commit) => !wasIn(commit));
  }

  async moveRefs(moves: readonly RefMove[]): Promise<RefResult> {
    return moveAll(this.#refs, (commit) => this.objects.commits.has(commit), moves);
  }

  async fastForward(dir: string, branch: string, commit: string): Promise<FastForward> {
    const checkout = this.#checkouts.get(dir);
    const ref = `refs/heads/${branch}`;
    const at = this.#refs.get(ref);
    const target = this.objects.commits.get(commit);
    if (target === undefined || at === undefined) throw failed('fastForward', 'no such commit');
    if (checkout?.branch !== branch) {
      return { id: 'refused', cause: `${dir} is no longer on ${branch}` };
    }
    if (reaches(this.objects.commits, at, commit)) return { id: 'moved' };
    if (!reaches(this.objects.commits, commit, at)) return { id: 'diverged' };
    const before = this.tree(at);
    const changed = differences(before, target.files);
    const inTheWay = changed.filter((path) => checkout.files.get(path) !== before.get(path));
    const cause = `error: Your local changes would be overwritten by merge:\n${inTheWay.map((path) => `\t${path}`).join('\n')}`;
    if (inTheWay.length > 0) return { id: 'refused', cause };
    const files = new Map(checkout.files);
    for (const path of changed) setOrDelete(files, path, target.files.get(path));
    checkout.files = files;
    this.#refs.set(ref, commit);
    return { id: 'moved' };
  }

  async push(remote: string, moves: readonly RemoteMove[]): Promise<Push> {
    const ends = moves.map(({ from, to }) => ({ commit: this.find(from) ?? '', to }));
    if (ends.some(({ commit }) => commit === '')) throw failed('push', 'no such commit');
    const { pushed, known } = this.#remotes.push(this.objects.commits, remote, ends);
    for (const [ref, commit] of known) this.#refs.set(ref, commit);
    return pushed;
  }

  async close(): Promise<void> {}

  #need(dir: string): Checkout {
    const checkout = need(this.#checkouts.get(dir));
    return checkout;
  }

  #headOf({ branch, own }: Checkout): string | undefined {
    return own ?? this.#refs.get(`refs/heads/${branch}`);
  }

  #moveHead(checkout: Checkout, commit: string): void {
    if (checkout.own !== undefined) checkout.own = commit;
    else this.#refs.set(`refs/heads/${checkout.branch}`, commit);
  }

  protected find(revision: string): string | undefined {
    if (this.objects.commits.has(revision)) return revision;
    if (revision === 'HEAD') return this.#headOf(this.#need(this.root));
    return this.#refs.get(revision) ?? this.#refs.get(`refs/heads/${revision}`);
  }

  #tracked(checkout: Checkout): Tree {
    return withoutIgnored(checkout.files, this.tree(this.#headOf(checkout) ?? ''));
  }

  #isDirty(checkout: Checkout): boolean {
    const before = this.tree(this.#headOf(checkout) ?? '');
    if (checkout.merging?.staged) return true;
    if (checkout.files === before || checkout.files === nothing) return false;
    return differences(before, this.#tracked(checkout)).length > 0;
  }
}

/** The files of a worktree that has not been filled yet. */
const nothing: Tree = new Map();

const notOurs = (dir: string) =>
  new Trouble({ kind: 'worktree-failed', cause: `${dir} is not a worktree of ours` });
