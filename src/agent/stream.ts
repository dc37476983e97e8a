import { parseJson } from '../model/shape.ts';
import type { Json } from './harness.ts';

/** Size limit of the final message; signals are at its end. */
const finalTextBytes = 64 * 1024;

/** Parses a line that is a JSON object. Agents also print warnings, progress and incomplete lines. */
export function jsonOf(line: string): Json | undefined {
  // Saves parsing everything else.
  return /^\s*\{/.test(line) ? objectOf(parseJson(line)) : undefined;
}

/** Typed access to a field. Streams change between versions, so nothing is assumed. */
export const textAt = (json: Json | undefined, name: string): string | undefined =>
  typeof json?.[name] === 'string' ? json[name] : undefined;

/** Larger numbers are nonsense, and a sum of them might not survive JSON. */
const largest = 1e15;

export function numberAt(json: Json | undefined, name: string): number | undefined {
  const value = json?.[name];
  return typeof value === 'number' && Math.abs(value) <= largest ? value : undefined;
}

/** A token count; 0 if it is missing, negative or nonsense. */
export const countAt = (json: Json | undefined, name: string): number =>
  Math.max(0, numberAt(json, name) ?? 0);

export const objectAt = (json: Json | undefined, name: string): Json | undefined =>
  objectOf(json?.[name]);

/** The objects in a list; other items are skipped. */
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

/** Collects text in pieces and keeps only its end. */
interface FinalText {
  add(text: string): void;
  /** Discards the text so far. */
  restart(text?: string): void;
  text(): string;
}

export function finalText(limit: number = finalTextBytes): FinalText {
  let kept = '';
  return {
    add(text) {
      kept += text;
      // Not for every piece: a flood of short lines must not copy the text each time.
      if (kept.length > limit * 2) kept = kept.slice(-limit - 1);
    },
    restart(text = '') {
      kept = text;
    },
    text: () => endOf(kept, limit),
  };
}

/** Begins at a line start, because half a line could look like a signal. */
function endOf(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const cut = text.slice(-limit);
  return cut.slice(cut.indexOf('\n') + 1);
}
