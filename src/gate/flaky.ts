import { limits } from '../plan/limits.ts';

/** When a command was red and then green on one and the same tree. */
export interface FlakeAt {
  readonly command: string;
  readonly at: number;
}

export interface CheckInQuarantine {
  readonly command: string;
  /** From then on it counts again. */
  readonly until: number;
}

/**
 * The commands of a gate that get more tries just now, in the order of the gate. Never all of them: of a gate that
 * flakes throughout, the command that flaked least still judges.
 */
export function checksInQuarantine(
  commands: readonly string[],
  flakes: readonly FlakeAt[],
  now: number,
): readonly CheckInQuarantine[] {
  const distinct = [...new Set(commands)];
  const found = distinct.flatMap((command) => {
    const times = flakes
      .filter((flake) => flake.command === command)
      .map(({ at }) => at)
      .filter((at) => at <= now && now - at < limits.flakeWindowMs);
    const until = Math.max(...times) + limits.quarantineMs;
    return times.length > limits.flakesMax && until > now
      ? [{ command, until, times: times.length }]
      : [];
  });
  const judge = found.length === distinct.length ? steadiest(found) : undefined;
  return found.filter((entry) => entry !== judge).map(({ command, until }) => ({ command, until }));
}

/** Of equals the last: gates put what is quick first and what is thorough last. */
function steadiest<T extends { readonly times: number }>(entries: readonly T[]): T | undefined {
  return entries.reduce<T | undefined>(
    (best, entry) => (best === undefined || entry.times <= best.times ? entry : best),
    undefined,
  );
}
