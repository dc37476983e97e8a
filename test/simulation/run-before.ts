import type { ProcessSpec } from '../../src/port/processes.ts';
import type { Behavior } from '../memory/processes.ts';
import { Chance } from './chance.ts';
import type { Notes } from './notes.ts';

/** The command of `run.before` in a world. Every process that drives a run has to see it pass before it starts an agent. */
export class RunBefore {
  readonly commands = ['ready'];
  readonly #chance: Chance;
  readonly #notes: Notes;
  #hasPassed = false;
  #processes = 0;

  constructor(seed: number, notes: Notes) {
    this.#chance = new Chance(seed + 3_000_000);
    this.#notes = notes;
  }

  /** Another process drives the run from here on. */
  forget(): void {
    this.#hasPassed = false;
    this.#processes += 1;
  }

  /** A child starts. */
  see({ confined, dir, name }: ProcessSpec): void {
    if (confined?.role !== 'agent' || this.#hasPassed) return;
    this.#notes.early.push(`${name} in ${dir} started before \`run.before\` had passed`);
  }

  /** It is slow, so that finished work lands meanwhile, and seldom fails. One that a dead process left tells nothing. */
  behavior(): Behavior {
    const startedBy = this.#processes;
    const code = this.#chance.happens(0.1) ? 1 : 0;
    return {
      ms: this.#chance.pick([10, 1_000, 30_000]),
      end: { id: 'exited', code },
      effect: () => {
        if (startedBy === this.#processes) this.#hasPassed = code === 0;
      },
    };
  }
}
