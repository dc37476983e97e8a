import { limits } from '../model/limits.ts';

/** Time at which a command failed and then passed on the same tree. */
export interface FlakeAt {
  readonly command: string;
  readonly at: number;
}

export interface CheckInQuarantine {
  readonly command: string;
  /** End of the quarantine. */
  readonly until: number;
}

/**
 * Gate commands in quarantine, in gate order. Never all of them: if every command flakes, the one that flaked least
 * stays out.
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

/** On a tie the last: gates run quick checks first and thorough ones last. */
function steadiest<T extends { readonly times: number }>(entries: readonly T[]): T | undefined {
  return entries.reduce<T | undefined>(
    (best, entry) => (best === undefined || entry.times <= best.times ? entry : best),
    undefined,
  );
}
