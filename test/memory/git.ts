import type { Unmarked } from '../../src/model/attempt.ts';
import { fail, ok, type Result } from '../../src/model/failure.ts';
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
  WorktreeStatus,
} from '../../src/port/git.ts';
import { reaches } from './git-history.ts';
import { mergeCommits, wholeSides } from './git-merge.ts';
import { failed, MemoryReading } from './git-reading.ts';
import {
  type Checkout,
  differences,
  isKept,
  order,
  setOrDelete,
  type Tree,
  withIgnored,
  withoutIgnored,
} from './git-trees.ts';

export interface MemoryGitOptions {
  readonly root?: string;
  readonly branch?: string;
  readonly files?: Readonly<Record<string, string>>;
  /** Absent in a repository where nobody has said who commits. */
  readonly identity?: string | undefined;
  /** Names of empty repositories to push to. */
  readonly remotes?: readonly string[];
}

/**
 * Git without git: commits, refs and checkouts as maps, ids made from contents, so the same steps give the same ids.
 * Merging knows whole files only. Paths that a line of `.gitignore` names, or that lie below it, are ignored.
 */
export class MemoryGit extends MemoryReading implements Git {
  readonly root: string;
  /** Commits with the branch they were made on. */
  readonly #made = new Set<string>();
  readonly #remotes: ReadonlyMap<string, Map<string, string>>;
  readonly #refs = new Map<string, string>();
  readonly #checkouts = new Map<string, Checkout>();
  readonly #identity: string | undefined;

  constructor(options: MemoryGitOptions = {}) {
    super();
    this.root = options.root ?? '/repo';
    const branch = options.branch ?? 'main';
    this.#identity = 'identity' in options ? options.identity : 'Memory <memory@example.invalid>';
    const files = new Map(Object.entries(options.files ?? {}));
    this.#remotes = new Map((options.remotes ?? []).map((name) => [name, new Map()]));
    this.#checkouts.set(this.root, { dir: this.root, branch, detached: undefined, files });
    if (options.files === undefined) return;
    this.#refs.set(`refs/heads/${branch}`, this.objects.store(files, [], 'start'));
  }

  // File operations of a user, agent or gate.

  write(dir: string, path: string, content: string): void {
    const checkout = this.#need(dir);
    checkout.files = new Map(checkout.files).set(path, content);
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
    const refs = this.#remotes.get(name);
    if (refs === undefined) throw new Error(`There is no remote ${name}.`);
    return refs;
  }

  // The port.

  async inspect(): Promise<Result<Repository>> {
    const { branch } = this.#need(this.root);
    const head = this.#headOf(this.#need(this.root));
    return ok({
      root: this.root,
      commonDir: `${this.root}/.git`,
      bare: false,
      shallow: false,
      ...(branch === undefined ? {} : { branch }),
      ...(head === undefined ? {} : { head }),
    });
  }

  async identity(): Promise<Result<string>> {
    if (this.#identity === undefined) return fail({ kind: 'no-identity', missing: 'user.name' });
    return ok(this.#identity);
  }

  async resolve(revision: string): Promise<Result<string | undefined>> {
    return ok(this.find(revision));
  }

  async refs(prefix: string): Promise<Result<readonly { ref: string; commit: string }[]>> {
    const below = `${prefix.replace(/\/+$/, '')}/`;
    const found = [...this.#refs].filter(([ref]) => ref.startsWith(below));
    return ok(found.map(([ref, commit]) => ({ ref, commit })).sort((a, b) => order(a.ref, b.ref)));
  }

  async checkoutOf(branch: string): Promise<Result<string | undefined>> {
    return ok([...this.#checkouts.values()].find((checkout) => checkout.branch === branch)?.dir);
  }

  async addWorktree(
    dir: string,
    commit: string,
    { empty } = { empty: false },
  ): Promise<Result<void>> {
    const target = this.objects.commits.get(this.find(commit) ?? '');
    if (target === undefined) return failed('addWorktree', `${commit} names no commit`);
    if (dir === this.root) return failed('addWorktree', `${dir} contains the repository itself`);
    const there = this.#checkouts.get(dir);
    if (there !== undefined && this.#isDirty(there)) {
      return fail({ kind: 'worktree-failed', cause: `${dir} has uncommitted changes` });
    }
    const files = empty ? nothing : target.files;
    this.#checkouts.set(dir, { dir, branch: undefined, detached: target.commit, files });
    return ok(undefined);
  }

  async removeWorktree(dir: string): Promise<Result<void>> {
    if (dir === this.root) return failed('removeWorktree', `${dir} contains the repository itself`);
    this.#checkouts.delete(dir);
    return ok(undefined);
  }

  async worktrees(): Promise<Result<readonly string[]>> {
    return ok([...this.#checkouts.keys()].filter((dir) => dir !== this.root).sort(order));
  }

  async point(dir: string, commit: string, branch?: string): Promise<Result<void>> {
    const checkout = this.#checkouts.get(dir);
    const target = this.objects.commits.get(this.find(commit) ?? '');
    if (checkout === undefined || dir === this.root) return notOurs(dir);
    if (target === undefined) return failed('point', `${commit} names no commit`);
    if (branch !== undefined) {
      const at = this.#refs.get(`refs/heads/${branch}`);
      const holder = [...this.#checkouts.values()].find((other) => other.branch === branch);
      const free = at === undefined || (at === target.commit && holder === undefined);
      if (!free && holder !== checkout) {
        return fail({ kind: 'branch-exists', branch, run: branch.split('/')[1] ?? '' });
      }
      this.#refs.set(`refs/heads/${branch}`, target.commit);
    }
    checkout.branch = branch;
    checkout.detached = branch === undefined ? target.commit : undefined;
    checkout.files = withIgnored(target.files, checkout.files);
    checkout.merging = undefined;
    return ok(undefined);
  }

  async status(dir: string): Promise<Result<WorktreeStatus>> {
    const checkout = this.#checkouts.get(dir);
    if (checkout === undefined) return notOurs(dir);
    const head = this.#headOf(checkout);
    if (head === undefined) return failed('status', `${dir} is on a branch without a commit`);
    const dirty = this.#isDirty(checkout);
    return ok(
      checkout.branch === undefined ? { head, dirty } : { head, branch: checkout.branch, dirty },
    );
  }

  async commitAll(dir: string, message: string, branch?: string): Promise<Result<string>> {
    const checkout = this.#checkouts.get(dir);
    if (checkout === undefined || dir === this.root) return notOurs(dir);
    const head = this.#headOf(checkout);
    if (head === undefined) return failed('commitAll', `${dir} is on a branch without a commit`);
    if (checkout.branch !== branch) {
      checkout.branch = undefined;
      checkout.detached = head;
    }
    const { merging } = checkout;
    if (merging === undefined && !this.#isDirty(checkout)) return ok(head);
    const parents = merging === undefined ? [head] : [head, merging.commit];
    const made = this.objects.store(this.#tracked(checkout), parents, message);
    checkout.merging = undefined;
    if (checkout.branch !== undefined) this.#made.add(`${checkout.branch} ${made}`);
    this.#moveHead(checkout, made);
    return ok(made);
  }

  async exactly(dir: string, commit: string, keep: Keep): Promise<Result<void>> {
    const before = this.#checkouts.get(dir)?.files ?? nothing;
    const pointed = await this.point(dir, commit);
    if (!pointed.ok) return pointed;
    const tree = this.tree(this.find(commit) ?? '');
    const stay = [...before].filter(([path]) => !tree.has(path) && isKept(keep, path));
    this.#need(dir).files = stay.length === 0 ? tree : new Map([...tree, ...stay]);
    return ok(undefined);
  }

  async differing(dir: string, commit: string): Promise<Result<readonly string[]>> {
    const tree = this.tree(this.find(commit) ?? '');
    return ok(differences(tree, this.#need(dir).files).filter((path) => tree.has(path)));
  }

  async untracked(dir: string): Promise<Result<readonly string[]>> {
    const tree = this.tree(this.#headOf(this.#need(dir)) ?? '');
    return ok([...this.#need(dir).files.keys()].filter((path) => !tree.has(path)));
  }

  async setAside(dir: string): Promise<Result<readonly string[]>> {
    const checkout = this.#need(dir);
    checkout.files = this.tree(this.#headOf(checkout) ?? '');
    return ok([]);
  }

  async wasMadeOn(branch: string, commit: string): Promise<Result<boolean>> {
    return ok(this.#made.has(`${branch} ${commit}`));
  }

  async beginMerge(dir: string, commit: string): Promise<Result<Merge>> {
    const checkout = this.#checkouts.get(dir);
    if (checkout === undefined || dir === this.root) return notOurs(dir);
    const [ours, theirs] = [this.#headOf(checkout), this.find(commit)];
    if (ours === undefined || theirs === undefined) return failed('beginMerge', 'no such commit');
    const { outcome, files } = mergeCommits(this.objects, ours, theirs);
    if (checkout.merging?.commit === theirs) return ok(outcome);
    const ineligible = checkout.merging !== undefined || checkout.files === nothing;
    if (ineligible || this.#isDirty(checkout)) {
      return fail({ kind: 'worktree-failed', cause: `${dir} is not fit for a merge` });
    }
    if (outcome.id === 'unrelated' || reaches(this.objects.commits, ours, theirs))
      return ok(outcome);
    const staged = differences(this.tree(ours), files).length > 0 || outcome.id === 'conflict';
    checkout.merging = { commit: theirs, staged };
    checkout.files = withIgnored(files, checkout.files);
    return ok(outcome);
  }

  async unmarked(dir: string): Promise<Result<readonly Unmarked[]>> {
    const { merging, files } = this.#need(dir);
    const ours = this.#headOf(this.#need(dir)) ?? '';
    return ok(merging === undefined ? [] : wholeSides(this.objects, ours, merging.commit, files));
  }

  async commitTree(
    tree: string,
    parents: readonly string[],
    message: string,
  ): Promise<Result<string>> {
    const files = this.objects.tree(tree);
    if (files === undefined) return failed('commitTree', `${tree} is no tree`);
    const missing = parents.find((parent) => !this.objects.commits.has(parent));
    if (missing !== undefined) return failed('commitTree', `${missing} names no commit`);
    return ok(this.objects.store(files, parents, message));
  }

  async moveRefs(moves: readonly RefMove[]): Promise<Result<RefResult>> {
    if (moves.every(({ ref, to }) => this.#refs.get(ref) === to)) return ok({ id: 'moved' });
    for (const { ref, from, to } of moves) {
      const at = this.#refs.get(ref);
      if (from !== undefined && at !== (from ?? undefined)) {
        return ok({ id: 'stale', detail: `${ref} is at ${at ?? 'nothing'}` });
      }
      if (to !== undefined && !this.objects.commits.has(to))
        return failed('moveRefs', `no commit ${to}`);
      const clash = [...this.#refs.keys()].find(
        (other) => other.startsWith(`${ref}/`) || ref.startsWith(`${other}/`),
      );
      if (to !== undefined && clash !== undefined) return failed('moveRefs', `${clash} exists`);
    }
    for (const { ref, to } of moves) to === undefined ? this.#delete(ref) : this.#refs.set(ref, to);
    return ok({ id: 'moved' });
  }

  async fastForward(dir: string, branch: string, commit: string): Promise<Result<FastForward>> {
    const checkout = this.#checkouts.get(dir);
    const ref = `refs/heads/${branch}`;
    const at = this.#refs.get(ref);
    const target = this.objects.commits.get(commit);
    if (target === undefined || at === undefined) return failed('fastForward', 'no such commit');
    if (checkout?.branch !== branch) {
      return ok({ id: 'refused', cause: `${dir} is no longer on ${branch}` });
    }
    if (reaches(this.objects.commits, at, commit)) return ok({ id: 'moved' });
    if (!reaches(this.objects.commits, commit, at)) return ok({ id: 'diverged' });
    const before = this.tree(at);
    const changed = differences(before, target.files);
    const inTheWay = changed.filter((path) => checkout.files.get(path) !== before.get(path));
    if (inTheWay.length > 0) {
      return ok({ id: 'refused', cause: `would be overwritten: ${inTheWay.join(', ')}` });
    }
    const files = new Map(checkout.files);
    for (const path of changed) setOrDelete(files, path, target.files.get(path));
    checkout.files = files;
    this.#refs.set(ref, commit);
    return ok({ id: 'moved' });
  }

  async push(remote: string, moves: readonly RemoteMove[]): Promise<Result<Push>> {
    const refs = this.#remotes.get(remote);
    const ends = moves.map(({ from, to }) => ({ commit: this.find(from), to }));
    for (const { commit, to } of ends) {
      if (commit === undefined) return failed('push', 'no such commit');
      const at = refs?.get(to);
      const fits = at === undefined || reaches(this.objects.commits, commit, at);
      const cause = refs === undefined ? `there is no remote ${remote}` : `${to} is at ${at}`;
      if (refs === undefined || !fits || !to.startsWith('refs/'))
        return ok({ id: 'refused', cause });
    }
    for (const { commit, to } of ends) {
      if (commit === undefined) continue;
      refs?.set(to, commit);
      if (to.startsWith('refs/heads/'))
        this.#refs.set(to.replace('refs/heads', `refs/remotes/${remote}`), commit);
    }
    return ok({ id: 'pushed' });
  }

  async close(): Promise<void> {}

  #need(dir: string): Checkout {
    const checkout = this.#checkouts.get(dir);
    if (checkout === undefined) throw new Error(`There is no checkout at ${dir}.`);
    return checkout;
  }

  #headOf({ branch, detached }: Checkout): string | undefined {
    return branch === undefined ? detached : this.#refs.get(`refs/heads/${branch}`);
  }

  #moveHead(checkout: Checkout, commit: string): void {
    if (checkout.branch === undefined) checkout.detached = commit;
    else this.#refs.set(`refs/heads/${checkout.branch}`, commit);
  }

  #delete(ref: string): void {
    for (const checkout of this.#checkouts.values()) {
      if (checkout.dir === this.root || `refs/heads/${checkout.branch}` !== ref) continue;
      checkout.detached = this.#refs.get(ref) ?? checkout.detached;
      checkout.branch = checkout.detached === undefined ? checkout.branch : undefined;
    }
    this.#refs.delete(ref);
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
  fail({ kind: 'worktree-failed', cause: `${dir} is not a worktree of ours` } as const);
