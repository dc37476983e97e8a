import { type TargetCheckReason, unreachable } from '../../model/failure.ts';
import { limits } from '../../model/limits.ts';
import type { RunSettings } from '../../model/run.ts';
import type { RunRecord } from '../../model/run-record.ts';
import { isNoGate } from '../../model/verdict.ts';
import { utcMinute } from '../format/time.ts';

export interface CheckingView {
  readonly reason: TargetCheckReason;
  readonly commit: string;
  readonly since: number;
  /** Commands of `run.before`, and whether the gate runs after them. Absent if only the gate runs. */
  readonly before?: { readonly commands: readonly string[]; readonly hasGate: boolean };
}

export function checkingView(run: RunRecord, now: number): CheckingView | undefined {
  const { check: checking } = run.target;
  if (checking === undefined) return undefined;
  const { reason, commit, since } = checking;
  const before = beforeGate(checking.before, run.settings);
  return { reason, commit, since: Math.min(since, now), before };
}

export function beforeGate(
  commands: readonly string[] | undefined,
  { gate }: Pick<RunSettings, 'gate'>,
): CheckingView['before'] {
  return commands && { commands, hasGate: !isNoGate(gate) };
}

/** `: sh ready.sh, then the gate`; empty if only the gate runs. */
export function beforeText(before: CheckingView['before']): string {
  if (before === undefined) return '';
  return `: ${before.commands.join(', ')}${before.hasGate ? ', then the gate' : ''}`;
}

/** `checking main before the first agent starts: sh ready.sh, then the gate` */
export function targetCheckText(
  { reason, before }: Pick<CheckingView, 'reason' | 'before'>,
  branch: string | undefined,
): string {
  const checking = `checking ${branch ?? 'the target'}`;
  switch (reason) {
    case 'preflight':
      return `${checking} before the first agent starts${beforeText(before)}`;
    case 'blame':
      return `${checking} before an agent is blamed for a red gate`;
    case 'moved':
      return `${checking}: it was moved during the run`;
    default:
      unreachable(reason);
  }
}

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
  return `"${command}" is quarantined as flaky and passed only after extra retries${end}`;
}
