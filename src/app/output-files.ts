import type { AttemptRecord } from '../model/history.ts';

/** Output to show: that of the process started last, or of one kind. */
export type OutputKind = 'newest' | 'gate' | 'review' | 'critique';

export interface OutputFilter {
  readonly shows: OutputKind;
  /** Turn of the agent, or round of a review or critique; the newest if absent. */
  readonly turn?: number;
}

/** A turn or a round: all files of one kind with one number. */
interface Part {
  readonly kind: string;
  readonly number: number;
}

const kindsOf: Readonly<Record<OutputKind, readonly string[]>> = {
  newest: ['turn'],
  gate: ['gate'],
  review: ['review'],
  critique: ['critique', 'improve'],
};

/**
 * Selects output files from an attempt's folder, standard output first. The record shows which process was started
 * last.
 */
export function printedFiles(
  names: readonly string[],
  { turns, calls }: Pick<AttemptRecord, 'turns' | 'calls'>,
  { shows, turn }: OutputFilter,
): readonly string[] {
  const files = names.flatMap((name) => {
    const [, kind, number] = /^([a-z]+)-(\d+)(?:-.*)?\.(?:out|err)$/.exec(name) ?? [];
    return kind === undefined ? [] : [{ name, kind, number: Number(number) }];
  });
  const holding = ({ kind, number }: Part): readonly string[] =>
    files.filter((file) => file.kind === kind && file.number === number).map(({ name }) => name);
  if (shows === 'newest' && turn === undefined) {
    const started = [
      ...calls.map(({ kind, round, startedAt: at }) => ({ kind, number: round, at })),
      ...turns.map((one) => ({ kind: 'turn' as const, number: one.turn, at: one.startedAt })),
    ].sort((x, y) => x.at - y.at);
    const last = started.findLast((part) => holding(part).length > 0);
    if (last !== undefined) return inOrder(holding(last));
  }
  const kinds = kindsOf[shows];
  const numbers = files.filter(({ kind }) => kinds.includes(kind)).map(({ number }) => number);
  const number = turn ?? Math.max(0, ...numbers);
  return inOrder(kinds.flatMap((kind) => holding({ kind, number })));
}

/** Number of one of the attempt's own gate runs, from the name of its file. */
export function gateOf(file: string): number {
  return Number(/(?:^|\/)gate-(\d+)[^/]*$/.exec(file)?.[1] ?? 0);
}

export function inOrder(names: readonly string[]): readonly string[] {
  return names.toSorted(
    (a, b) => Number(a.endsWith('.err')) - Number(b.endsWith('.err')) || a.localeCompare(b),
  );
}
