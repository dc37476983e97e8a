// Policies of others, as simply as they can be told: batches of a fixed size, tried in rounds.
import { type Corpus, GATE_MS, redWith, turnsRed } from './corpus.ts';
import type { Landed, Outcome, Policy, Rejected } from './outcome.ts';

interface Fixed {
  /** Branches that are tried together at most. */
  readonly batch: number;
  /** Groups that are tried at once, each on top of those before it. */
  readonly slots: number;
  /** The other half of a red group is known to be red where the first half is green. */
  readonly skipsImplied?: boolean;
}

interface Group {
  readonly entries: readonly number[];
  /** Which half of a group that was red as a whole. */
  readonly half?: 'first' | 'second';
  readonly knownRed?: boolean;
}

/** Serial re-test is a batch of one in one slot; a train that speculates has more slots. */
export function fixedTrain({ batch, slots, skipsImplied = false }: Fixed): Policy {
  return (corpus) => {
    const context = new RunContext(corpus);
    let groups: readonly Group[] = [];
    while (context.goesOn(groups.length > 0)) {
      const filled = [...groups];
      while (filled.length < slots && context.waiting.length > 0) {
        filled.push({ entries: context.waiting.splice(0, batch) });
      }
      const green = context.tryGroups(filled.slice(0, slots));
      const red = green < Math.min(slots, filled.length) ? filled[green] : undefined;
      const rest = filled.slice(green + (red === undefined ? 0 : 1));
      groups = [...(red === undefined ? [] : context.halves(red)), ...rest];
      const [next, ...others] = groups;
      const isImplied = filled[green - 1]?.half === 'first' && next?.half === 'second';
      if (skipsImplied && isImplied) groups = [{ ...next, knownRed: true }, ...others];
    }
    return context.outcome();
  };
}

class RunContext {
  readonly waiting: number[] = [];
  readonly #corpus: Corpus;
  readonly #landed: Landed[] = [];
  readonly #rejected: Rejected[] = [];
  readonly #target = new Set<number>();
  #now = 0;
  #runs = 0;
  #arrived = 0;
  #backlog = 0;

  constructor(corpus: Corpus) {
    this.#corpus = corpus;
  }

  /** Lets come who has come by now, or waits for the next one where nothing else is to be done. */
  goesOn(isBusy: boolean): boolean {
    const { branches } = this.#corpus;
    const next = branches[this.#arrived];
    if (!isBusy && this.waiting.length === 0 && next !== undefined) {
      this.#now = Math.max(this.#now, next.arrivesAt);
    }
    const before = this.#arrived;
    while ((branches[this.#arrived]?.arrivesAt ?? Number.POSITIVE_INFINITY) <= this.#now) {
      this.waiting.push(this.#arrived);
      this.#arrived += 1;
    }
    if (this.#arrived === branches.length && before < this.#arrived) {
      this.#backlog = branches.length - this.#landed.length - this.#rejected.length;
    }
    return isBusy || this.waiting.length > 0;
  }

  /** Tries groups on top of each other. As many as are green, from the first on, land. */
  tryGroups(tried: readonly Group[]): number {
    const asked = tried.filter(({ knownRed }) => knownRed !== true);
    const times = asked.map((_, nth) => this.#corpus.gateMs(this.#runs + nth));
    this.#runs += asked.length;
    this.#now += Math.max(0, ...times);
    for (const [green, { entries }] of tried.entries()) {
      if (redWith(this.#corpus, this.#target, entries)) return green;
      for (const index of entries) {
        this.#target.add(index);
        this.#landed.push({ index, at: this.#now });
      }
    }
    return tried.length;
  }

  halves({ entries }: Group): readonly Group[] {
    const [only] = entries;
    if (entries.length === 1 && only !== undefined) {
      this.#rejected.push({ index: only, at: this.#now, upon: new Set(this.#target) });
      return [];
    }
    const half = Math.floor(entries.length / 2);
    return [
      { entries: entries.slice(0, half), half: 'first' },
      { entries: entries.slice(half), half: 'second' },
    ];
  }

  outcome(): Outcome {
    const { branches } = this.#corpus;
    const last = branches.at(-1)?.arrivesAt ?? 0;
    const endedAt = Math.max(this.#now, last);
    const backlog = this.#backlog;
    return { landed: this.#landed, rejected: this.#rejected, runs: this.#runs, endedAt, backlog };
  }
}

/** What most do: a branch is judged by itself and merged when it is green, whatever else was merged meanwhile. */
export function gateThenMerge(slots: number): Policy {
  return (corpus) => {
    const free = Array.from({ length: slots }, () => 0);
    const landed: Landed[] = [];
    const rejected: Rejected[] = [];
    corpus.branches.forEach((branch, nth) => {
      const slot = free.indexOf(Math.min(...free));
      const at = Math.max(free[slot] ?? 0, branch.arrivesAt) + corpus.gateMs(nth);
      free[slot] = at;
      const { index } = branch;
      if (turnsRed(branch, new Set())) rejected.push({ index, at, upon: new Set() });
      else landed.push({ index, at });
    });
    const endedAt = Math.max(GATE_MS, ...free);
    return { landed, rejected, runs: corpus.branches.length, endedAt, backlog: 0 };
  };
}
