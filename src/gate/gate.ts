import type { Gate } from '../model/verdict.ts';

/** Gate plus the checks of particular tasks. */
export function gateWith(gate: Gate, checks: readonly string[]): Gate {
  const extra = checks.filter((check) => !gate.commands.includes(check));
  if (extra.length === 0) return gate;
  const added = [...new Set(extra)];
  return { ...gate, id: `${gate.id} + ${gateId(added)}`, commands: [...gate.commands, ...added] };
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
