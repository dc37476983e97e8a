import { callKey } from '../../model/call.ts';
import type { Event } from '../../model/event.ts';
import type { Outcome } from '../history/attempts.ts';
import type { AttemptRow } from './summary.ts';

export interface SlotNumbers {
  readonly attempts: number;
  readonly turns: number;
  readonly landed: number;
  readonly failed: number;
  readonly busyMs: number;
}

/** Slot 0 holds the attempts whose slot is not recorded. */
export interface SlotRow extends SlotNumbers {
  readonly slot: number;
}

/** `oneShotMs` is the time of reviews and critiques per slot. */
export function slotRows(
  rows: readonly AttemptRow[],
  jobs: number,
  oneShotMs: ReadonlyMap<number, number>,
): SlotRow[] {
  const used = rows.reduce((most, { slot }) => Math.max(most, slot), jobs);
  const listed = Array.from({ length: Math.min(used, slotsMax) }, (_, at) => at + 1);
  const all = new Set([...listed, ...oneShotMs.keys(), ...rows.map(({ slot }) => slot)]);
  return [...all]
    .sort((a, b) => a - b)
    .map((slot) => {
      const numbers = numbersOf(rows.filter((row) => row.slot === slot));
      return { slot, ...numbers, busyMs: numbers.busyMs + (oneShotMs.get(slot) ?? 0) };
    });
}

/** Time of reviews and critiques per slot; running ones count up to the newest event. */
export function oneShotTimes(own: readonly Event[], lastAt: number): ReadonlyMap<number, number> {
  const began = new Map<string, { readonly slot: number; readonly at: number }>();
  const busy = new Map<number, number>();
  const note = (slot: number, ms: number): void => {
    busy.set(slot, (busy.get(slot) ?? 0) + Math.max(0, ms));
  };
  for (const event of own) {
    switch (event.type) {
      case 'call-started':
        began.set(callKey(event), { slot: event.slot, at: event.at });
        break;
      case 'call-ended': {
        const start = began.get(callKey(event));
        if (start !== undefined) note(start.slot, event.at - start.at);
        began.delete(callKey(event));
        break;
      }
      default:
    }
  }
  for (const { slot, at } of began.values()) note(slot, lastAt - at);
  return busy;
}

/** Idle slots are listed as well, but not more than a run can have. */
const slotsMax = 16;

const unfailed: readonly Outcome[] = ['landed', 'delivered', 'planned', 'incomplete'];

function numbersOf(rows: readonly AttemptRow[]): SlotNumbers {
  return {
    attempts: rows.length,
    turns: rows.reduce((total, row) => total + row.turns, 0),
    landed: rows.filter(({ outcome }) => outcome === 'landed').length,
    failed: rows.filter(({ outcome }) => !unfailed.includes(outcome)).length,
    busyMs: rows.reduce((total, row) => total + row.ms, 0),
  };
}

export function sum(rows: readonly SlotNumbers[]): SlotNumbers {
  const nothing: SlotNumbers = { attempts: 0, turns: 0, landed: 0, failed: 0, busyMs: 0 };
  return rows.reduce(
    (total, row) => ({
      attempts: total.attempts + row.attempts,
      turns: total.turns + row.turns,
      landed: total.landed + row.landed,
      failed: total.failed + row.failed,
      busyMs: total.busyMs + row.busyMs,
    }),
    nothing,
  );
}
