// Chance that can be repeated, and lanes that work at the same time.

export interface Seed {
  readonly value: number;
  /** A whole number from 0 to one less than `below`. */
  random(below: number): number;
}

/** From `TEST_SEED` where it is set, so that a failure can be seen again; else another one each time. */
export function seed(given = process.env.TEST_SEED): Seed {
  const value = given === undefined ? Date.now() % 1_000_000 : Number(given);
  let state = value + 1;
  return {
    value,
    random(below) {
      // A well-known linear generator; its high bits are good enough to choose moments.
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    },
  };
}

/** Runs so many lanes at once and waits for all of them, also when one has failed. */
export async function sideBySide<T>(
  lanes: number,
  work: (lane: number) => Promise<T>,
): Promise<readonly T[]> {
  const all = await Promise.allSettled(Array.from({ length: lanes }, (_, lane) => work(lane)));
  return all.map((end) => {
    if (end.status === 'rejected') throw end.reason;
    return end.value;
  });
}
