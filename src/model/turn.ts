import type { Failure } from './failure.ts';
import type { TaskId } from './task.ts';

/**
 * How an agent says its turn ends. If it says several things, the first member of this list wins; `gave-up` becomes a
 * failure.
 */
export type EndSignal =
  | { readonly id: 'complete' }
  | { readonly id: 'gave-up'; readonly message: string }
  | { readonly id: 'ask'; readonly question: string }
  | { readonly id: 'claim'; readonly ids: readonly TaskId[] }
  | { readonly id: 'nothing' };

/** What an agent reports with `ym agent …` during a turn. */
export type AgentCall =
  | Exclude<EndSignal, { id: 'nothing' }>
  /** A note worth keeping: a decision, a finding, the progress. */
  | { readonly id: 'report'; readonly about: string; readonly text: string }
  | { readonly id: 'next'; readonly ids: readonly TaskId[] };

/** Work that an agent found and proposes as a task of its own. */
export interface FollowUp {
  readonly title: string;
  readonly body?: string;
  readonly type?: string;
  readonly priority?: number;
}

/** Exit facts of one agent process. `tail` holds the last bytes of its output. */
export type TurnResult =
  /** `signal` is absent for agents whose exit alone ends the turn. */
  | (TurnFacts & {
      readonly ok: true;
      readonly tail: string;
      readonly signal?: EndSignal;
      /** Failed tool calls, one line each, if the agent's stream reports them. */
      readonly failed?: readonly string[];
    })
  | (TurnFacts & { readonly ok: false; readonly failure: Failure });

export interface TurnFacts {
  readonly usage?: Usage;
  /** Conversation id, as the agent reported or accepted it. */
  readonly session?: string;
  /** Model that answered, if the agent reports it. */
  readonly model?: string;
  /** Tasks that the agent suggests to run next, in parallel. */
  readonly next?: readonly TaskId[];
  readonly followUps?: readonly FollowUp[];
  /** End of the last message, for one-shot calls only; protocol lines in it have no effect. */
  readonly answer?: string;
}

/** Tokens of one turn. `input` excludes tokens read from or written to a cache. */
export interface Usage {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly costUsd?: number;
}

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
