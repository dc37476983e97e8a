import type { Gate } from '../model/verdict.ts';

/** A gate with the checks of particular tasks beside its own. Without checks it is the gate itself. */
export function gateWith(gate: Gate, checks: readonly string[]): Gate {
  const extra = checks.filter((check) => !gate.commands.includes(check));
  if (extra.length === 0) return gate;
  const added = [...new Set(extra)];
  return { ...gate, id: `${gate.id} + ${gateId(added)}`, commands: [...gate.commands, ...added] };
}

/**
 * The identity under which a branch's own verdict is kept. It was made where an agent had worked, with whatever ignored
 * files that left, so it says nothing about the tree anywhere else: what lands is judged in the gate's own worktree.
 */
export function branchGateId(gate: Gate): string {
  return `branch: ${gate.id}`;
}

/**
 * The identity of a judgement: the commands that judge, in order, and those that set the tree up. Written out instead of hashed, so that a log shows which gate
 * said what; the length of each command keeps two lists from looking alike.
 */
export function gateId(commands: readonly string[], setup: readonly string[] = []): string {
  const written = (list: readonly string[]): string =>
    list.map((command) => `${command.length}:${command}`).join(' ');
  return setup.length === 0 ? written(commands) : `${written(commands)} after ${written(setup)}`;
}
