// What the server was asked and what it answered. Tests judge agents by it.
import type { ModelApi } from './api.ts';
import type { Fault } from './fault.ts';
import type { Tokens } from './script.ts';

/** One request to a model. */
export interface Entry {
  readonly at: number;
  readonly key: string;
  readonly scenario: string;
  readonly api: ModelApi['name'];
  readonly model: string;
  readonly stream: boolean;
  readonly reasoning?: string;
  /** Size of the request. */
  readonly bytes: number;
  /** Names of the tools that were offered. */
  readonly tools: readonly string[];
  /** Everything people said in the conversation so far; its length is the number of turns. */
  readonly prompts: readonly string[];
  readonly toolResults: number;
  readonly lastResult: string;
  /** Without tools: a title or the like, no part of the work. Plays no script, and its tokens are none. */
  readonly side: boolean;
  readonly answered: 'text' | 'call' | Fault['id'];
  /** What the answer reported; absent where there was none to report. */
  readonly usage?: Tokens;
}

/** A request that is for no model: a list of models, a sign of life, or something nobody foresaw. */
export interface Stray {
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

export const noTokens: Tokens = {
  input: 0,
  cacheRead: 0,
  cacheWrite: 0,
  output: 0,
  reasoning: 0,
};

export class Journal {
  readonly #entries: Entry[] = [];
  readonly #strays: Stray[] = [];
  readonly #counts = new Map<string, number>();

  /** The number of the next request of a key and scenario, from 1. */
  count(key: string, scenario: string): number {
    const name = `${scenario}/${key}`;
    const number = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, number);
    return number;
  }

  add(entry: Entry): void {
    this.#entries.push(entry);
  }

  addStray(stray: Stray): void {
    this.#strays.push(stray);
  }

  /** Every request to a model that is part of the work, oldest first. */
  requests(key?: string): readonly Entry[] {
    return this.#of(key).filter(({ side }) => !side);
  }

  side(key?: string): readonly Entry[] {
    return this.#of(key).filter(({ side }) => side);
  }

  strays(): readonly Stray[] {
    return this.#strays;
  }

  /** The prompts of the longest conversation of a key: how many turns the model has seen of one conversation. */
  turns(key: string): number {
    return Math.max(0, ...this.requests(key).map(({ prompts }) => prompts.length));
  }

  /** The sum of what was reported. */
  usage(key?: string): Tokens {
    return this.#of(key).reduce((sum, { usage }) => plus(sum, usage ?? noTokens), noTokens);
  }

  #of(key: string | undefined): readonly Entry[] {
    return key === undefined ? this.#entries : this.#entries.filter((entry) => entry.key === key);
  }
}

function plus(a: Tokens, b: Tokens): Tokens {
  return {
    input: a.input + b.input,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    output: a.output + b.output,
    reasoning: a.reasoning + b.reasoning,
  };
}
