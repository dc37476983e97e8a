// What the server plays, as data. A test writes scripts; nothing here knows an API.
import type { Fault } from './fault.ts';

/** Tokens of one answer. `output` contains `reasoning`; `input` leaves out both kinds of cached tokens. */
export interface Tokens {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly reasoning: number;
}

/** What the model does next in a turn. `say` beside a tool call is said before it. */
export type Step = (
  | { readonly say: string }
  /** A shell command, by the tool that the agent offers for it. */
  | { readonly run: string; readonly say?: string }
  /** A file, by the tool that the agent offers for writing one. */
  | { readonly write: { readonly path: string; readonly text: string }; readonly say?: string }
  /** A tool whose name ends so, such as one of an MCP server. */
  | {
      readonly use: string;
      readonly args: Readonly<Record<string, unknown>>;
      readonly say?: string;
    }
  | { readonly fault: Fault }
) & { readonly usage?: Partial<Tokens>; readonly delayMs?: number };

export interface Script {
  /**
   * One list of steps for each prompt of the conversation; the last list repeats, and so does the last step of a list.
   * Which one is played is counted in the request itself: prompts, and tool results since the last prompt. So tries
   * again, resumed conversations and agents side by side need no memory here, and a conversation that was not
   * resumed plays its first turn again.
   */
  readonly turns: readonly (readonly Step[])[];
  /** Played instead of `turns` where a prompt of the conversation contains the text; the first that fits. */
  readonly where?: readonly {
    readonly says: string;
    readonly turns: readonly (readonly Step[])[];
  }[];
  /** Faults by the number of the request, counted from 1 for each key; side requests are not counted. */
  readonly faults?: readonly {
    readonly from: number;
    /** How many requests it meets; all from there on where absent. */
    readonly times?: number;
    readonly fault: Fault;
  }[];
  /** Models that the server refuses as unknown; it answers for all others. */
  readonly unknownModels?: readonly string[];
  /** Further headers of every refusal, such as those by which an agent knows how soon it may ask again. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What each answer costs unless its step says otherwise. */
  readonly usage?: Partial<Tokens>;
}

/** Odd numbers, so that a sum of the wrong ones does not come out right by chance. */
export const defaultTokens: Tokens = {
  input: 1201,
  cacheRead: 8003,
  cacheWrite: 307,
  output: 47,
  reasoning: 11,
};

/** How far a conversation is, as its request tells. */
export interface Progress {
  readonly prompts: readonly string[];
  /** Since the last prompt. */
  readonly toolResults: number;
}

export function stepAt(script: Script, { prompts, toolResults }: Progress): Step {
  const found = script.where?.find(({ says }) => prompts.some((prompt) => prompt.includes(says)));
  const turns = found?.turns ?? script.turns;
  const steps = turns[Math.min(prompts.length, turns.length) - 1] ?? turns[0] ?? [];
  return steps[Math.min(toolResults, steps.length - 1)] ?? { say: 'Nothing more to do.' };
}

/** The fault for the `number`th request of a key. */
export function faultAt(script: Script, number: number): Fault | undefined {
  return script.faults?.find(
    ({ from, times = Number.POSITIVE_INFINITY }) => number >= from && number < from + times,
  )?.fault;
}
