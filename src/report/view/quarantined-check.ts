import { limits } from '../../model/limits.ts';
import { printable } from '../format/printable.ts';
import { utcMinute } from '../format/time.ts';

/** A check that passed only with the extra retries of quarantine. */
export interface QuarantinedCheck {
  readonly command: string;
  /** Until then it gets more tries; absent where that is not known any more. */
  readonly until?: number;
}

/** A check that failed and then passed on the same tree, in any run. */
export interface FlakeAt {
  readonly command: string;
  readonly at: number;
}

/** Adds the end of the quarantine to checks, as far as the flakes of all runs tell. */
export function quarantinedChecksOf(
  commands: readonly string[],
  flakes: readonly FlakeAt[],
): readonly QuarantinedCheck[] {
  return commands.map((command) => {
    const times = flakes.filter((flake) => flake.command === command).map(({ at }) => at);
    if (times.length === 0) return { command };
    return { command, until: Math.max(...times) + limits.quarantineMs };
  });
}

export function quarantineText({ command, until }: QuarantinedCheck): string {
  const end = until === undefined ? '' : `; the quarantine ends on ${utcMinute(until)}`;
  return `"${printable(command)}" is quarantined as flaky and passed only after extra retries${end}`;
}
