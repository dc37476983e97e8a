import type { Command } from '../model/command.ts';
import type { EventBody } from '../model/event.ts';
import { limits } from '../model/limits.ts';
import type { Records } from '../model/records.ts';
import type { RunRecord, WaitWatch } from '../model/run-record.ts';
import { lastWaits, openWaits } from '../model/task-record.ts';
import { parseWait } from '../model/wait.ts';
import { setBlockers } from '../task/status.ts';
import type { State } from './state.ts';

interface WaitCommands {
  readonly commands: readonly Command[];
  /** Time of the next check; absent if no task waits. */
  readonly wakeAt?: number;
}

/**
 * Checks all waits of tasks together, less and less often while none of them ends. A wait that no check has looked at is
 * due at once, and a date when it has come. A wait matters only when all parents of its task are done.
 */
export function checkWaits(state: State, run: RunRecord, now: number): WaitCommands {
  const passed: Waiting[] = [];
  const others: Waiting[] = [];
  const times: number[] = [];
  for (const id of state.waiting) {
    const record = state.task(id);
    for (const wait of record === undefined ? [] : lastWaits(record)) {
      const parsed = parseWait(wait);
      if (parsed?.for !== 'until') others.push({ id, wait });
      else if (parsed.at <= now) passed.push({ id, wait });
      else times.push(parsed.at);
    }
  }
  const next = others.length === 0 ? undefined : nextCheckAt(run.waitWatch, others);
  const isDue = next !== undefined && next <= now;
  if (next !== undefined) times.push(next);
  const waits = isDue ? [...passed, ...others] : passed;
  if (waits.length > 0) return { commands: [{ type: 'check-waits', waits }] };
  return times.length === 0 ? { commands: [] } : { commands: [], wakeAt: Math.min(...times) };
}

interface Waiting {
  readonly id: string;
  readonly wait: string;
}

function nextCheckAt(watch: WaitWatch | undefined, waits: readonly Waiting[]): number {
  const known = new Set(watch?.waits);
  if (watch === undefined || waits.some(({ wait }) => !known.has(wait))) return 0;
  return checkAfter(watch);
}

/** Time of the next check of waits that were checked before. */
export function checkAfter({ askedAt, quiet }: WaitWatch): number {
  // The power may become infinite; the maximum still limits it.
  return askedAt + Math.min(limits.waitWatchMs * 2 ** quiet, limits.waitWatchMaxMs);
}

/** State after a check. */
export function watchedWaits(
  before: WaitWatch | undefined,
  { waits, over, notes }: Extract<EventBody, { type: 'waits-checked' }>,
  at: number,
): WaitWatch {
  const left = waits.filter((wait) => !over.includes(wait));
  const known = new Set(before?.waits);
  const isQuiet = over.length === 0 && left.every((wait) => known.has(wait));
  const quiet = isQuiet && before !== undefined ? before.quiet + 1 : 0;
  return { waits: left, askedAt: at, quiet, notes };
}

/** A wait that is over stays over, whatever happens outside and to the attempts of its task. */
export function endWait(
  records: Records,
  { id, wait }: Extract<EventBody, { type: 'wait-over' }>,
  at: number,
): void {
  const record = records.task(id);
  if (record === undefined || !openWaits(record).includes(wait)) return;
  const waitsOver = [...(record.waitsOver ?? []), wait];
  setBlockers(records, { ...record, waitsOver }, record.blockers - 1, at);
}
