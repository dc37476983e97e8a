import { type CommandOf, keyOf } from '../model/command.ts';
import type { EventBody } from '../model/event.ts';

type Judge = CommandOf<'judge-candidate'>;

const none: ReadonlySet<string> = new Set();

/**
 * Workers that had an internal error while they judged a candidate. Such an error does not tell whether the worker or the
 * candidate causes it, so the run keeps the worker until another machine has judged the same candidate.
 */
export class GateErrors {
  readonly #workers = new Map<string, ReadonlySet<string>>();

  add(command: Judge, worker: string): void {
    this.#workers.set(keyOf(command), new Set([...this.#of(command), worker]));
  }

  /** True if the worker may judge the candidate: neither it nor too many others have failed with it. */
  allow(command: Judge, worker: string): boolean {
    const failed = this.#of(command);
    return failed.size < gateErrorsMax && !failed.has(worker);
  }

  #of(command: Judge): ReadonlySet<string> {
    return this.#workers.get(keyOf(command)) ?? none;
  }

  /** Returns the workers that are to blame, now that another machine has judged the candidate. */
  settle(command: Judge): ReadonlySet<string> {
    const found = this.#of(command);
    this.#workers.delete(keyOf(command));
    return found;
  }
}

/** After so many workers failed with the same candidate, the run judges it by itself. */
const gateErrorsMax = 2;

/** True if a candidate was judged: a gate that did not run tells nothing about it. */
export function isVerdict(event: EventBody): boolean {
  return event.type === 'candidate-judged' && event.verdict.id !== 'not-run';
}
