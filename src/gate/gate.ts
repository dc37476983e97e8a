import type { Attempt } from '../model/attempt.ts';
import { limits } from '../model/limits.ts';
import type { Gate } from '../model/verdict.ts';

/** Gate plus the checks of particular tasks. */
export function gateWith(gate: Gate, checks: readonly string[]): Gate {
  const extra = checks.filter((check) => !gate.commands.includes(check));
  if (extra.length === 0) return gate;
  const added = [...new Set(extra)];
  return { ...gate, id: `${gate.id} + ${gateId(added)}`, commands: [...gate.commands, ...added] };
}

/** The gate that judges a branch. Quick commands may leave out new tests, so they do not judge tests that come first. */
export function gateOfBranch(
  { gate, quick = gate }: { readonly gate: Gate; readonly quick?: Gate | undefined },
  { testsFirst }: Pick<Attempt, 'testsFirst'>,
  checks: readonly string[],
): Gate {
  return gateWith(testsFirst?.id === 'writing' ? gate : quick, checks);
}

/**
 * Key for a branch verdict. It was made in the agent's worktree with its ignored files, so it does not count for
 * candidates.
 */
export function branchGateId(gate: Gate): string {
  return `branch: ${gate.id}`;
}

/**
 * Key of a gate: its commands in order, and its setup. Not hashed, so that a log shows which gate ran; lengths keep two
 * command lists from looking alike.
 */
export function gateId(commands: readonly string[], setup: readonly string[] = []): string {
  const written = (list: readonly string[]): string =>
    list.map((command) => `${command.length}:${command}`).join(' ');
  return setup.length === 0 ? written(commands) : `${written(commands)} after ${written(setup)}`;
}

/** Time at which a command failed and then passed on the same tree. */
export interface FlakeAt {
  readonly command: string;
  readonly at: number;
}

export interface CheckInQuarantine {
  readonly command: string;
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
