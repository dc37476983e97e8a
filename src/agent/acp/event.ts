import type { Usage } from '../../model/turn.ts';

/**
 * One line that the client prints: what the agent did, in one vocabulary for all agents. A stream has at most one `end`
 * or `error`; only late events may follow it.
 */
export type ClientEvent =
  /** The first event: who answered, and how it can resume a conversation. */
  | {
      readonly type: 'agent';
      readonly name?: string;
      readonly version?: string;
      readonly sessions: Sessions;
    }
  | { readonly type: 'session'; readonly id: string; readonly resumed: boolean }
  | { readonly type: 'model'; readonly id: string }
  /** A piece of text; `message` is the id of the message, if the agent gives one. */
  | { readonly type: 'text'; readonly text: string; readonly message?: string }
  | { readonly type: 'thought'; readonly chars: number }
  | {
      readonly type: 'tool';
      readonly id: string;
      readonly title?: string;
      readonly kind?: string;
      readonly status?: string;
    }
  /** The agent repeats the user's message; text before it is not its answer. */
  | { readonly type: 'user' }
  /** It asked for permission to use a tool; `allowed` is false if it offered no way to allow it. */
  | { readonly type: 'permission'; readonly tool: string; readonly allowed: boolean }
  | { readonly type: 'refused'; readonly method: string; readonly cause: string }
  /** Tokens of one `step`, which add up, or of the whole turn, which replaces the steps. */
  | {
      readonly type: 'usage';
      readonly scope: 'step' | 'turn';
      readonly usage: Usage;
      readonly model?: string;
    }
  /** Cost of the conversation so far; `before`: reported before our turn began. */
  | { readonly type: 'cost'; readonly usd: number; readonly before: boolean }
  /** Any other sign of life. */
  | { readonly type: 'other'; readonly what: string }
  /** A remark for people who read the log. */
  | { readonly type: 'note'; readonly text: string }
  /** The agent's process exited before it answered. */
  | { readonly type: 'gone'; readonly exit: number }
  /** We were told to stop; `cancelled`: the agent ended its turn in time. */
  | { readonly type: 'stopped'; readonly cancelled: boolean }
  | ClientError
  | { readonly type: 'end'; readonly stopReason: string };

export type Sessions = 'load' | 'resume' | 'none';

export interface ClientError {
  readonly type: 'error';
  readonly reason: ErrorReason;
  readonly message: string;
  /** The failed request and the content of its error. */
  readonly method?: string;
  readonly code?: number;
  readonly data?: unknown;
}

type ErrorReason =
  /** The command did not start, or was not ready in time. */
  | 'not-started'
  /** It speaks another protocol version. */
  | 'protocol'
  /** It cannot resume conversations. */
  | 'not-resumable'
  | 'answer'
  /** It ended without an answer, or with an unreadable one. */
  | 'broken';

export const bounds = {
  /** One line of the agent; a longer one is skipped. */
  lineBytes: 16 * 1024 * 1024,
  textChars: 32 * 1024,
  titleChars: 200,
  /** Text and data of an error. */
  messageChars: 4096,
  dataChars: 16 * 1024,
  fileBytes: 8 * 1024 * 1024,
  /** From the start of the agent until its conversation is ready. The first start may install packages. */
  startMs: 120_000,
  /** Silence after which a replay is over, and the time limit of the replay. */
  replayQuietMs: 500,
  replayMs: 15_000,
  /** From `session/cancel` to the answer. */
  cancelMs: 3_000,
  /** From closing the input to the agent's exit: after its answer, and after a stop signal. */
  leaveMs: 5_000,
  stopMs: 2_000,
  killMs: 2_000,
  /** Wait for the output of an agent that has exited; a process it left behind may keep the pipe open. */
  drainMs: 200,
  /** Time that an agent may run after it closed its output. */
  silencedMs: 1_000,
} as const;
