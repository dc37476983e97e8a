import { Failure, failureFrom } from './failure.ts';
import { FoundNote } from './note.ts';
import {
  amount,
  count,
  int,
  list,
  names,
  type ObjectOf,
  type Of,
  object,
  optional,
  repaired,
  text,
  union,
} from './shape.ts';
import type { TaskId } from './task.ts';

const endings = {
  complete: {},
  'gave-up': { message: text },
  ask: { question: text },
  claim: { ids: names },
};

/**
 * Signal with which an agent ends its turn. If it gives several, the first member of this list wins; `gave-up` becomes a
 * failure.
 */
export const EndSignal = union('id', { ...endings, nothing: {} });
export type EndSignal = Of<typeof EndSignal>;

/** Report of an agent by `ym agent …` during a turn. */
export const AgentCall = union('id', {
  ...endings,
  /** A note worth keeping: a decision, a finding, the progress. */
  report: { about: text, text },
  next: { ids: names },
});
export type AgentCall = Of<typeof AgentCall>;

/** Work that an agent found and proposes as a task of its own. */
export const FollowUp = object({
  title: text,
  body: optional(text),
  type: optional(text),
  priority: optional(int),
});
export type FollowUp = Of<typeof FollowUp>;

/** Tokens of one turn. `input` excludes tokens read from or written to a cache. */
export const Usage = object({
  input: count,
  cacheRead: count,
  cacheWrite: count,
  output: count,
  costUsd: optional(amount),
});
export type Usage = Of<typeof Usage>;

const summaryFacts = {
  usage: optional(Usage),
  /** Model that answered, if the agent reports it. */
  model: optional(text),
  /** Tasks that the agent suggests to run next, in parallel. */
  next: optional(names),
  followUps: optional(list(FollowUp)),
  notes: optional(list(FoundNote)),
  /** Processes that outlived the agent, by pid and command, and what became of them. */
  survivors: optional(names),
};
export const turnFacts = {
  ...summaryFacts,
  /** Conversation id, as the agent reported or accepted it. */
  session: optional(text),
  /** End of the last message, for one-shot calls only; protocol lines in it have no effect. */
  answer: optional(text),
};
export type TurnFacts = ObjectOf<typeof turnFacts>;

export function failedResult(stored: unknown): { readonly ok: false; readonly failure: Failure } {
  return { ok: false, failure: failureFrom(stored) };
}

/** `signal` is absent for agents whose exit alone ends the turn. */
const endedWell = {
  signal: optional(EndSignal),
  /** Failed tool calls, one line each, if the agent's stream reports them. */
  failed: optional(names),
};

/** Exit facts of one agent process. `tail` holds the last bytes of its output. */
export const TurnResult = repaired(
  union('ok', {
    true: { ...turnFacts, tail: text, ...endedWell },
    false: { ...turnFacts, failure: Failure },
  }),
  failedResult,
);
export type TurnResult = Of<typeof TurnResult>;

/** Result of a turn without its output. */
export const TurnSummary = repaired(
  union('ok', {
    true: { ...summaryFacts, ...endedWell },
    false: { ...summaryFacts, failure: Failure },
  }),
  failedResult,
);
export type TurnSummary = Of<typeof TurnSummary>;

/** Adds two usages. The sum has a cost if at least one of them has. */
export function plus(a: Usage | undefined, b: Usage): Usage {
  if (a === undefined) return b;
  const usage = {
    input: a.input + b.input,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    output: a.output + b.output,
  };
  if (a.costUsd === undefined && b.costUsd === undefined) return usage;
  return { ...usage, costUsd: (a.costUsd ?? 0) + (b.costUsd ?? 0) };
}

/** Total that token budgets are compared with. */
export function tokensOf({ input, cacheRead, cacheWrite, output }: Usage): number {
  return input + cacheRead + cacheWrite + output;
}

/** One `ym agent …` call of an agent, as its run receives it. */
export type AgentRequest =
  | { readonly id: 'report'; readonly calls: readonly AgentCall[] }
  | { readonly id: 'claim'; readonly ids: readonly TaskId[] }
  | { readonly id: 'note'; readonly found: FoundNote }
  | { readonly id: 'follow-up'; readonly found: FollowUp; readonly after: readonly TaskId[] };

/** Answer to a request: lines for a person, and the same as a value for `--json`. */
export type AgentAnswer =
  | { readonly ok: true; readonly lines: readonly string[]; readonly value: object }
  | { readonly ok: false; readonly failures: readonly Failure[] };
