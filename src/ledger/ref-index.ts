import { landingKey, landingsBelow } from '../merge/missing-landings.ts';
import { ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { RunId } from '../model/run.ts';
import type { TaskId } from '../model/task.ts';
import { outcomeOf } from '../model/trouble.ts';
import type { Git } from '../port/git.ts';

interface LandedAttempt {
  readonly task: TaskId;
  readonly attempt: number;
  readonly runs: readonly RunId[];
}

/**
 * Finds refs that contain a commit. Uses one listing of all refs, so a concurrent move is seen either before or after.
 */
export class RefIndex {
  readonly #git: Git;
  readonly #refs: ReadonlyMap<string, string>;
  readonly #histories = new Map<string, History>();
  readonly #landings = new Map<string, ReturnType<typeof landingsBelow>>();

  private constructor(git: Git, refs: ReadonlyMap<string, string>) {
    this.#git = git;
    this.#refs = refs;
  }

  static async of(git: Git): Promise<Result<RefIndex>> {
    const refs = await git.refs('refs/');
    return ok(new RefIndex(git, new Map(refs.map(({ ref, commit }) => [ref, commit]))));
  }

  at(ref: string): string | undefined {
    return this.#refs.get(ref);
  }

  /** Tip of a branch if it contains the commit. Cached for many questions about one branch. */
  async tipWith(branch: string, commit: string): Promise<string | undefined> {
    const tip = this.#refs.get(`refs/heads/${branch}`);
    if (tip === undefined) return undefined;
    const history = this.#histories.get(tip) ?? new History(this.#git, tip);
    this.#histories.set(tip, history);
    return (await history.has(commit)) ? tip : undefined;
  }

  /** Commit with which an attempt landed, as the messages of the branch's newest commits tell. */
  async landingOf(
    branch: string,
    { task, attempt, runs }: LandedAttempt,
  ): Promise<string | undefined> {
    const tip = this.#refs.get(`refs/heads/${branch}`);
    if (tip === undefined) return undefined;
    const known = this.#landings.get(tip) ?? landingsBelow(this.#git, tip);
    this.#landings.set(tip, known);
    const found = await known;
    if (!found.ok) return undefined;
    const landings = runs.map((run) => found.value.get(landingKey(run, task)));
    return landings.find((one) => one?.attempt === attempt)?.commit;
  }

  /** First of some refs that contains a commit; exact matches come first. */
  async among(refs: readonly string[], commit: string): Promise<string | undefined> {
    const exact = refs.find((ref) => this.#refs.get(ref) === commit);
    // Git cannot answer for a missing commit.
    if (exact !== undefined || !(await outcomeOf(this.#git.commit(commit))).ok) return exact;
    for (const ref of refs) {
      const tip = this.#refs.get(ref);
      const inside =
        tip === undefined ? undefined : await outcomeOf(this.#git.isAncestor(commit, tip));
      // A ref may point to something that is no commit.
      if (inside?.ok === true && inside.value) return ref;
    }
    return undefined;
  }

  below(prefix: string): readonly string[] {
    return [...this.#refs.keys()].filter((ref) => ref.startsWith(prefix));
  }

  any(commit: string): Promise<string | undefined> {
    return this.among([...this.#refs.keys()], commit);
  }
}

/** Ancestors of a commit, newest first. All questions share one walk; beyond its bound git is asked. */
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
    // Iterating a Set also visits entries added on the way.
    this.#queue = this.#seen.values();
  }

  async has(commit: string): Promise<boolean> {
    while (!this.#seen.has(commit) && !this.#isWhole && this.#steps < limits.reachSteps) {
      await this.#step();
    }
    if (this.#seen.has(commit) || this.#isWhole) return this.#seen.has(commit);
    const found = await outcomeOf(this.#git.isAncestor(commit, this.#tip));
    return found.ok && found.value;
  }

  async #step(): Promise<void> {
    this.#steps += 1;
    const next = this.#queue.next();
    this.#isWhole = next.done === true;
    if (next.done === true) return;
    const found = await outcomeOf(this.#git.commit(next.value));
    // In a shallow clone a parent may be missing.
    if (found.ok) for (const parent of found.value.parents) this.#seen.add(parent);
  }
}
