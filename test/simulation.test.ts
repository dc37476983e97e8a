import { describe, expect, test } from 'vitest';
import { broken } from './simulation/invariants.ts';
import { World } from './simulation/world.ts';

const first = Number(process.env.SIMULATION_SEED ?? 1);
const count = Number(process.env.SIMULATION_SEEDS ?? (process.env.SIMULATION_SEED ? 1 : 2_000));
const chunk = 100;

/** Replay one world: `SIMULATION_SEED=123 npx vitest run test/simulation.test.ts`. */
describe('the whole core in simulated worlds', () => {
  for (let from = first; from < first + count; from += chunk) {
    const to = Math.min(from + chunk, first + count) - 1;
    test(`keeps every promise in worlds ${from} to ${to}`, { timeout: 120_000 }, async () => {
      for (let seed = from; seed <= to; seed += 1) {
        const world = new World(seed);
        let wrong: readonly string[];
        try {
          wrong = await broken(world, await world.live());
        } catch (error) {
          wrong = [error instanceof Error ? (error.stack ?? error.message) : String(error)];
        }
        const deaths = world.crashes.join(', ');
        expect(wrong, `seed ${seed}, the engine died ${deaths || 'nowhere'}`).toEqual([]);
      }
    });
  }
});
