import { fail, ok, type Result } from '../../src/model/failure.ts';
import type { Pull } from '../../src/model/run-record.ts';
import type { Forge, NumberedPull, PullRequest } from '../../src/port/forge.ts';

/** A forge without a network. Tests play the people who merge and close, and the machines that check. */
export class MemoryForge implements Forge {
  readonly #pulls = new Map<string, Pull & { readonly wish: PullRequest }>();
  #refusal: string | undefined;
  #calls = 0;

  /** Number of calls. */
  get calls(): number {
    return this.#calls;
  }

  wishOf(branch: string): PullRequest | undefined {
    return this.#pulls.get(branch)?.wish;
  }

  /** From now on everything is refused in these words, until it is called without. */
  refuse(cause?: string): void {
    this.#refusal = cause;
  }

  merge(branch: string, mergeCommit: string): void {
    this.#change(branch, { state: 'merged', mergeCommit });
  }

  close(branch: string): void {
    this.#change(branch, { state: 'closed' });
  }

  check(branch: string, checks: Pull['checks']): void {
    this.#change(branch, { checks });
  }

  async open(wish: PullRequest): Promise<Result<{ url: string; number: number }>> {
    this.#calls += 1;
    if (this.#refusal !== undefined) return this.#refused(this.#refusal);
    const known = this.#pulls.get(wish.branch);
    if (known !== undefined) return ok({ url: known.url, number: known.number });
    const number = this.#pulls.size + 1;
    const url = `https://forge.invalid/pull/${number}`;
    const { branch } = wish;
    this.#pulls.set(branch, { branch, number, url, state: 'open', checks: 'none', wish });
    return ok({ url, number });
  }

  async states(branches: readonly string[]): Promise<Result<readonly Pull[]>> {
    if (branches.length === 0) return ok([]);
    this.#calls += 1;
    if (this.#refusal !== undefined) return this.#refused(this.#refusal);
    return ok(
      branches.flatMap((branch) => {
        const found = this.#pulls.get(branch);
        if (found === undefined) return [];
        const { wish: _, ...state } = found;
        return [state];
      }),
    );
  }

  async numbered(numbers: readonly number[]): Promise<Result<readonly NumberedPull[]>> {
    if (numbers.length === 0) return ok([]);
    this.#calls += 1;
    if (this.#refusal !== undefined) return this.#refused(this.#refusal);
    return ok(
      [...this.#pulls.values()]
        .filter(({ number }) => numbers.includes(number))
        .map(({ number, state, mergeCommit, wish }) => ({
          number,
          state,
          base: wish.base,
          mergeCommit,
        })),
    );
  }

  #refused(cause: string): Result<never> {
    return fail({ kind: 'delivery-failed', how: 'pr', cause });
  }

  #change(branch: string, change: Partial<Pull>): void {
    const known = this.#pulls.get(branch);
    if (known !== undefined) this.#pulls.set(branch, { ...known, ...change });
  }
}
