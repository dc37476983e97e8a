// What coupling gives where git is made up: a commit is the set of the branches in it.
import type { EventBody } from '../../src/model/event.ts';
import type { CandidatePrefix, QueueEntry } from '../../src/model/queue-entry.ts';
import { Chance } from '../../test/simulation/chance.ts';
import type { Corpus } from './corpus.ts';

/** A commit is the branch that was merged last, and the commit before that. */
export interface Made {
  readonly index: number;
  readonly before?: Made;
  readonly tree: string;
}

/** The target as the run finds it. */
export const base: Made = { index: -1, tree: '0 0' };

/** The branches in a commit that are not part of the target, the first one first. */
export function above(made: Made, target: ReadonlySet<number>): readonly number[] {
  const found: number[] = [];
  let at: Made | undefined = made;
  while (at?.before !== undefined && !target.has(at.index)) {
    found.push(at.index);
    at = at.before;
  }
  return found.reverse();
}

export interface Place {
  readonly run: string;
  readonly candidate: string;
  readonly parent: string;
  /** The candidate that the parent belongs to; absent where it is the target. */
  readonly on?: string;
}

/** The events of `merge/build-candidate.ts`, and the commits that they name. */
export function built(
  { branches }: Corpus,
  { run, candidate, parent, on }: Place,
  entries: readonly QueueEntry[],
  upon: Made,
  target: ReadonlySet<number>,
): { readonly events: readonly EventBody[]; readonly made: ReadonlyMap<string, Made> } {
  const events: EventBody[] = [];
  const made = new Map<string, Made>();
  const prefixes: CandidatePrefix[] = [];
  const boarded: QueueEntry[] = [];
  const ahead = new Set(above(upon, target));
  let head = upon;
  for (const entry of entries) {
    const index = indexOf(entry.id);
    if (branches[index]?.clashes.some((other) => target.has(other) || ahead.has(other)) === true) {
      const behind = prefixes.length > 0 ? candidate : on;
      const of = { run, id: entry.id, attempt: entry.attempt };
      const failure = { kind: 'conflict', files: ['f'], target: parent, branch: entry.id } as const;
      events.push(
        behind === undefined
          ? { type: 'merge-refused', ...of, failure }
          : { type: 'merge-deferred', ...of, behind },
      );
      continue;
    }
    head = { index, before: head, tree: treeWith(head.tree, index) };
    ahead.add(index);
    const commit = `${candidate}-${entry.id}`;
    made.set(commit, head);
    prefixes.push({ commit, tree: head.tree });
    boarded.push(entry);
  }
  const last = prefixes.at(-1);
  if (last !== undefined) {
    const built = { run, candidate, parent, ...last, entries: boarded, prefixes };
    events.push({ type: 'candidate-built', ...built, ...(on === undefined ? {} : { on }) });
  }
  return { events, made };
}

export const nameOf = (index: number): string => `b${index}`;
export const indexOf = (id: string): number => Number(id.slice(1));

/** The same branches make the same tree, in whatever order they came. */
function treeWith(tree: string, index: number): string {
  const [left, right] = tree.split(' ').map(Number);
  const chance = new Chance(index + 1);
  const mixed = (half: number | undefined): number =>
    ((half ?? 0) ^ Math.floor(chance.next() * 2 ** 32)) >>> 0;
  return `${mixed(left)} ${mixed(right)}`;
}
