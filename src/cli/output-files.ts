import type { Event, EventBody } from '../model/event.ts';
import type { TaskId } from '../model/task.ts';

/** Whose output to show: that of the process started last, or of one kind. */
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
 * Selects output files from an attempt's folder, standard output first. `events` are those of the attempt; they show
 * which process was started last.
 */
export function printedFiles(
  names: readonly string[],
  events: readonly (Event | EventBody)[],
  { shows, turn }: OutputFilter,
): readonly string[] {
  const files = names.flatMap((name) => {
    const [, kind, number] = /^([a-z]+)-(\d+)(?:-.*)?\.(?:out|err)$/.exec(name) ?? [];
    return kind === undefined ? [] : [{ name, kind, number: Number(number) }];
  });
  const holding = ({ kind, number }: Part): readonly string[] =>
    files.filter((file) => file.kind === kind && file.number === number).map(({ name }) => name);
  if (shows === 'newest' && turn === undefined) {
    const last = events.flatMap(startedBy).findLast((part) => holding(part).length > 0);
    if (last !== undefined) return inOrder(holding(last));
  }
  const kinds = kindsOf[shows];
  const numbers = files.filter(({ kind }) => kinds.includes(kind)).map(({ number }) => number);
  const number = turn ?? Math.max(0, ...numbers);
  return inOrder(kinds.flatMap((kind) => holding({ kind, number })));
}

function startedBy(event: Event | EventBody): Part[] {
  switch (event.type) {
    case 'turn-started':
      return [{ kind: 'turn', number: event.turn }];
    case 'call-started':
      return [{ kind: event.call.kind, number: event.call.round }];
    default:
      return [];
  }
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

/** A gate run of the train on a candidate that includes an attempt. */
export interface Judgement {
  /** The last turn of the attempt before it. */
  readonly turn: number;
  readonly candidate: string;
  /** Number of branches of the candidate, from the first, that were tested together. */
  readonly count: number;
}

/** The train's gate runs on an attempt's work, in order. `events` are those of the attempt and of its train. */
export function judgementsOf(
  events: readonly (Event | EventBody)[],
  id: TaskId,
  attempt: number,
): readonly Judgement[] {
  const places = new Map<string, number>();
  const found: Judgement[] = [];
  let turn = 0;
  for (const event of events) {
    if (event.type === 'turn-started' && event.id === id && event.attempt === attempt) {
      turn = event.turn;
    }
    if (event.type === 'candidate-built') {
      const place = event.entries.findIndex(
        (entry) => entry.id === id && entry.attempt === attempt,
      );
      if (place >= 0) places.set(event.candidate, place);
    }
    if (event.type !== 'gate-started') continue;
    const { candidate, count } = event;
    if ((places.get(candidate) ?? count) < count) found.push({ turn, candidate, count });
  }
  return found;
}
