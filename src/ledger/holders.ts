import type { Git } from '../git/git.ts';
import { ok, type Result } from '../model/failure.ts';
import { limits } from '../plan/limits.ts';

/**
 * Which refs of a repository have a commit. Everything is answered from one listing of the refs, so what moves while a
 * ledger is made up is seen either before or after.
 */
export class Holders {
  readonly #git: Git;
  readonly #refs: ReadonlyMap<string, string>;
  readonly #histories = new Map<string, History>();

  private constructor(git: Git, refs: ReadonlyMap<string, string>) {
    this.#git = git;
    this.#refs = refs;
  }

  static async of(git: Git): Promise<Result<Holders>> {
    const refs = await git.refs('refs/');
    if (!refs.ok) return refs;
    return ok(new Holders(git, new Map(refs.value.map(({ ref, commit }) => [ref, commit]))));
  }

  /** Where a ref is. */
  at(ref: string): string | undefined {
    return this.#refs.get(ref);
  }

  /** Where a branch is, if it has a commit. Made for many questions about one branch. */
  async tipWith(branch: string, commit: string): Promise<string | undefined> {
    const tip = this.#refs.get(`refs/heads/${branch}`);
    if (tip === undefined) return undefined;
    const history = this.#histories.get(tip) ?? new History(this.#git, tip);
    this.#histories.set(tip, history);
    return (await history.has(commit)) ? tip : undefined;
  }

  /** The first of some refs that has a commit: those that are exactly there before those that have it behind them. */
  async among(refs: readonly string[], commit: string): Promise<string | undefined> {
    const exact = refs.find((ref) => this.#refs.get(ref) === commit);
    // Git does not answer about what it does not have.
    if (exact !== undefined || !(await this.#git.commit(commit)).ok) return exact;
    for (const ref of refs) {
      const tip = this.#refs.get(ref);
      const inside = tip === undefined ? undefined : await this.#git.isAncestor(commit, tip);
      // A ref may name something that is no commit.
      if (inside?.ok === true && inside.value) return ref;
    }
    return undefined;
  }

  /** Refs whose names begin like this. */
  below(prefix: string): readonly string[] {
    return [...this.#refs.keys()].filter((ref) => ref.startsWith(prefix));
  }

  /** Any ref that has a commit. */
  any(commit: string): Promise<string | undefined> {
    return this.among([...this.#refs.keys()], commit);
  }
}

/**
 * The commits behind one, newest first. The walk back is shared by all questions, as most are about what came last; git
 * itself is asked where it has become long.
 */
class History {
  readonly #git: Git;
  readonly #tip: string;
  readonly #seen: Set<string>;
  readonly #queue: Iterator<string>;
  #steps = 0;
  #isWhole = false;

  constructor(git: Git, tip: string) {
    this.#git = git;
    this.#tip = tip;
    this.#seen = new Set([tip]);
    // A set that grows while it is walked is visited to its new end.
    this.#queue = this.#seen.values();
  }

  async has(commit: string): Promise<boolean> {
    while (!this.#seen.has(commit) && !this.#isWhole && this.#steps < limits.reachSteps) {
      await this.#step();
    }
    if (this.#seen.has(commit) || this.#isWhole) return this.#seen.has(commit);
    const found = await this.#git.isAncestor(commit, this.#tip);
    return found.ok && found.value;
  }

  async #step(): Promise<void> {
    this.#steps += 1;
    const next = this.#queue.next();
    this.#isWhole = next.done === true;
    if (next.done === true) return;
    const found = await this.#git.commit(next.value);
    // A shallow history ends somewhere.
    if (found.ok) for (const parent of found.value.parents) this.#seen.add(parent);
  }
}
