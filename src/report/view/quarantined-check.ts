import type { Event } from '../../model/event.ts';
import { limits } from '../../model/limits.ts';
import { printable } from '../format/printable.ts';
import { isoTime, utcMinute } from '../format/time.ts';

/** A check that passed only with the extra retries of quarantine. */
export interface QuarantinedCheck {
  readonly command: string;
  /** Until then it gets more tries; absent where that is not known any more. */
  readonly until?: string;
}

/** A check that failed and then passed on the same tree, in any run. */
export interface FlakeAt {
  readonly command: string;
  readonly at: number;
}

/** The checks that verdicts of a run had more patience with. `own` are its events. */
export function quarantinedChecksOf(
  own: readonly Event[],
  flakes: readonly FlakeAt[] = [],
): readonly QuarantinedCheck[] {
  const last = new Map<string, number>();
  const note = ({ command, at }: FlakeAt): void => {
    last.set(command, Math.max(at, last.get(command) ?? at));
  };
  for (const flake of flakes) note(flake);
  const quarantined = new Set<string>();
  for (const event of own) {
    if (event.type === 'check-flaked') note(event);
    if (!('verdict' in event) || event.verdict.id !== 'passed') continue;
    for (const command of event.verdict.quarantined ?? []) quarantined.add(command);
  }
  return [...quarantined].map((command) => {
    const at = last.get(command);
    return at === undefined ? { command } : { command, until: isoTime(at + limits.quarantineMs) };
  });
}

export function quarantineText({ command, until }: QuarantinedCheck): string {
  const end = until === undefined ? '' : `; the quarantine ends on ${utcMinute(Date.parse(until))}`;
  return `"${printable(command)}" is quarantined as flaky and passed only after extra retries${end}`;
}
