import { limits } from '../plan/limits.ts';

/** What a target asks of all work that is to land on it. */
export interface Rules {
  /** Globs of paths that only a person may let through. */
  readonly protect: readonly string[];
  /** The commands of the gate. */
  readonly gate: readonly string[];
  /** Files from which the next run would take its gate if there were one of them. */
  readonly gateSigns?: readonly string[];
  readonly tests: 'guard' | 'off';
  readonly maxFiles?: number;
  readonly maxLines?: number;
}

/**
 * One path that differs. A text is absent where there is no file on that side, and also where it is no text, too large,
 * or was not read: the modes tell these apart, and where they are absent too, the text alone counts.
 */
export interface ChangedText {
  readonly path: string;
  readonly before?: string;
  readonly after?: string;
  /** Git's mode on the side that is to land. */
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

/** A line of somebody's file as a violation may carry it: on one line, and not longer than people read. */
export function shown(line: string): string {
  const flat = line.trim().replace(/\s+/g, ' ');
  if (flat.length <= limits.violationLineChars) return flat;
  return `${flat.slice(0, limits.violationLineChars - 1)}…`;
}
