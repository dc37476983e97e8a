import { slotOf } from '../model/attempt-state.ts';
import { noBatches } from '../model/batch.ts';
import { given } from '../model/given.ts';
import { limits, poolSize } from '../model/limits.ts';
import type { RunSettings } from '../model/run.ts';
import type { RunRecord, SlotChange, SlotRecord } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';

/**
 * Slots that are neither held nor paused nor closed after too many errors, lowest first. An agent that finishes in a
 * removed slot takes the place of another: the run never has more agents than slots.
 */
export function freeSlots(run: RunRecord, live: readonly TaskRecord[]): number[] {
  const { jobs } = run.settings;
  const held = new Set(live.flatMap(({ attempt }) => (attempt && slotOf(attempt.state)) ?? []));
  const free: number[] = [];
  for (let slot = 1; slot <= jobs; slot += 1) {
    if (!held.has(slot) && slotStatus(run, slot) === 'open') free.push(slot);
  }
  const removed = [...held].filter((slot) => slot > jobs).length;
  return free.slice(0, Math.max(0, free.length - removed));
}

/** New work starts only in an open slot. `failed`: after too many errors; `removed`: the run has fewer slots now. */
export type SlotStatus = 'open' | 'paused' | 'failed' | 'removed';

export function slotStatus({ settings, slots }: RunRecord, slot: number): SlotStatus {
  if (slot > settings.jobs) return 'removed';
  const { errors = 0, paused = false } = slots[slot - 1] ?? {};
  if (errors >= settings.slotErrors) return 'failed';
  return paused ? 'paused' : 'open';
}

/** True if every slot is closed after too many errors. */
export function areSlotsFailed(run: RunRecord): boolean {
  return slotNumbers(run).every((slot) => slotStatus(run, slot) === 'failed');
}

/** True if only slots that a person paused could take work. */
export function areSlotsPaused(run: RunRecord): boolean {
  const statuses = slotNumbers(run).map((slot) => slotStatus(run, slot));
  return statuses.includes('paused') && !statuses.includes('open');
}

function slotNumbers({ settings }: RunRecord): readonly number[] {
  return Array.from({ length: settings.jobs }, (_, at) => at + 1);
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

/** A slot that is added, or added again, is open. One that is removed keeps its record. */
function slotsFor({ settings, slots }: RunRecord, jobs: number): readonly SlotRecord[] {
  const length = Math.max(slots.length, jobs);
  return Array.from({ length }, (_, at) => {
    const { endedAt, ...before } = slots[at] ?? { errors: 0 };
    const kept = at < settings.jobs || at >= jobs ? before : { errors: 0 };
    return { ...kept, ...given({ endedAt }) };
  });
}

/** A pool of the default size keeps it; any other holds at least one worktree for each slot. */
function sized(
  { jobs: before, pool }: RunSettings,
  jobs: number,
): Pick<RunSettings, 'jobs' | 'pool'> {
  return { jobs, pool: pool === poolSize(before) ? poolSize(jobs) : Math.max(pool, jobs) };
}
