import { slotOf } from '../model/attempt-state.ts';
import { noBatches } from '../model/batch.ts';
import { limits, poolSize } from '../model/limits.ts';
import type { RunSettings } from '../model/run.ts';
import type { RunRecord, SlotChange, SlotRecord } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';

/**
 * Slots that are neither held nor paused nor closed after too many errors, lowest first. An agent that finishes in a
 * removed slot takes the place of another: this process never has more agents than slots.
 */
export function freeSlots(run: RunRecord, live: readonly TaskRecord[]): number[] {
  const held = new Set(live.flatMap(({ attempt }) => (attempt && slotOf(attempt.state)) ?? []));
  const open = slotNumbers(run).filter(
    (slot) => !held.has(slot) && slotStatus(run, slot) === 'open',
  );
  const isOwn = (slot: number) => run.slots[slot - 1]?.worker === undefined;
  const over = [...held].filter((slot) => isOwn(slot) && isRemoved(run, slot)).length;
  const taken = new Set(over === 0 ? [] : open.filter(isOwn).slice(-over));
  return open.filter((slot) => !taken.has(slot));
}

/**
 * New work starts only in an open slot. `failed`: after too many errors; `removed`: the run has fewer slots now, or
 * its worker is gone.
 */
export type SlotStatus = 'open' | 'paused' | 'failed' | 'removed';

export function slotStatus(run: RunRecord, slot: number): SlotStatus {
  const { errors = 0, paused = false } = run.slots[slot - 1] ?? {};
  if (isRemoved(run, slot)) return 'removed';
  if (errors >= run.settings.slotErrors) return 'failed';
  return paused ? 'paused' : 'open';
}

function isRemoved({ settings, slots, workers }: RunRecord, slot: number): boolean {
  const worker = slots[slot - 1]?.worker;
  if (worker !== undefined) return workers?.[worker]?.state !== 'joined';
  return workers === undefined ? slot > settings.jobs : ownBefore(slots, slot) >= settings.jobs;
}

/** Slots before this one that belong to no worker. */
function ownBefore(slots: readonly SlotRecord[], slot: number): number {
  return slots.slice(0, slot - 1).filter(({ worker }) => worker === undefined).length;
}

/** True if every slot is closed after too many errors. */
export function areSlotsFailed(run: RunRecord): boolean {
  const statuses = slotNumbers(run).map((slot) => slotStatus(run, slot));
  return (
    statuses.includes('failed') && statuses.every((one) => one === 'failed' || one === 'removed')
  );
}

/** True if only slots that a person paused could take work. */
export function areSlotsPaused(run: RunRecord): boolean {
  const statuses = slotNumbers(run).map((slot) => slotStatus(run, slot));
  return statuses.includes('paused') && !statuses.includes('open');
}

export function slotNumbers({ slots, settings }: RunRecord): number[] {
  return Array.from({ length: Math.max(slots.length, settings.jobs) }, (_, at) => at + 1);
}

export function changeSlots(run: RunRecord, change: SlotChange): RunRecord {
  switch (change.id) {
    case 'number': {
      const jobs = Math.min(Math.max(change.jobs, limits.jobsMin), limits.jobsMax);
      const batches = jobs < 2 ? {} : { batches: run.batches ?? noBatches };
      const settings = { ...run.settings, ...sized(run.settings, jobs) };
      return { ...run, settings, slots: slotsFor(run, jobs), ...batches };
    }
    case 'pause':
    case 'resume': {
      const before = run.slots[change.slot - 1];
      if (before === undefined) return run;
      const { paused: _paused, ...open } = before;
      const after = change.id === 'pause' ? { ...open, paused: true as const } : open;
      return { ...run, slots: run.slots.with(change.slot - 1, after) };
    }
    case 'pace': {
      const pace = { spawnRate: change.starts, spawnWindowMs: change.windowMs };
      return { ...run, settings: { ...run.settings, ...pace } };
    }
    default:
      // Stored by a newer version.
      change satisfies never;
      return run;
  }
}

/** A slot that is added, or added again, is open. One that is removed keeps its record. Slots of workers stay. */
function slotsFor({ settings, slots }: RunRecord, jobs: number): readonly SlotRecord[] {
  const own = ownBefore(slots, slots.length + 1);
  const added = Array.from({ length: Math.max(0, jobs - own) }, () => ({ errors: 0 }));
  let at = -1;
  const kept = slots.map((slot): SlotRecord => {
    if (slot.worker !== undefined) return slot;
    at += 1;
    if (at < settings.jobs || at >= jobs) return slot;
    return { errors: 0, endedAt: slot.endedAt };
  });
  return [...kept, ...added];
}

/** A pool of the default size keeps it; any other holds at least one worktree for each slot. */
function sized(
  { jobs: before, pool }: RunSettings,
  jobs: number,
): Pick<RunSettings, 'jobs' | 'pool'> {
  return { jobs, pool: pool === poolSize(before) ? poolSize(jobs) : Math.max(pool, jobs) };
}
