import type { Json } from './harness.ts';
import { textAt } from './stream.ts';

/** One step of a turn that people can follow. A tool call comes when it begins and again with its outcome. */
export type Action =
  /** `piece`: goes on with the text before it; else it is a message of its own. */
  | { readonly id: 'text'; readonly text: string; readonly piece?: true }
  | { readonly id: 'tool'; readonly call: ToolCall };

export interface ToolCall {
  /** The agent's own id of the call. */
  readonly key: string;
  /** The tool, as the agent calls it. */
  readonly name: string;
  /** The tool's main argument on one line: a command, a file, a pattern. */
  readonly subject: string;
  /** Absent while it runs. */
  readonly outcome?: ToolOutcome;
}

export interface ToolOutcome {
  readonly ok: boolean;
  readonly exit?: number;
  /** How long it took, where the stream has times. */
  readonly ms?: number;
  /** The last line of what it printed, where it failed. */
  readonly output?: string;
}

/** Calls that are open at once; more than that are forgotten, oldest first. */
const openMax = 100;
const subjectChars = 200;
const outputChars = 200;

interface Open {
  readonly name: string;
  readonly subject: string;
  readonly at?: number | undefined;
}

/** The tool calls of one turn: joins the beginning of a call with its end. */
export class ToolCalls {
  readonly #open = new Map<string, Open>();

  begin(key: string, name: string, subject: string, at?: number): readonly Action[] {
    if (this.#open.has(key)) return [];
    const call = { key, name, subject: shortLine(subject, subjectChars) };
    for (const old of this.#open.keys()) {
      if (this.#open.size < openMax) break;
      this.#open.delete(old);
    }
    this.#open.set(key, { ...call, at });
    return [{ id: 'tool', call }];
  }

  /** Nothing for a call whose beginning was never seen. `output` is all it printed. */
  end(key: string, { output = '', ...outcome }: ToolOutcome, at?: number): readonly Action[] {
    const begun = this.#open.get(key);
    if (begun === undefined) return [];
    this.#open.delete(key);
    const { name, subject } = begun;
    const ms = outcome.ms ?? elapsed(begun.at, at);
    const shown = outcome.ok ? '' : lastLine(output);
    const whole: ToolOutcome = {
      ...outcome,
      ...(ms === undefined ? {} : { ms }),
      ...(shown === '' ? {} : { output: shown }),
    };
    return [{ id: 'tool', call: { key, name, subject, outcome: whole } }];
  }
}

/** A message that is not blank, as an action. */
export function textActions(text: string | undefined): readonly Action[] {
  return text === undefined || text.trim() === '' ? [] : [{ id: 'text', text }];
}

/** Part of a message, as an action. */
export function pieceActions(text: string | undefined): readonly Action[] {
  return text === undefined || text === '' ? [] : [{ id: 'text', text, piece: true }];
}

function elapsed(from: number | undefined, to: number | undefined): number | undefined {
  return from === undefined || to === undefined ? undefined : Math.max(0, to - from);
}

/** Fields of a tool's input that say what it works on, the most telling first. */
const subjectFields = [
  'command',
  'cmd',
  'file_path',
  'filePath',
  'absolute_path',
  'path',
  'notebook_path',
  'pattern',
  'query',
  'url',
  'description',
  'prompt',
];

/** The main argument of a tool call, shortened. */
export function subjectOf(input: Json | undefined): string {
  const known = subjectFields
    .map((field) => textAt(input, field))
    .find((text) => text !== undefined);
  if (known !== undefined) return known;
  const texts = Object.values(input ?? {}).filter((value) => typeof value === 'string');
  return texts[0] ?? '';
}

/** One failed call on one line, for people who ask why a turn came to nothing. */
export function failedCall({ name, subject, outcome }: ToolCall): string {
  const exit = outcome?.exit === undefined ? '' : ` (exit ${outcome.exit})`;
  const output = outcome?.output === undefined ? '' : `: ${outcome.output}`;
  return `${callText({ name, subject })}${exit}${output}`;
}

/** `Bash npm test`. */
export function callText({ name, subject }: Pick<ToolCall, 'name' | 'subject'>): string {
  return [name, subject].filter((part) => part !== '').join(' ');
}

function lastLine(output: string): string {
  const lines = output.split(/\r?\n/).filter((line) => line.trim() !== '');
  return shortLine(lines.at(-1) ?? '', outputChars);
}

/** One line without what a screen would take for an order. */
export function shortLine(text: string, chars: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const short = line.length > chars ? `${line.slice(0, chars - 1)}…` : line;
  return short.replace(/\p{C}/gu, '');
}
