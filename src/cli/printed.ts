import type { Event, EventBody } from '../model/event.ts';

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

function inOrder(names: readonly string[]): readonly string[] {
  return names.toSorted(
    (a, b) => Number(a.endsWith('.err')) - Number(b.endsWith('.err')) || a.localeCompare(b),
  );
}
