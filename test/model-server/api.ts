// The shape that each model API has here: reading a request, and writing answers and refusals.
import type { Refused } from './fault.ts';
import type { Json } from './json.ts';
import type { Tokens } from './script.ts';

export interface Tool {
  readonly name: string;
  /** JSON Schema of its arguments; empty for a tool that takes plain text. */
  readonly schema: Json;
  /** Tools can be grouped; a call names the group too. */
  readonly group?: string;
}

export interface Asked {
  readonly model: string;
  readonly stream: boolean;
  readonly tools: readonly Tool[];
  /** What people said, oldest first, without what agents put in by themselves. */
  readonly prompts: readonly string[];
  /** Since the last prompt. */
  readonly toolResults: number;
  readonly lastResult: string;
  /** How hard the model was asked to think, in the API's own word. */
  readonly reasoning?: string;
}

export interface Call {
  readonly name: string;
  readonly group?: string;
  readonly args: Json;
}

export interface Answer {
  readonly say?: string;
  readonly call?: Call;
}

export interface Reply {
  /** Frames of the stream, in order. */
  readonly frames: readonly string[];
  /** The same answer in one piece. */
  readonly whole: Json;
}

export interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
}

export interface ModelApi {
  readonly name: 'messages' | 'responses' | 'chat' | 'gemini';
  /** Whether a POST to this path is for it. */
  takes(path: string): boolean;
  read(body: Json, path: string): Asked;
  /** What it can report of these tokens: not every API knows of writing to a cache. */
  reported(tokens: Tokens): Tokens;
  reply(answer: Answer, model: string, tokens: Tokens): Reply;
  refuse(fault: Refused, nowMs: number): Refusal;
  /** An error as a frame of a stream that began well. */
  streamError(message: string): string;
}
