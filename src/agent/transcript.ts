import type { Usage } from '../model/turn.ts';
import { clientReader } from './acp/reader.ts';
import { type Action, callText, shortLine, type ToolCall } from './action.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { gemini } from './gemini.ts';
import type { Json, StreamReader } from './harness.ts';
import { opencode } from './opencode.ts';
import { jsonOf, objectAt, textAt } from './stream.ts';

/** An action of the agent, or an output line that is not part of its stream. */
export type Entry = Action | { readonly id: 'line'; readonly text: string };

/** Placeholder for the turn, which is unknown here. */
const reading = { newSession: '' };
const options = { name: 'agent' };

interface Stream {
  readonly fits: (json: Json, type: string) => boolean;
  readonly reader: () => StreamReader;
}

const claudeTypes = new Set(['system', 'assistant', 'user', 'result', 'rate_limit_event']);
const geminiTypes = new Set(['init', 'message', 'tool_use', 'tool_result', 'error', 'result']);
const clientTypes = new Set(['agent', 'session', 'text', 'thought', 'tool', 'usage', 'end']);

/** Recognizes each stream by any one of its lines, because only part of a file may be present. */
const streams: readonly Stream[] = [
  {
    fits: (json, type) => textAt(json, 'sessionID') !== undefined && type !== '',
    reader: () => opencode.read(reading, options),
  },
  {
    fits: (json, type) => claudeTypes.has(type) && textAt(json, 'session_id') !== undefined,
    reader: () => claude.read(reading, options),
  },
  {
    fits: (_, type) => /^(?:thread|turn|item)\.\w+$/.test(type),
    reader: () => codex.read(reading, options),
  },
  {
    fits: (json, type) => geminiTypes.has(type) && textAt(json, 'timestamp') !== undefined,
    reader: () => gemini.read(reading, options),
  },
  {
    fits: (json, type) => clientTypes.has(type) && isOfClient(json, type),
    reader: () => clientReader({ agent: 'agent', binary: '' }),
  },
];

/** True for a line of our ACP client: each type has a field that no other stream has there. */
function isOfClient(json: Json, type: string): boolean {
  if (type === 'agent') return textAt(json, 'sessions') !== undefined;
  if (type === 'usage') return objectAt(json, 'usage') !== undefined;
  if (type === 'thought') return typeof json.chars === 'number';
  const field = { session: 'id', text: 'text', tool: 'id', end: 'stopReason' }[type] ?? 'type';
  return textAt(json, field) !== undefined;
}

/** Shows an agent's output to people. Output of an unknown agent is shown line by line. */
export class Transcript {
  #reader: StreamReader | undefined;
  readonly #open = new Map<string, ToolCall>();

  /** True once a line of a known stream was seen. */
  get isStream(): boolean {
    return this.#reader !== undefined;
  }

  line(text: string): readonly Entry[] {
    const json = jsonOf(text);
    if (json === undefined) return [{ id: 'line', text }];
    this.#reader ??= readerFor(json);
    if (this.#reader === undefined) return [{ id: 'line', text }];
    return this.#reader.line(json).filter((action) => {
      if (action.id !== 'tool') return true;
      const { call } = action;
      if (call.outcome === undefined) this.#open.set(call.key, call);
      else this.#open.delete(call.key);
      return call.outcome !== undefined;
    });
  }

  /** Calls that have not ended. */
  open(): readonly ToolCall[] {
    return [...this.#open.values()];
  }

  usage(): Usage | undefined {
    return this.#reader?.facts().usage;
  }
}

function readerFor(json: Json): StreamReader | undefined {
  const type = textAt(json, 'type') ?? '';
  return streams.find(({ fits }) => fits(json, type))?.reader();
}

const actionChars = 200;

/**
 * The latest action in an agent's output, on one line: a tool call or the last line of a message. For an unknown agent,
 * the last output line.
 */
export function lastAction(lines: readonly string[]): string | undefined {
  let reader: StreamReader | undefined;
  let plain = '';
  let message = '';
  let last = '';
  for (const text of lines) {
    if (text.trim() !== '') plain = text;
    const json = jsonOf(text);
    if (json === undefined) continue;
    reader ??= readerFor(json);
    for (const action of reader?.line(json) ?? []) {
      if (action.id === 'text') message = action.piece ? message + action.text : action.text;
      else message = '';
      const step = action.id === 'tool' ? callText(action.call) : lastLine(message);
      if (step !== '') last = step;
    }
  }
  const found = shortLine(reader === undefined ? plain : last, actionChars);
  return found === '' ? undefined : found;
}

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}
