// The product's own train on a corpus: its decisions, its records, its clock. Only git and the gate are made up.
import type { Command } from '../../src/model/command.ts';
import type { Event, EventBody } from '../../src/model/event.ts';
import type { RunRecord } from '../../src/model/run-record.ts';
import type { TaskRecord } from '../../src/model/task-record.ts';
import { fold } from '../../src/plan/fold.ts';
import { State } from '../../src/plan/state.ts';
import { moveTrain } from '../../src/train/move.ts';
import { queuedBranches } from '../../src/train/queue.ts';
import { owner, settings } from '../../test/story.ts';
import { above, base, built, indexOf, type Made } from './build-candidate.ts';
import { type Corpus, redWith } from './corpus.ts';
import { arrival, judgement, run } from './events.ts';
import type { Landed, Outcome, Rejected } from './outcome.ts';

export interface Ours {
  readonly slots: number;
  readonly batch: number;
}

/** What the tests want to know beside what others can tell as well. */
export interface OurOutcome extends Outcome {
  /** Judgements that were asked for although they were made before, or followed from what was known. */
  readonly implied: readonly string[];
  /** When the first gate began that had the branch in it. */
  readonly boardedAt: ReadonlyMap<number, number>;
  /** When gates began, in their order. */
  readonly gateStarts: readonly number[];
}

/** Decisions in a row at one moment. Each of them lets something happen, and there is only so much to happen. */
const DECISIONS_MAX = 1_000;

export function ourTrain(ours: Ours): (corpus: Corpus) => OurOutcome {
  return (corpus) => new Drive(corpus, ours).toTheEnd();
}

/** What a decision is made from once whoever is there at the start has arrived and the first gates have begun. */
export function atTheStart(corpus: Corpus, ours: Ours): Situation {
  return new Drive(corpus, ours).toTheStart();
}

export interface Situation {
  readonly run: RunRecord;
  readonly live: readonly TaskRecord[];
  readonly state: State;
}

type Of<Type extends Command['type']> = Extract<Command, { type: Type }>;

class Drive {
  readonly #corpus: Corpus;
  readonly #state = new State();
  readonly #landed: Landed[] = [];
  readonly #rejected: Rejected[] = [];
  readonly #implied: string[] = [];
  readonly #boardedAt = new Map<number, number>();
  readonly #gateStarts: number[] = [];
  readonly #judged = new Set<string>();
  readonly #verdicts = new Map<string, boolean>();
  /** Ends of the gates at work, by candidate and count. */
  readonly #ends = new Map<string, number>();
  readonly #commits = new Map<string, Made>([['base', base]]);
  readonly #target = new Set<number>();
  #now = 0;
  #seq = 0;
  #runs = 0;
  #arrived = 0;
  #backlog = 0;

  constructor(corpus: Corpus, ours: Ours) {
    this.#corpus = corpus;
    const { slots: gateSlots, batch } = ours;
    const how = settings({ gateSlots, train: { batch, style: 'merge' } });
    this.#tell({ type: 'run-started', run, owner, settings: how, base: 'base' });
  }

  toTheStart(): Situation {
    this.#arrive();
    this.#settle();
    return { state: this.#state, run: this.#record(), live: this.#live() };
  }

  toTheEnd(): OurOutcome {
    const { branches } = this.#corpus;
    while (this.#landed.length + this.#rejected.length < branches.length) {
      const ends = Math.min(...this.#ends.values());
      const arrives = branches[this.#arrived]?.arrivesAt ?? Number.POSITIVE_INFINITY;
      const next = Math.min(ends, arrives);
      if (!Number.isFinite(next)) throw new Error('the train stands still');
      this.#now = Math.max(this.#now, next);
      this.#arrive();
      this.#endGates();
      this.#settle();
    }
    return {
      landed: this.#landed,
      rejected: this.#rejected,
      runs: this.#runs,
      endedAt: Math.max(this.#now, branches.at(-1)?.arrivesAt ?? 0),
      backlog: this.#backlog,
      implied: this.#implied,
      boardedAt: this.#boardedAt,
      gateStarts: this.#gateStarts,
    };
  }

  #settle(): void {
    for (let times = 0; this.#decide(); times += 1) {
      if (times > DECISIONS_MAX) throw new Error('the train goes round in circles');
    }
  }

  #tell(...events: readonly EventBody[]): void {
    for (const body of events) {
      this.#seq += 1;
      fold(this.#state, { seq: this.#seq, at: this.#now, version: 1, ...body } satisfies Event);
    }
  }

  #record(): RunRecord {
    const record = this.#state.run(run);
    if (record === undefined) throw new Error('no run');
    return record;
  }

  #arrive(): void {
    const { branches } = this.#corpus;
    for (;;) {
      const branch = branches[this.#arrived];
      if (branch === undefined || branch.arrivesAt > this.#now) return;
      this.#arrived += 1;
      this.#tell(...arrival(branch));
      if (this.#arrived === branches.length) {
        this.#backlog = branches.length - this.#landed.length - this.#rejected.length;
      }
    }
  }

  #endGates(): void {
    for (const [key, at] of this.#ends) {
      if (at > this.#now) continue;
      this.#ends.delete(key);
      const { candidate, count } = partsOf(key);
      const found = this.#record().train.runningGates.find(
        (one) => one.candidate === candidate && one.count === count,
      );
      if (found === undefined) throw new Error(`nobody asked for ${key}`);
      const failed = redWith(this.#corpus, this.#target, this.#above(found.commit));
      this.#verdicts.set(found.tree, failed);
      this.#tell(judgement(candidate, count, found.tree, failed, false));
      this.#sendHome();
    }
  }

  /** Whoever was found to blame would be worked on again; here that is its end. */
  #sendHome(): void {
    for (const id of this.#state.live) {
      const state = this.#state.task(id)?.attempt?.state;
      if (state?.id !== 'returned') continue;
      const on = state.on === undefined ? [] : this.#above(state.on.commit);
      const upon = new Set([...this.#target, ...on]);
      this.#rejected.push({ index: indexOf(id), at: this.#now, upon });
      this.#tell({ type: 'attempt-failed', run, id, attempt: 1, failure: state.failure });
    }
  }

  #commit(id: string): Made {
    const made = this.#commits.get(id);
    if (made === undefined) throw new Error(`nobody made ${id}`);
    return made;
  }

  #above(commit: string): readonly number[] {
    return above(this.#commit(commit), this.#target);
  }

  #live(): readonly TaskRecord[] {
    const live: TaskRecord[] = [];
    for (const id of this.#state.live) {
      const record = this.#state.task(id);
      if (record !== undefined) live.push(record);
    }
    return live;
  }

  /** True when something happened, so that another decision is due at once. */
  #decide(): boolean {
    const before = this.#seq;
    const queue = queuedBranches(this.#live(), this.#now);
    const { commands } = moveTrain(this.#state, this.#record(), queue, this.#now);
    for (const command of commands) this.#perform(command);
    return this.#seq > before;
  }

  #perform(command: Command): void {
    switch (command.type) {
      case 'build-candidate':
        this.#buildCandidate(command);
        return this.#sendHome();
      case 'begin-gate':
        return this.#beginGate(command);
      case 'judge-candidate':
        return this.#follow(command);
      case 'interrupt-gate': {
        const { candidate, count } = command;
        this.#ends.delete(keyOf(command));
        return this.#tell({ type: 'gate-abandoned', run, candidate, count });
      }
      case 'land':
        return this.#land(command);
      default:
        throw new Error(`the train asked for ${command.type}`);
    }
  }

  #buildCandidate({ candidate, landings, on, urgent, seen }: Of<'build-candidate'>): void {
    const entries = landings.map(({ entry }) => entry);
    const parent = on?.head ?? seen.tip ?? 'base';
    const place = { run, candidate, parent };
    const of = on === undefined ? place : { ...place, on: on.id };
    const upon = this.#commit(parent);
    const { events, made } = built(this.#corpus, of, entries, upon, this.#target);
    for (const [commit, one] of made) this.#commits.set(commit, one);
    const isUrgent = urgent === true ? { urgent: true } : {};
    this.#tell(
      ...events.map((event) =>
        event.type === 'candidate-built' ? { ...event, ...isUrgent } : event,
      ),
    );
  }

  #beginGate(command: Of<'begin-gate'>): void {
    const { candidate: id, count, tasks } = command;
    const candidate = this.#record().train.candidates.find((one) => one.id === id);
    if (candidate === undefined) return;
    const key = keyOf({ candidate: id, count });
    const { green, red: known } = candidate;
    const isOpen = count > green && count < (known?.count ?? Number.POSITIVE_INFINITY);
    if (!isOpen || this.#judged.has(key)) this.#implied.push(key);
    this.#judged.add(key);
    for (const name of tasks) {
      const index = indexOf(name);
      if (!this.#boardedAt.has(index)) this.#boardedAt.set(index, this.#now);
    }
    this.#tell({ ...command, type: 'gate-started', run });
  }

  /** A tree that was judged before is not judged again. */
  #follow({ gate: { candidate, count, tree } }: Of<'judge-candidate'>): void {
    const key = keyOf({ candidate, count });
    if (this.#ends.has(key)) return;
    const known = this.#verdicts.get(tree);
    if (known !== undefined) {
      this.#tell(judgement(candidate, count, tree, known, true));
      return this.#sendHome();
    }
    this.#gateStarts.push(this.#now);
    this.#ends.set(key, this.#now + this.#corpus.gateMs(this.#runs));
    this.#runs += 1;
  }

  #land({ candidate, count }: Of<'land'>): void {
    const { tip = 'base' } = this.#record().target;
    const { id, landed: gone, parent, prefixes } = candidate;
    const from = prefixes[gone - 1]?.commit ?? parent;
    const commit = prefixes[count - 1]?.commit;
    if (commit === undefined) throw new Error(`${id} has no ${count} entries`);
    if (from !== tip) {
      return this.#tell({
        type: 'candidate-dropped',
        run,
        candidate: id,
        reason: { id: 'target-moved', to: tip },
      });
    }
    const entries = candidate.entries.slice(gone, count);
    for (const { id: name } of entries) {
      this.#target.add(indexOf(name));
      this.#landed.push({ index: indexOf(name), at: this.#now });
    }
    this.#tell({ type: 'landed', run, candidate: id, commit, from, entries });
    this.#sendHome();
  }
}

const keyOf = ({ candidate, count }: { candidate: string; count: number }): string =>
  `${candidate} ${count}`;

function partsOf(key: string): { readonly candidate: string; readonly count: number } {
  const [candidate = '', count] = key.split(' ');
  return { candidate, count: Number(count) };
}
