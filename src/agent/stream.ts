import { jsonIn } from '../protocol/fences.ts';
import type { Json } from './harness.ts';

/** The end of what an agent said last; signals stand there. */
const finalTextBytes = 64 * 1024;

/** A line that is a JSON object. Agents print other lines as well: warnings, progress, half a line at the end. */
export function jsonOf(line: string): Json | undefined {
  // Anything but an object is passed over without the cost of reading it.
  return /^\s*\{/.test(line) ? objectOf(jsonIn(line)) : undefined;
}

/** What stands under a name, where it is what it should be. Streams change with versions: nothing is taken on trust. */
export const textAt = (json: Json | undefined, name: string): string | undefined =>
  typeof json?.[name] === 'string' ? json[name] : undefined;

export const numberAt = (json: Json | undefined, name: string): number | undefined =>
  typeof json?.[name] === 'number' && Number.isFinite(json[name]) ? json[name] : undefined;

/** A number of tokens; 0 where there is none, or one that cannot be. */
export const countAt = (json: Json | undefined, name: string): number =>
  Math.max(0, numberAt(json, name) ?? 0);

export const objectAt = (json: Json | undefined, name: string): Json | undefined =>
  objectOf(json?.[name]);

/** The objects of a list; whatever else is in it is left out. */
export function listAt(json: Json | undefined, name: string): readonly Json[] {
  const found = json?.[name];
  if (!Array.isArray(found)) return [];
  const items: readonly unknown[] = found;
  return items.map(objectOf).filter((item) => item !== undefined);
}

function objectOf(value: unknown): Json | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return { ...value };
}

/** Text that comes in pieces, of which only the end is kept. */
export interface FinalText {
  /** Goes on with the text. */
  add(text: string): void;
  /** Begins again, with this text: what was said before was not the last word. */
  restart(text?: string): void;
  text(): string;
}

export function finalText(limit: number = finalTextBytes): FinalText {
  let kept = '';
  return {
    add(text) {
      kept += text;
      // Not at every piece: a flood of short lines must not be copied again with each of them.
      if (kept.length > limit * 2) kept = kept.slice(-limit - 1);
    },
    restart(text = '') {
      kept = text;
    },
    text: () => endOf(kept, limit),
  };
}

/** The last characters, from the beginning of a line on where there is one: half a line could look like a signal. */
function endOf(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const cut = text.slice(-limit);
  return cut.slice(cut.indexOf('\n') + 1);
}
