import type { Usage } from '../../model/attempt.ts';

/**
 * One line that the client prints: what the agent did, in one vocabulary whatever the agent. A stream holds at most one
 * `end` or `error`; after it only what came late may follow.
 */
export type ClientEvent =
  /** First: who answered, and how it can go on with a conversation. */
  | {
      readonly type: 'agent';
      readonly name?: string;
      readonly version?: string;
      readonly sessions: Sessions;
    }
  | { readonly type: 'session'; readonly id: string; readonly resumed: boolean }
  /** The model that answers from here on. */
  | { readonly type: 'model'; readonly id: string }
  /** A piece of what the agent says; `message` tells two messages apart where the agent names them. */
  | { readonly type: 'text'; readonly text: string; readonly message?: string }
  | { readonly type: 'thought'; readonly chars: number }
  | {
      readonly type: 'tool';
      readonly id: string;
      readonly title?: string;
      readonly kind?: string;
      readonly status?: string;
    }
  /** The agent repeats what a person said; what came before it is not its answer. */
  | { readonly type: 'user' }
  /** It asked for leave to use a tool; without `allowed` it offered no way to say yes. */
  | { readonly type: 'permission'; readonly tool: string; readonly allowed: boolean }
  /** It asked us for something that it did not get. */
  | { readonly type: 'refused'; readonly method: string; readonly cause: string }
  /** Tokens: of one `step`, which add up, or of the whole turn, which outranks them. */
  | {
      readonly type: 'usage';
      readonly scope: 'step' | 'turn';
      readonly usage: Usage;
      readonly model?: string;
    }
  /** What the conversation has cost so far; `before` the turn of ours began. */
  | { readonly type: 'cost'; readonly usd: number; readonly before: boolean }
  /** Anything else that shows the agent alive. */
  | { readonly type: 'other'; readonly what: string }
  /** Something a person who reads the log should know. */
  | { readonly type: 'note'; readonly text: string }
  /** The agent's process ended by itself before it had answered. */
  | { readonly type: 'gone'; readonly exit: number }
  /** We were told to stop; `cancelled`: the agent had time to end its turn in order. */
  | { readonly type: 'stopped'; readonly cancelled: boolean }
  | ClientError
  | { readonly type: 'end'; readonly stopReason: string };

export type Sessions = 'load' | 'resume' | 'none';

export interface ClientError {
  readonly type: 'error';
  readonly reason: ErrorReason;
  readonly message: string;
  /** The request that was answered with an error, and what the answer held. */
  readonly method?: string;
  readonly code?: number;
  readonly data?: unknown;
}

export type ErrorReason =
  /** The agent's command could not be started, or did not get ready in time. */
  | 'not-started'
  /** It speaks another version of the protocol. */
  | 'protocol'
  /** It cannot go on with a conversation at all. */
  | 'not-resumable'
  /** It answered a request with an error. */
  | 'answer'
  /** It ended without a word, or with one that cannot be read. */
  | 'broken';

/** Every bound of the client. */
export const bounds = {
  /** One line of the agent; a longer one is passed over unread. */
  lineBytes: 16 * 1024 * 1024,
  /** One text on a line of ours; a longer one becomes several. */
  textChars: 32 * 1024,
  titleChars: 200,
  /** What an error may carry. */
  messageChars: 4096,
  dataChars: 16 * 1024,
  /** A file that is read for the agent. */
  fileBytes: 8 * 1024 * 1024,
  /** From the start of the agent to a conversation that is ready. The first start may install things. */
  startMs: 120_000,
  /** How long nothing may come after a conversation was loaded until what comes belongs to the turn, and at most. */
  replayQuietMs: 500,
  replayMs: 15_000,
  /** From `session/cancel` to the answer. */
  cancelMs: 3_000,
  /** From the end of its input to the agent's own end, after its answer and when we were told to stop. */
  leaveMs: 5_000,
  stopMs: 2_000,
  /** From the polite signal to the one that cannot be refused. */
  killMs: 2_000,
  /** How long output of an agent that has ended is waited for; something it left behind may hold the pipe. */
  drainMs: 200,
  /** How long an agent may live without an output to answer on. */
  silencedMs: 1_000,
} as const;
