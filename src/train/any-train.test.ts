import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { red, Story, task } from '../../test/story.ts';
import type { Command, CommandOf } from '../model/command.ts';
import type { EventBody } from '../model/event.ts';
import type { CandidatePrefix, QueueEntry } from '../model/queue-entry.ts';
import type { Candidate } from '../model/train-record.ts';
import { baseOf, headOf } from './candidates.ts';

/**
 * The train in a world where everything takes its time: couplings, gates and landings begin as they are decided and end
 * in any order, so that each of them meets a state that is not the one it was decided in.
 */
class World {
  readonly story = new Story();
  readonly ids: readonly string[];
  /** Values of the target, the newest last: landings, and commits of others. */
  readonly target = ['base'];
  /** Parent and queue entry of each commit that was built. */
  readonly made = new Map<string, { readonly parent: string; readonly entry: string }>();
  readonly verdicts = new Map<string, boolean[]>();
  /** Builds and landings under way. */
  readonly #underWay = new Map<string, () => readonly EventBody[]>();
  readonly #isRed: (commit: string) => boolean;
  #commits = 0;

  constructor(branches: number, slots: number, batch: number, bad: (entry: string) => boolean) {
    this.ids = Array.from({ length: branches }, (_, at) => `t${at}`);
    this.#isRed = (commit) => this.entriesIn(commit).some(bad);
    const how = { gateSlots: slots, train: { batch, style: 'merge' } } as const;
    const tasks = this.ids.map((id, at) => task(id, { priority: at % 5 === 4 ? 0 : 2 }));
    this.story.tasks(...tasks).start({ jobs: 1, pool: 99, retries: 0, ...how });
    for (const id of this.ids) {
      const changes = { files: [`${id}.txt`], count: 1, added: 1, removed: 0 };
      this.story.prepared(id).works(id, 1, { changes }).judged(id, true);
    }
  }

  /** Branches whose files the user edits. */
  edited: readonly string[] = [];

  /** The branches that a commit holds. */
  entriesIn(commit: string): readonly string[] {
    const made = this.made.get(commit);
    return made === undefined ? [] : [...this.entriesIn(made.parent), made.entry];
  }

  /** Begins what is decided, then lets one of the things under way end. False where nothing is left to do. */
  step(choice: number, flaky?: boolean): boolean {
    for (const command of this.story.decide().commands) this.#begin(command);
    const gates = this.story
      .record()
      .train.runningGates.map((gate) => () => this.#judge(gate, flaky));
    const ends = [...this.#underWay].map(([key, end]) => () => {
      this.#underWay.delete(key);
      return end();
    });
    const all = [...gates, ...ends];
    const end = all[choice % Math.max(1, all.length)];
    if (end === undefined) return this.#waits();
    this.story.tell(...end());
    return true;
  }

  /** Lets the time pass until something is due. False if nothing is, or if all that is left waits for the user. */
  #waits(): boolean {
    const { wakeAt } = this.story.decide();
    const isLeft = this.ids.some((id) => this.state(id) !== 'landed' && !this.edited.includes(id));
    if (wakeAt === undefined || (this.edited.length > 0 && !isLeft)) return false;
    this.story.now = wakeAt;
    return true;
  }

  #begin(command: Command): void {
    switch (command.type) {
      case 'build-candidate':
        if (!this.#underWay.has('build-candidate'))
          this.#underWay.set('build-candidate', this.#buildCandidate(command));
        return;
      case 'begin-gate': {
        this.story.tell({ ...command, type: 'gate-started', run: 'r1' });
        return;
      }
      case 'judge-target': {
        const { commit } = command;
        const verdict = { id: 'passed', ms: 1 } as const;
        const of = { run: 'r1', commit, tree: `tree-${commit}`, gate: 'gate', verdict };
        this.#underWay.set('judge-target', () => [{ type: 'target-judged', ...of }]);
        return;
      }
      case 'land': {
        const { candidate, count } = command;
        const key = `land ${candidate.id} ${count}`;
        if (!this.#underWay.has(key)) this.#underWay.set(key, () => this.#land(candidate, count));
        return;
      }
      default:
        return;
    }
  }

  #find(id: string): Candidate | undefined {
    return this.story.record().train.candidates.find((one) => one.id === id);
  }

  /** Somebody else puts a commit of theirs on the target. */
  moved(): void {
    this.#commits += 1;
    const commit = `theirs-${this.#commits}`;
    this.landed.push(commit);
    this.target.push(commit);
  }

  #buildCandidate({ candidate, landings, on, urgent, seen }: CommandOf<'build-candidate'>) {
    const { tip: from = '' } = seen;
    const { candidates: line } = this.story.record().train;
    const entries = landings.map(({ entry }) => entry);
    const to = this.#tip();
    if (from !== to) {
      const isOurs = line.some(({ prefixes }) => prefixes.some(({ commit }) => commit === to));
      const moved: EventBody = { type: 'target-moved', run: 'r1', from, to };
      return (): readonly EventBody[] => (isOurs ? [] : [moved]);
    }
    const parent = on?.head ?? this.#tip();
    const prefixes: CandidatePrefix[] = [];
    for (const { id } of entries) {
      this.#commits += 1;
      const commit = `k${this.#commits}`;
      this.made.set(commit, { parent: prefixes.at(-1)?.commit ?? parent, entry: id });
      prefixes.push({ commit, tree: `tree-${commit}` });
    }
    const last = prefixes.at(-1) ?? { commit: '', tree: '' };
    const built = {
      type: 'candidate-built',
      run: 'r1',
      candidate,
      parent,
      entries,
      prefixes,
    } as const;
    const place = {
      ...(on === undefined ? {} : { on: on.id }),
      ...(urgent === true ? { urgent } : {}),
    };
    return (): readonly EventBody[] => [{ ...built, ...last, ...place }];
  }

  #tip(): string {
    return this.target.at(-1) ?? '';
  }

  #judge(
    { candidate, count, commit, tree }: { candidate: string; count: number } & CandidatePrefix,
    flaky?: boolean,
  ): readonly EventBody[] {
    const passed = flaky ?? !this.#isRed(commit);
    this.verdicts.set(commit, [...(this.verdicts.get(commit) ?? []), passed]);
    const verdict = passed
      ? ({ id: 'passed', ms: 1 } as const)
      : ({ id: 'failed', ms: 1, failure: red } as const);
    const of = { run: 'r1', candidate, count, tree, gate: 'gate' };
    return [{ type: 'candidate-judged', ...of, verdict, cached: false }];
  }

  /** As `merge/land.ts` does it: by what the target is when it comes to it. */
  #land(candidate: Candidate, count: number): readonly EventBody[] {
    const from = baseOf(candidate);
    const commit = candidate.prefixes[count - 1]?.commit ?? candidate.commit;
    const entries = candidate.entries.slice(candidate.landed, count);
    const of = { run: 'r1', candidate: candidate.id };
    if (this.#tip() === from) {
      const inTheWay = entries.flatMap(({ id }) => (this.edited.includes(id) ? `${id}.txt` : []));
      const cause = inTheWay.map((file) => `\t${file}`).join('\n');
      const failure = { kind: 'checkout-in-the-way', dir: '/', cause } as const;
      const until = this.story.now + 10;
      if (inTheWay.length > 0) return [{ type: 'landing-waits', ...of, failure, until, inTheWay }];
      for (let at: string | undefined = commit; at !== undefined && at !== from; ) {
        this.landed.push(at);
        at = this.made.get(at)?.parent;
      }
      this.target.push(commit);
    } else if (!this.landed.includes(commit)) {
      return [
        {
          type: 'candidate-dropped',
          ...of,
          reason: { id: 'target-moved', to: this.#tip() },
          alone: true,
        },
      ];
    }
    return [{ type: 'landed', ...of, commit, from, entries }];
  }

  /** Every commit that is part of the target. */
  readonly landed: string[] = ['base'];

  state(id: string): string {
    return this.story.task(id).attempt?.state.id ?? '';
  }
}

/** Every branch is in one place only, and every candidate stands on something that is there. */
function expectOrder(world: World): void {
  const { train, target } = world.story.record();
  const line = train.candidates;
  const riding = line.flatMap(({ id, entries, landed: gone }) =>
    entries.slice(gone).map((entry: QueueEntry) => `${entry.id} ${id}`),
  );
  const said = world.ids.flatMap((id) => {
    const state = world.story.task(id).attempt?.state;
    return state?.id === 'landing' ? [`${id} ${state.candidate}`] : [];
  });
  expect([...said].sort()).toEqual([...riding].sort());
  for (const one of line) {
    const below = [target.tip, ...line.filter((other) => other !== one).map(headOf)];
    expect(below).toContain(baseOf(one));
    expect(one.green).toBeLessThanOrEqual(one.entries.length);
    expect(one.landed).toBeLessThanOrEqual(one.green);
  }
}

/** Whoever is blamed was red on top of something that was green, or on the target itself. */
function expectBlame(world: World): void {
  for (const id of world.ids) {
    const state = world.story.task(id).attempt?.state;
    if (state?.id !== 'returned') continue;
    const on = state.on?.commit ?? '';
    const isRed = [...world.made].some(
      ([commit, { parent, entry }]) =>
        entry === id && parent === on && world.verdicts.get(commit)?.includes(false),
    );
    expect(isRed, `${id} was red on ${on}`).toBe(true);
    const isGreen = world.landed.includes(on) || world.verdicts.get(on)?.includes(true);
    expect(isGreen, `${on} was green under ${id}`).toBe(true);
  }
}

/** Everybody has come to an end: nothing rides any more, and what waits nobody can couple. */
function expectEnd(world: World): void {
  expect(world.story.record()).toMatchObject({ train: { candidates: [], runningGates: [] } });
  for (const id of world.ids) expect(['landed', 'returned']).toContain(world.state(id));
  const landed = world.ids.filter((id) => world.state(id) === 'landed');
  const holds = world.landed.flatMap((commit) => world.made.get(commit)?.entry ?? []);
  expect([...holds].sort()).toEqual([...landed].sort());
}

const steps = 400;
const worlds = fc.record({
  branches: fc.integer({ min: 1, max: 9 }),
  slots: fc.integer({ min: 1, max: 3 }),
  batch: fc.integer({ min: 1, max: 8 }),
  choices: fc.array(fc.nat({ max: 1_000 }), { minLength: 1, maxLength: 60 }),
});

describe('in whatever order things end', () => {
  test('every branch lands or is blamed, once, and nobody is blamed who is not bad', {
    timeout: 60_000,
  }, () => {
    const bad = fc.array(fc.boolean(), { minLength: 9, maxLength: 9 });
    fc.assert(
      fc.property(worlds, bad, ({ branches, slots, batch, choices }, which) => {
        const isBad = (id: string): boolean => which[Number(id.slice(1))] === true;
        const world = new World(branches, slots, batch, isBad);
        for (let at = 0; at < steps && world.step(choices[at % choices.length] ?? 0); at += 1) {
          expectOrder(world);
          expectBlame(world);
        }
        expectEnd(world);
        for (const id of world.ids) expect(world.state(id)).toBe(isBad(id) ? 'returned' : 'landed');
      }),
      { numRuns: 200 },
    );
  });

  test('the same holds for gates that say now this and now that', { timeout: 60_000 }, () => {
    const flakes = fc.array(fc.boolean(), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(worlds, flakes, ({ branches, slots, batch, choices }, flaky) => {
        const world = new World(branches, slots, batch, () => false);
        for (let at = 0; at < steps; at += 1) {
          const verdict = flaky[at % flaky.length];
          if (!world.step(choices[at % choices.length] ?? 0, verdict)) break;
          expectOrder(world);
          expectBlame(world);
        }
        expectEnd(world);
      }),
      { numRuns: 200 },
    );
  });

  test('an edit of the user keeps only those branches from landing that change the file', {
    timeout: 60_000,
  }, () => {
    const edits = fc.array(fc.boolean(), { minLength: 9, maxLength: 9 });
    fc.assert(
      fc.property(worlds, edits, ({ branches, slots, batch, choices }, which) => {
        const world = new World(branches, slots, batch, () => false);
        const edited = world.ids.filter((_, at) => which[at] === true);
        world.edited = edited;
        const play = (): void => {
          for (let at = 0; at < steps && world.step(choices[at % choices.length] ?? 0); at += 1)
            expectOrder(world);
        };
        play();
        for (const id of world.ids) expect(world.state(id) === 'landed').toBe(!edited.includes(id));
        world.edited = [];
        play();
        expectEnd(world);
      }),
      { numRuns: 200 },
    );
  });

  test('the same holds where somebody else moves the target now and then', {
    timeout: 60_000,
  }, () => {
    const moves = fc.array(fc.nat({ max: 60 }), { maxLength: 3 });
    const bad = fc.array(fc.boolean(), { minLength: 9, maxLength: 9 });
    fc.assert(
      fc.property(worlds, bad, moves, ({ branches, slots, batch, choices }, which, when) => {
        const isBad = (id: string): boolean => which[Number(id.slice(1))] === true;
        const world = new World(branches, slots, batch, isBad);
        for (let at = 0; at < steps; at += 1) {
          if (when.includes(at)) world.moved();
          if (!world.step(choices[at % choices.length] ?? 0)) break;
          expectBlame(world);
        }
        expectEnd(world);
        for (const id of world.ids) expect(world.state(id)).toBe(isBad(id) ? 'returned' : 'landed');
      }),
      { numRuns: 200 },
    );
  });
});
