import type { Worktree } from '../model/attempt.ts';
import { ok, type Result } from '../model/failure.ts';
import type { Pool, Removal, RemovalProgress, RunPool } from './pool.ts';

/** Opens the pool of a run; pools of other runs can be joined to it. */
export async function joinedPool(
  run: string,
  open: (run: string) => Promise<Result<RunPool>>,
): Promise<Result<Pool>> {
  const own = await open(run);
  return own.ok ? ok(new JoinedPool(run, own.value, open)) : own;
}

/** Creates new worktrees in the run's own pool; worktrees of joined runs stay where they are. */
class JoinedPool implements Pool {
  readonly #run: string;
  readonly #own: RunPool;
  readonly #others = new Map<string, RunPool>();
  readonly #open: (run: string) => Promise<Result<RunPool>>;

  constructor(run: string, own: RunPool, open: (run: string) => Promise<Result<RunPool>>) {
    this.#run = run;
    this.#own = own;
    this.#open = open;
  }

  async join(run: string): Promise<Result<void>> {
    if (run === this.#run || this.#others.has(run)) return ok(undefined);
    const opened = await this.#open(run);
    if (!opened.ok) return opened;
    this.#others.set(run, opened.value);
    return ok(undefined);
  }

  take(key: string, commit?: string): Promise<Result<Worktree>> {
    return this.#of(key).take(key, commit);
  }

  give(key: string): Promise<Result<void>> {
    return this.#of(key).give(key);
  }

  held(): readonly { readonly key: string; readonly worktree: Worktree }[] {
    return [this.#own, ...this.#others.values()].flatMap((pool) => pool.held());
  }

  gateTree(slot?: number): Promise<Result<Worktree>> {
    return this.#own.gateTree(slot);
  }

  async removeAll(landed?: ReadonlySet<string>): Promise<Result<Removal>> {
    let all: Removal = { removed: [], saved: [], left: [] };
    for (const pool of [...this.#others.values(), this.#own]) {
      const done = await pool.removeAll(landed);
      if (!done.ok) return done;
      const { removed, saved, left } = done.value;
      all = {
        removed: [...all.removed, ...removed],
        saved: [...all.saved, ...saved],
        left: [...all.left, ...left],
      };
    }
    return ok(all);
  }

  removal(): RemovalProgress | undefined {
    const pools = [...this.#others.values(), this.#own];
    return pools.map((pool) => pool.removal()).find((one) => one !== undefined);
  }

  #of(key: string): RunPool {
    const holds = (pool: RunPool): boolean => pool.held().some((held) => held.key === key);
    return [...this.#others.values()].find(holds) ?? this.#own;
  }
}
