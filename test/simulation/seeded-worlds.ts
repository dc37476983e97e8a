import { describe, expect, test } from 'vitest';
import { decidedCommands, unsendable } from './commands.ts';
import { broken } from './invariants.ts';
import { World } from './world.ts';

const { SIMULATION_SEED: asked, SIMULATION_SEEDS: count = '1' } = process.env;
const chunk = 50;

/**
 * Lives through these worlds, both included. Replay one world, or as many as `SIMULATION_SEEDS` says from there on:
 * `SIMULATION_SEED=123 npx vitest run test/simulation`.
 */
export function liveThrough(first: number, last: number): void {
  const from = asked === undefined ? first : Number(asked);
  const to = asked === undefined ? last : from + Number(count) - 1;
  describe('the whole core in simulated worlds', () => {
    for (let start = from; start <= to; start += chunk) {
      const end = Math.min(start + chunk - 1, to);
      test(`keeps every promise in worlds ${start} to ${end}`, { timeout: 120_000 }, () =>
        keepsPromises(start, end),
      );
    }
  });
}

async function keepsPromises(from: number, to: number): Promise<void> {
  for (let seed = from; seed <= to; seed += 1) {
    const world = new World(seed);
    let wrong: readonly string[];
    try {
      wrong = await broken(world, await world.live());
      // In some worlds only, because it decides again after every event.
      if (seed % 10 === 0) wrong = [...wrong, ...unsendable(decidedCommands(world.events))];
    } catch (error) {
      wrong = [error instanceof Error ? (error.stack ?? error.message) : String(error)];
    }
    const deaths = world.crashes.join(', ');
    expect(wrong, `seed ${seed}, the engine died ${deaths || 'nowhere'}`).toEqual([]);
  }
}
