import type { PlannerSpend } from '../model/batch.ts';
import { troubleOf } from '../model/fault.ts';
import {
  type AttemptRecord,
  type CallRecord,
  endedAt,
  type Outcome,
  type RunHistory,
  type TurnRecord,
} from '../model/history.ts';
import type { RunRecord } from '../model/run-record.ts';
import {
  amount,
  count,
  described,
  either,
  list,
  type ObjectOf,
  type Of,
  object,
  optional,
  text,
  words,
} from '../model/shape.ts';
import type { TaskId } from '../model/task.ts';
import { tokensOf, type Usage } from '../model/turn.ts';
import { outcomeOfEnd } from './attempt-history.ts';

const spendNumbers = {
  turns: count,
  landed: count,
  input: count,
  cacheRead: count,
  cacheWrite: count,
  output: count,
  total: count,
  costUsd: amount,
  /** Turns whose agent reported usage. */
  metered: count,
  /** Turns whose cost is known; `costUsd` is of these. */
  priced: count,
};
/** Use and results of some turns. */
export const SpendNumbers = object(spendNumbers);
export type SpendNumbers = Of<typeof SpendNumbers>;

/** `null` is the agent's default model. `reported`: the model was passed to no turn, an agent named it. */
const ModelSpend = object({
  model: either(text, words(null)),
  reported: optional(words(true)),
  ...spendNumbers,
});
type ModelSpend = Of<typeof ModelSpend>;
export type TaskSpend = SpendNumbers & { readonly task: TaskId };
type SlotSpend = SpendNumbers & { readonly slot: number };

/** Rows are in order of first use; the totals are the sum of each list. */
export const Spend = object({
  totals: SpendNumbers,
  /** Absent if no turn has a model. */
  byModel: optional(list(ModelSpend)),
  byAgent: list(object({ agent: text, ...spendNumbers })),
});
export type Spend = Of<typeof Spend>;

/** Interruptions of the agents of a run. Empty parts are absent. */
export const incidents = {
  /** Refusals of accounts for quota or rate, and the time in which nothing of them started. */
  pauses: optional(object({ count, ms: count })),
  /** Turns that ended without an end signal. */
  silentTurns: optional(count),
  /** Turns repeated because the service behind the agent failed. */
  providerRetries: optional(count),
  prefixes: optional(
    described(
      'Versions of the common part that the prompts of each agent begin with. Services cache it while it is unchanged; each new version is paid uncached.',
      list(object({ agent: text, variants: count })),
    ),
  ),
};
export type Incidents = ObjectOf<typeof incidents>;

/** Work of one slot. `busyMs` is the time of its turns and one-shot calls. */
export interface SlotNumbers {
  readonly attempts: number;
  readonly turns: number;
  readonly landed: number;
  readonly failed: number;
  readonly busyMs: number;
}

type SlotTotals = SlotNumbers & { readonly delivered: number };

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };
type Numbers = Mutable<SpendNumbers>;

/** Outcomes that are neither a success nor a failure of the slot. */
const unjudged: readonly Outcome[] = [
  'planned',
  'tested',
  'superseded',
  'interrupted',
  'incomplete',
];

/**
 * Sums over the attempts of one run. Replacing one attempt costs the same however many there are, so that the files of a
 * run can be kept up to date.
 */
export class RunTotals {
  readonly #all = zero();
  readonly #models = new Map<string | null, Numbers>();
  readonly #passedModels = new Counter();
  readonly #agents = new Map<string, Numbers>();
  readonly #tasks = new Map<TaskId, Numbers>();
  readonly #slots = new Map<number, Mutable<SlotTotals>>();
  readonly #slotSpend = new Map<number, Numbers>();
  readonly #prefixes = new Map<string, Counter>();
  #silent = 0;
  #retries = 0;
  readonly #until: number | undefined;

  /** `until` is the end of turns that have no recorded end; without it they take no time. */
  constructor(attempts: readonly AttemptRecord[] = [], until?: number) {
    this.#until = until;
    for (const attempt of attempts) this.replace(undefined, attempt);
  }

  /** Counts an attempt instead of its record `before`. */
  replace(before: AttemptRecord | undefined, now: AttemptRecord): void {
    if (before !== undefined) this.#add(before, -1);
    this.#add(now, 1);
    // The agent reported another model than the one it was passed.
    for (const [model, row] of this.#models) if (isEmpty(row)) this.#models.delete(model);
  }

  /** Undefined if neither a model nor the usage of a turn is known. */
  spend(): Spend | undefined {
    const { byModel, ...sums } = this.sums();
    const isNamed = byModel.some(({ model, turns }) => model !== null && turns > 0);
    if (!isNamed && this.#all.metered === 0) return undefined;
    return { ...sums, ...(isNamed ? { byModel } : {}) };
  }

  /** The sums whether or not usage is known. */
  sums(): Required<Spend> {
    return {
      totals: rounded(this.#all),
      byModel: rowsOf(this.#models).map(([model, numbers]): ModelSpend => {
        const isReported = model !== null && !this.#passedModels.has(model);
        return { model, ...(isReported ? { reported: true } : {}), ...numbers };
      }),
      byAgent: rowsOf(this.#agents).map(([agent, numbers]) => ({ agent, ...numbers })),
    };
  }

  bySlot(): readonly SlotSpend[] {
    return rowsOf(this.#slotSpend).map(([slot, numbers]) => ({ slot, ...numbers }));
  }

  byTask(): readonly TaskSpend[] {
    return rowsOf(this.#tasks).map(([task, numbers]) => ({ task, ...numbers }));
  }

  /** `now` ends the pauses that go on. */
  incidents(history: RunHistory | undefined, now: number): Incidents {
    const { count = 0, ms = 0, since = {} } = history?.pauses ?? {};
    const open = Object.values(since).reduce((sum, at) => sum + Math.max(0, now - at), 0);
    const prefixes = [...this.#prefixes].flatMap(([agent, { size }]) =>
      size === 0 ? [] : [{ agent, variants: size }],
    );
    return {
      ...(count === 0 ? {} : { pauses: { count, ms: ms + open } }),
      ...(this.#silent === 0 ? {} : { silentTurns: this.#silent }),
      ...(this.#retries === 0 ? {} : { providerRetries: this.#retries }),
      ...(prefixes.length === 0 ? {} : { prefixes }),
    };
  }

  slot(number: number): SlotTotals {
    return { ...this.#slot(number) };
  }

  /** Slots that were used, in order. */
  usedSlots(): readonly number[] {
    return [...this.#slots.keys()].sort((a, b) => a - b);
  }

  #add(record: AttemptRecord, sign: 1 | -1): void {
    const own = this.#slot(record.slot);
    own.attempts += sign;
    const outcome = outcomeOfEnd(record.end);
    if (outcome === 'landed' || outcome === 'delivered') own[outcome] += sign;
    else if (!unjudged.includes(outcome)) own.failed += sign;
    const inOrder = [...record.turns, ...record.calls].sort((a, b) => a.startedAt - b.startedAt);
    for (const one of inOrder) {
      if ('turn' in one) this.#addTurn(record, one, sign);
      else this.#addCall(record, one, sign);
    }
    this.#retries += sign * record.turns.slice(0, -1).filter(wasCut).length;
    if (record.end.id !== 'landed' && record.end.id !== 'delivered') return;
    const last = record.turns.at(-1);
    const [agent, model] = [last?.agent ?? record.agent, last === undefined ? null : modelOf(last)];
    // The task of a variant lands with it, like a co-claimed one; both count once.
    const landed = record.variantOf === undefined ? [record.task] : [];
    for (const task of [...landed, ...record.end.coClaims]) {
      for (const row of this.#rows({ task, agent, model, slot: record.slot })) row.landed += sign;
    }
  }

  #addTurn(record: AttemptRecord, turn: TurnRecord, sign: 1 | -1): void {
    const { agent, slot, startedAt, end } = turn;
    const used = this.#slot(slot);
    used.turns += sign;
    used.busyMs += sign * this.#span(startedAt, end?.at, record);
    if (turn.model !== undefined) this.#passedModels.add(turn.model, sign);
    for (const row of this.#rows({ task: record.task, agent, model: modelOf(turn), slot })) {
      addTurn(row, end?.usage, sign);
    }
    if (end?.signal === 'nothing' && !turn.reported) this.#silent += sign;
    if (turn.prefix === undefined) return;
    const known = this.#prefixes.get(agent) ?? new Counter();
    this.#prefixes.set(agent, known);
    known.add(turn.prefix, sign);
  }

  #addCall(record: AttemptRecord, call: CallRecord, sign: 1 | -1): void {
    const { agent, model, end, slot, startedAt } = call;
    this.#slot(slot).busyMs += sign * this.#span(startedAt, end?.at, record);
    if (model !== undefined) this.#passedModels.add(model, sign);
    if (end === undefined) return;
    const taken = { task: record.task, agent, model: end.model ?? model ?? null, slot };
    for (const row of this.#rows(taken)) addTurn(row, end.usage, sign);
  }

  #span(from: number, to: number | undefined, record: AttemptRecord): number {
    const end = to ?? (this.#until === undefined ? from : (endedAt(record) ?? this.#until));
    return Math.max(0, end - from);
  }

  #slot(number: number): Mutable<SlotTotals> {
    const known = this.#slots.get(number);
    if (known !== undefined) return known;
    const fresh = { attempts: 0, turns: 0, landed: 0, delivered: 0, failed: 0, busyMs: 0 };
    this.#slots.set(number, fresh);
    return fresh;
  }

  #rows({ task, agent, model, slot }: Spender): Numbers[] {
    return [
      this.#all,
      rowOf(this.#slotSpend, slot),
      rowOf(this.#models, model),
      rowOf(this.#agents, agent),
      rowOf(this.#tasks, task),
    ];
  }
}

/** Rows that a turn or a call counts for. */
interface Spender {
  readonly task: TaskId;
  readonly agent: string;
  readonly model: string | null;
  readonly slot: number;
}

/** Calls of a run that belong to no attempt: of the planner, and for revisions of the plan. */
export function plannerCalls({
  batches,
  revisions,
}: Pick<RunRecord, 'batches' | 'revisions'>): readonly PlannerSpend[] {
  return [...(batches?.spent ?? []), ...(revisions?.spent ?? [])];
}

/** Adds the calls that belong to no attempt. Undefined if no usage and no model is known. */
export function withPlanner(
  spend: Spend | undefined,
  calls: readonly PlannerSpend[],
): Spend | undefined {
  return calls.reduce<Spend | undefined>((sum, call) => {
    const { agent, model = null, usage } = call;
    if (sum === undefined && usage === undefined) return sum;
    const own = plannerNumbers([call]);
    const before = sum ?? { totals: zero(), byAgent: [] };
    const byModel =
      before.byModel ?? (model === null ? undefined : [{ model: null, ...before.totals }]);
    return {
      totals: added(before.totals, own),
      byAgent: withRow(before.byAgent, (row) => row.agent === agent, { agent, ...own }),
      ...(byModel === undefined
        ? {}
        : { byModel: withRow(byModel, (row) => row.model === model, { model, ...own }) }),
    };
  }, spend);
}

export function plannerNumbers(calls: readonly PlannerSpend[]): SpendNumbers {
  return calls.reduce<SpendNumbers>((sum, { calls: turns, usage }) => {
    const own = zero();
    addTurn(own, usage, 1);
    const metered = usage === undefined ? 0 : turns;
    const priced = usage?.costUsd === undefined ? 0 : turns;
    return added(sum, { ...own, turns, metered, priced });
  }, zero());
}

function withRow<Row extends SpendNumbers>(
  rows: readonly Row[],
  isOwn: (row: Row) => boolean,
  own: Row,
): readonly Row[] {
  const known = rows.some(isOwn);
  return known
    ? rows.map((row) => (isOwn(row) ? { ...row, ...added(row, own) } : row))
    : [...rows.filter((row) => !isEmpty(row)), own];
}

function added(a: SpendNumbers, b: SpendNumbers): SpendNumbers {
  const keys = Object.keys(spendNumbers) as (keyof SpendNumbers)[];
  return rounded(Object.fromEntries(keys.map((key) => [key, a[key] + b[key]])) as Numbers);
}

/** Model that took a turn: the one its agent reported, else the one that was passed. */
export function modelOf({ model, end }: TurnRecord): string | null {
  return end?.model ?? model ?? null;
}

/** Sum of an attempt's turns and calls; undefined if none reported usage. */
export function spendOf(record: AttemptRecord): SpendNumbers | undefined {
  const totals = new RunTotals([record]).spend()?.totals;
  return totals === undefined || totals.metered === 0 ? undefined : totals;
}

/** True if the service behind the agent cut the turn short, so that the next one repeats it. */
function wasCut({ end, failure }: TurnRecord): boolean {
  if (end === undefined || failure === undefined) return false;
  const trouble = troubleOf(failure);
  return trouble === 'hiccup' || trouble === 'renew' || failure.kind === 'context-overflow';
}

/** Counts values; one that was taken back as often as it was added is not there. */
class Counter {
  readonly #counts = new Map<string, number>();

  add(value: string, times: number): void {
    const count = (this.#counts.get(value) ?? 0) + times;
    if (count === 0) this.#counts.delete(value);
    else this.#counts.set(value, count);
  }

  has(value: string): boolean {
    return this.#counts.has(value);
  }

  get size(): number {
    return this.#counts.size;
  }
}

function zero(): Numbers {
  return Object.fromEntries(Object.keys(spendNumbers).map((key) => [key, 0])) as Numbers;
}

function rowOf<Key>(rows: Map<Key, Numbers>, key: Key): Numbers {
  const row = rows.get(key) ?? zero();
  rows.set(key, row);
  return row;
}

/** True for a row of records that were replaced. */
function isEmpty({ turns, landed }: Numbers): boolean {
  return turns === 0 && landed === 0;
}

function rowsOf<Key>(rows: ReadonlyMap<Key, Numbers>): [Key, SpendNumbers][] {
  return [...rows].flatMap(([key, row]) => (isEmpty(row) ? [] : [[key, rounded(row)]]));
}

/** Without the rounding errors of adding and taking back. */
function rounded(numbers: Numbers): SpendNumbers {
  return { ...numbers, costUsd: Math.round(numbers.costUsd * 1e9) / 1e9 };
}

function addTurn(numbers: Numbers, usage: Usage | undefined, sign: 1 | -1): void {
  numbers.turns += sign;
  if (usage === undefined) return;
  numbers.input += sign * usage.input;
  numbers.cacheRead += sign * usage.cacheRead;
  numbers.cacheWrite += sign * usage.cacheWrite;
  numbers.output += sign * usage.output;
  numbers.total += sign * tokensOf(usage);
  numbers.metered += sign;
  if (usage.costUsd === undefined) return;
  numbers.costUsd += sign * usage.costUsd;
  numbers.priced += sign;
}
