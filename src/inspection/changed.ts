import { limits } from '../model/limits.ts';

/** Rules of a target for all work that lands on it. */
export interface Rules {
  /** Globs of paths whose changes need approval. */
  readonly protect: readonly string[];
  readonly gate: readonly string[];
  /** Files that would change the detected gate if they were created. */
  readonly gateSigns?: readonly string[];
  readonly tests: 'guard' | 'off';
  readonly maxFiles?: number;
  readonly maxLines?: number;
}

/**
 * Changed path. A text is absent if there is no file on that side, or if it is binary, too large or unread; the modes
 * tell these apart. Without modes only the texts count.
 */
export interface ChangedText {
  readonly path: string;
  readonly before?: string;
  readonly after?: string;
  /** Git mode of the new side. */
  readonly mode?: string;
  readonly modeBefore?: string;
}

export function existed({ before, modeBefore }: ChangedText): boolean {
  return before !== undefined || modeBefore !== undefined;
}

export function exists({ after, mode }: ChangedText): boolean {
  return after !== undefined || mode !== undefined;
}

export function byPath(a: { readonly path: string }, b: { readonly path: string }): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}

/** Shortens a line for a violation message. */
export function shown(line: string): string {
  const flat = line.trim().replace(/\s+/g, ' ');
  if (flat.length <= limits.violationLineChars) return flat;
  return `${flat.slice(0, limits.violationLineChars - 1)}…`;
}

export type Counts = Map<string, number>;

export function countsOf(items: Iterable<string>): Counts {
  const counts: Counts = new Map();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}

/** Multiset difference: `items` minus `others`, in order. */
export function without(items: Iterable<string>, others: Iterable<string>): string[] {
  const left = countsOf(others);
  const rest: string[] = [];
  for (const item of items) {
    const times = left.get(item) ?? 0;
    if (times === 0) rest.push(item);
    else left.set(item, times - 1);
  }
  return rest;
}
