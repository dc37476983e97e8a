import type { RunTotals, SlotNumbers } from '../../history/totals.ts';

/** Slot 0 holds the attempts whose slot is not recorded. */
export interface SlotRow extends SlotNumbers {
  readonly slot: number;
}

/** Idle slots are listed as well, but not more than a run can have. */
const slotsMax = 16;

export function slotRows(totals: RunTotals, jobs: number): SlotRow[] {
  const listed = Array.from({ length: Math.min(jobs, slotsMax) }, (_, at) => at + 1);
  const all = new Set([...listed, ...totals.usedSlots()]);
  return [...all]
    .sort((a, b) => a - b)
    .map((slot) => {
      const { delivered: _delivered, ...numbers } = totals.slot(slot);
      return { slot, ...numbers };
    });
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
