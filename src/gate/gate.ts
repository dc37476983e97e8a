import type { Failure } from '../model/failure.ts';
import type { Gate } from '../model/verdict.ts';

/** A gate with the checks of particular tasks beside its own. Without checks it is the gate itself. */
export function gateWith(gate: Gate, checks: readonly string[]): Gate {
  const extra = checks.filter((check) => !gate.commands.includes(check));
  if (extra.length === 0) return gate;
  const commands = [...gate.commands, ...new Set(extra)];
  return { ...gate, id: gateId(commands), commands };
}

/**
 * The identity of a judgement: the commands, in order. Written out instead of hashed, so that a log shows which gate
 * said what; the length of each command keeps two lists from looking alike.
 */
export function gateId(commands: readonly string[]): string {
  return commands.map((command) => `${command.length}:${command}`).join(' ');
}

/** Whether a verdict that is not green says something about the work, so that its agent can act on it. */
export function isAboutTheWork(failure: Failure): boolean {
  return failure.kind === 'gate-red' || failure.kind === 'limit-crossed';
}
