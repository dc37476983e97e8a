import type { Action, ToolCall } from '../model/action.ts';
import { shortLine } from '../model/visible.ts';
import type { Json } from './harness.ts';
import { textAt } from './stream.ts';

/** Limit of open calls; the oldest are forgotten. */
const openMax = 100;
const subjectChars = 200;
const outputChars = 200;

export interface EndedCall {
  readonly ok: boolean;
  readonly exit?: number | undefined;
  readonly output?: string;
}

interface Open {
  readonly name: string;
  readonly subject: string;
  readonly at?: number | undefined;
}

/** Joins the beginning of each tool call with its end. */
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

  /** Returns nothing for a call whose beginning was not seen. */
  end(key: string, { ok, exit, output = '' }: EndedCall, at?: number): readonly Action[] {
    const begun = this.#open.get(key);
    if (begun === undefined) return [];
    this.#open.delete(key);
    const { name, subject } = begun;
    const shown = ok ? '' : lastLine(output);
    const outcome = { ok, exit, ms: elapsed(begun.at, at), output: shown || undefined };
    return [{ id: 'tool', call: { key, name, subject, outcome } }];
  }
}

export function textActions(text: string | undefined): readonly Action[] {
  return text === undefined || text.trim() === '' ? [] : [{ id: 'text', text }];
}

export function pieceActions(text: string | undefined): readonly Action[] {
  return text === undefined || text === '' ? [] : [{ id: 'text', text, piece: true }];
}

function elapsed(from: number | undefined, to: number | undefined): number | undefined {
  return from === undefined || to === undefined ? undefined : Math.max(0, to - from);
}

/** Input fields that name what a tool works on, in order of preference. */
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

/** Main argument of a tool call. */
export function subjectOf(input: Json | undefined): string {
  const known = subjectFields
    .map((field) => textAt(input, field))
    .find((text) => text !== undefined);
  if (known !== undefined) return known;
  const texts = Object.values(input ?? {}).filter((value) => typeof value === 'string');
  return texts[0] ?? '';
}

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
