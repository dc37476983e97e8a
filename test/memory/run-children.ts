// Processes of submitted runs, in memory.

import type { ProcessState } from '../../src/daemon/run-facts.ts';
import type { Submission } from '../../src/model/daemon.ts';
import { type Failure, fail, ok, type Result } from '../../src/model/failure.ts';
import type { Owner } from '../../src/model/run.ts';

export const ownerOf = (pid: number): Owner => ({ pid, startedAt: '1@machine/boot', host: 'here' });

/** Processes that only exist in the records of the test. */
export class Children {
  readonly started: { readonly number: number; readonly words: readonly string[] }[] = [];
  readonly environments: Readonly<Record<string, string | undefined>>[] = [];
  readonly terminated: number[] = [];
  readonly forgotten: number[] = [];
  readonly states = new Map<number, ProcessState>();
  refusal: Failure | undefined;

  async start(
    { number }: Submission,
    words: readonly string[],
    env: Readonly<Record<string, string | undefined>>,
  ): Promise<Result<Owner>> {
    if (this.refusal !== undefined) return fail(this.refusal);
    this.started.push({ number, words });
    this.environments.push(env);
    this.states.set(number, { id: 'alive' });
    return ok(ownerOf(100 * number + this.started.length));
  }

  state({ number, owner }: Pick<Submission, 'number' | 'owner'>): ProcessState {
    if (owner === undefined) return { id: 'gone' };
    return this.states.get(number) ?? { id: 'gone' };
  }

  output(number: number): string {
    return `output of ${number}`;
  }

  terminate({ pid }: Owner): void {
    this.terminated.push(pid);
  }

  forget(number: number): void {
    this.forgotten.push(number);
  }
}
