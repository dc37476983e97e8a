import type { Event, EventBody } from '../model/event.ts';
import type { TaskId } from '../model/task.ts';

/** Whose output is wanted: of whoever was started last, or of one kind. */
export type Shows = 'newest' | 'gate' | 'review' | 'critique';

export interface Wish {
  readonly shows: Shows;
  /** Turn of the agent, or round of those who look at the task or at the work; the newest where absent. */
  readonly turn?: number;
}

type Kind = 'turn' | 'gate' | 'review' | 'critique' | 'improve';

/** A turn, or a round: all files of one kind with one number. */
interface Part {
  readonly kind: Kind;
  readonly number: number;
}

const kindsOf: Readonly<Record<Shows, readonly Kind[]>> = {
  newest: ['turn'],
  gate: ['gate'],
  review: ['review'],
  critique: ['critique', 'improve'],
};

/**
 * Which of the files in an attempt's folder hold what is wanted: standard output before standard error. `events` are
 * those of the attempt; they tell who was started last.
 */
export function printedFiles(
  names: readonly string[],
  events: readonly (Event | EventBody)[],
  { shows, turn }: Wish,
): readonly string[] {
  const files = names.flatMap((name) => {
    const [, kind, number] =
      /^(turn|gate|review|critique|improve)-(\d+)(?:-.*)?\.(?:out|err)$/.exec(name) ?? [];
    return kind === undefined ? [] : [{ name, kind: kind as Kind, number: Number(number) }];
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
    case 'review-started':
      return [{ kind: 'review', number: event.round }];
    case 'critique-started':
      return [{ kind: event.step, number: event.round }];
    default:
      return [];
  }
}

/** The number of a gate of the attempt's own, from the name of its file. */
export function gateOf(file: string): number {
  return Number(/(?:^|\/)gate-(\d+)[^/]*$/.exec(file)?.[1] ?? 0);
}

export function inOrder(names: readonly string[]): readonly string[] {
  return names.toSorted(
    (a, b) => Number(a.endsWith('.err')) - Number(b.endsWith('.err')) || a.localeCompare(b),
  );
}

/** A judgement of the train that an attempt had a part in. */
export interface Judgement {
  /** The turn of the attempt that it came after. */
  readonly turn: number;
  readonly candidate: string;
  /** How many branches of the candidate, from the first, were judged together. */
  readonly count: number;
}

/** The judgements of an attempt's work by the train, in their order. `events` are those of the attempt and of its train. */
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
