import type { Event } from '../../model/event.ts';
import type { Failure } from '../../model/failure.ts';
import type { QueueEntry } from '../../model/queue-entry.ts';
import type { Candidate } from '../../model/train-record.ts';
import {
  afterLanding,
  findBlame,
  markGreen,
  markRed,
  withCandidate,
  withoutCandidate,
} from '../../train/candidates.ts';

/** A branch that makes its candidate fail, with the evidence. */
export interface Blamed {
  readonly entry: QueueEntry;
  readonly failure: Failure;
  /** Entries before it: green without it. */
  readonly green: readonly QueueEntry[];
  /** Entries after it: they queue again. */
  readonly again: readonly QueueEntry[];
}

/**
 * Follows the candidates of one run by its events alone, to say who is to blame for a red one: of several branches that
 * are red together only one is, and it may take further gates to find out which.
 */
export class Blame {
  #line: readonly Candidate[] = [];

  /** Branches found to be at fault by this event. */
  on(event: Event): readonly Blamed[] {
    switch (event.type) {
      case 'candidate-built':
        this.#line = [...this.#line, candidateOf(event)];
        return [];
      case 'candidate-judged':
        this.#judge(event);
        return this.#blamed();
      case 'candidate-dropped':
        this.#line = [];
        return [];
      case 'landed':
        this.#line = afterLanding(this.#line, event.candidate, event.commit).candidates;
        return this.#blamed();
      case 'delivered':
        this.#line = this.#line.filter(({ id }) => id !== event.candidate);
        return [];
      default:
        return [];
    }
  }

  /** The entries that were tested: the first `count` of the candidate. */
  judged({
    candidate,
    count,
  }: Extract<Event, { type: 'candidate-judged' }>): readonly QueueEntry[] {
    const entries = this.#line.find(({ id }) => id === candidate)?.entries ?? [];
    return count === undefined ? entries : entries.slice(0, count);
  }

  #judge(event: Extract<Event, { type: 'candidate-judged' }>): void {
    const candidate = this.#line.find(({ id }) => id === event.candidate);
    if (candidate === undefined) return;
    const count = event.count ?? candidate.entries.length;
    if (count <= candidate.landed) return;
    const { verdict } = event;
    switch (verdict.id) {
      case 'passed':
        this.#line = withCandidate(this.#line, markGreen(candidate, count));
        return;
      case 'failed':
        this.#line = markRed(this.#line, candidate, count, verdict.failure).candidates;
        return;
      case 'not-run':
        this.#line = withoutCandidate(this.#line, candidate).candidates;
    }
  }

  #blamed(): readonly Blamed[] {
    const before = this.#line;
    const found = findBlame({ candidates: before });
    if (found?.blamed === undefined) return [];
    this.#line = found.candidates;
    const { entry, failure } = found.blamed;
    const entries = before.find((one) => one.entries.includes(entry))?.entries ?? [];
    const at = entries.indexOf(entry);
    return [{ entry, failure, green: entries.slice(0, at), again: entries.slice(at + 1) }];
  }
}

function candidateOf(event: Extract<Event, { type: 'candidate-built' }>): Candidate {
  const { candidate: id, parent, commit, tree, entries } = event;
  const prefixes = event.prefixes ?? [{ commit, tree }];
  return {
    id,
    parent,
    commit,
    tree,
    entries,
    prefixes,
    state: { id: 'built' },
    landed: 0,
    green: 0,
  };
}
