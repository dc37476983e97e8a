import { describe, expect, test } from 'vitest';
import { decidedCommands, unsendable } from './commands.ts';
import { broken } from './invariants.ts';
import { World } from './world.ts';

const first = Number(process.env.SIMULATION_SEED ?? 1);
const count = Number(process.env.SIMULATION_SEEDS ?? (process.env.SIMULATION_SEED ? 1 : 2_000));
const chunk = 50;

/**
 * Lives through every second chunk of the worlds, so that two files share the cores.
 * Replay one world: `SIMULATION_SEED=123 npx vitest run test/simulation`.
 */
export function liveThrough(half: 'first' | 'second'): void {
  const chunks = Array.from({ length: Math.ceil(count / chunk) }, (_, n) => first + n * chunk);
  const ours = chunks.filter((_, n) => n % 2 === (half === 'first' ? 0 : 1));
  describe('the whole core in simulated worlds', () => {
    for (const from of ours) {
      const to = Math.min(from + chunk, first + count) - 1;
      test(`keeps every promise in worlds ${from} to ${to}`, { timeout: 120_000 }, () =>
        keepsPromises(from, to),
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
