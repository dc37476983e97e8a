import { callKey } from '../model/call.ts';
import type { Event } from '../model/event.ts';
import {
  amount,
  count,
  either,
  list,
  type Of,
  object,
  optional,
  text,
  words,
} from '../model/shape.ts';
import type { TaskId } from '../model/task.ts';
import { tokensOf, type Usage } from '../model/turn.ts';

const spendNumbers = {
  turns: count,
  /** Tasks that landed by them. */
  landed: count,
  input: count,
  cacheRead: count,
  cacheWrite: count,
  output: count,
  /** Tokens of every kind. */
  total: count,
  costUsd: amount,
  /** Turns that said what they used. */
  metered: count,
  /** Turns whose cost is known; `costUsd` is of these. */
  priced: count,
};
/** What some turns used, and what came of them. */
export const SpendNumbers = object(spendNumbers);
export type SpendNumbers = Of<typeof SpendNumbers>;

/** `null` stands for whatever the agent uses when it is not told. `reported`: no turn was given it, an agent named it. */
const ModelSpend = object({
  model: either(text, words(null)),
  reported: optional(words(true)),
  ...spendNumbers,
});
export type ModelSpend = Of<typeof ModelSpend>;
export type AgentSpend = SpendNumbers & { readonly agent: string };
export type TaskSpend = SpendNumbers & { readonly task: TaskId };

/** Rows are in the order in which they were first seen, and the totals are the sum of each list of them. */
export const Spend = object({
  totals: SpendNumbers,
  /** Absent where no turn has a model. */
  byModel: optional(list(ModelSpend)),
  byAgent: list(object({ agent: text, ...spendNumbers })),
});
export type Spend = Of<typeof Spend>;

type Numbers = { -readonly [Key in keyof SpendNumbers]: number };

interface Seen {
  agent: string;
  /** Of the newest turn. */
  model: string | null;
  /** The newest turns that began and that ended. */
  begun: number;
  ended: number;
  readonly numbers: Numbers;
}

/**
 * Adds up what the turns of one run used, told by its events alone; each event costs the same however many there were. A
 * turn's model is the one its agent reports, else the one that was asked for.
 */
export class Tally {
  readonly #totals = zero();
  readonly #models = new Map<string | null, Numbers>();
  /** Models that were passed to agents. */
  readonly #passed = new Set<string>();
  readonly #agents = new Map<string, Numbers>();
  readonly #tasks = new Map<TaskId, Numbers>();
  readonly #attempts = new Map<string, Seen>();
  /** Models of running calls, and calls that have ended, by `callKey`. */
  readonly #callModels = new Map<string, string | null>();
  readonly #endedCalls = new Set<string>();

  on(event: Event): void {
    switch (event.type) {
      case 'attempt-started':
        this.#seen(event.id, event.attempt).agent = event.agent;
        return;
      case 'turn-started': {
        const seen = this.#seen(event.id, event.attempt);
        seen.agent = event.agent ?? seen.agent;
        if (event.model !== undefined) this.#passed.add(event.model);
        return this.#begin(event.id, seen, event.turn, event.model);
      }
      case 'turn-ended': {
        const seen = this.#seen(event.id, event.attempt);
        if (event.turn <= seen.ended) return;
        const { usage, model } = event.result;
        this.#begin(event.id, seen, event.turn, model);
        if (model !== undefined) this.#rename(seen, model);
        seen.ended = event.turn;
        for (const numbers of this.#rows(event.id, seen)) add(numbers, usage);
        return;
      }
      case 'call-started':
        if (event.model !== undefined) this.#passed.add(event.model);
        this.#callModels.set(callKey(event), event.model ?? null);
        return;
      case 'call-ended':
        return this.#call(event);
      case 'landed':
      case 'delivered':
        for (const { id, attempt, coClaims = [] } of event.entries) {
          const seen = this.#seen(id, attempt);
          for (const task of [id, ...coClaims]) {
            for (const numbers of this.#rows(task, seen)) numbers.landed += 1;
          }
        }
        return;
      default:
        return;
    }
  }

  /** Undefined where nothing is known of models and tokens, as in runs of older versions. */
  spend(): Spend | undefined {
    const byModel = [...this.#models].map(([model, numbers]): ModelSpend => {
      const isReported = model !== null && !this.#passed.has(model);
      return { model, ...(isReported ? { reported: true } : {}), ...numbers };
    });
    const named = byModel.some(({ model, turns }) => model !== null && turns > 0);
    if (!named && this.#totals.metered === 0) return undefined;
    return {
      totals: { ...this.#totals },
      ...(named ? { byModel } : {}),
      byAgent: [...this.#agents].map(([agent, numbers]) => ({ agent, ...numbers })),
    };
  }

  byTask(): readonly TaskSpend[] {
    return [...this.#tasks].map(([task, numbers]) => ({ task, ...numbers }));
  }

  /** What the turns of one attempt used, where one of them said so. */
  ofAttempt(task: TaskId, attempt: number): SpendNumbers | undefined {
    const numbers = this.#attempts.get(`${task} ${attempt}`)?.numbers;
    return numbers === undefined || numbers.metered === 0 ? undefined : { ...numbers };
  }

  /** The model of the newest turn of an attempt, where one is known. */
  modelOf(task: TaskId, attempt: number): string | undefined {
    return this.#attempts.get(`${task} ${attempt}`)?.model ?? undefined;
  }

  /** A one-shot call counts as a turn of its agent, for the task. */
  #call(event: Extract<Event, { type: 'call-ended' }>): void {
    const key = callKey(event);
    if (this.#endedCalls.has(key)) return;
    this.#endedCalls.add(key);
    const { id, attempt, call, result } = event;
    const model = result.model ?? this.#callModels.get(key) ?? null;
    this.#callModels.delete(key);
    const { numbers } = this.#seen(id, attempt);
    for (const row of this.#rows(id, { agent: call.agent, model, numbers })) {
      row.turns += 1;
      add(row, result.usage);
    }
  }

  #seen(task: TaskId, attempt: number): Seen {
    const key = `${task} ${attempt}`;
    const known = this.#attempts.get(key);
    if (known !== undefined) return known;
    const fresh: Seen = { agent: '', model: null, begun: 0, ended: 0, numbers: zero() };
    this.#attempts.set(key, fresh);
    return fresh;
  }

  #begin(task: TaskId, seen: Seen, turn: number, model: string | undefined): void {
    if (turn <= seen.begun) return;
    seen.begun = turn;
    seen.model = model ?? null;
    for (const numbers of this.#rows(task, seen)) numbers.turns += 1;
  }

  /** The turn under way moves to the row of the model that took it. */
  #rename(seen: Seen, model: string): void {
    if (seen.model === model) return;
    const asked = rowOf(this.#models, seen.model);
    asked.turns -= 1;
    if (asked.turns === 0 && asked.landed === 0) this.#models.delete(seen.model);
    seen.model = model;
    rowOf(this.#models, model).turns += 1;
  }

  #rows(task: TaskId, seen: Pick<Seen, 'agent' | 'model' | 'numbers'>): readonly Numbers[] {
    return [
      this.#totals,
      seen.numbers,
      rowOf(this.#models, seen.model),
      rowOf(this.#agents, seen.agent),
      rowOf(this.#tasks, task),
    ];
  }
}

function zero(): Numbers {
  return {
    turns: 0,
    landed: 0,
    input: 0,
    cacheRead: 0,
    cacheWrite: 0,
    output: 0,
    total: 0,
    costUsd: 0,
    metered: 0,
    priced: 0,
  };
}

function rowOf<Key>(rows: Map<Key, Numbers>, key: Key): Numbers {
  const known = rows.get(key);
  if (known !== undefined) return known;
  const fresh = zero();
  rows.set(key, fresh);
  return fresh;
}

function add(numbers: Numbers, usage: Usage | undefined): void {
  if (usage === undefined) return;
  numbers.input += usage.input;
  numbers.cacheRead += usage.cacheRead;
  numbers.cacheWrite += usage.cacheWrite;
  numbers.output += usage.output;
  numbers.total += tokensOf(usage);
  numbers.metered += 1;
  if (usage.costUsd === undefined) return;
  numbers.costUsd += usage.costUsd;
  numbers.priced += 1;
}
