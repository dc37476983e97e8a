import type { Command, CommandOf } from '../model/command.ts';
import { hashOf } from '../model/hash.ts';
import { limits } from '../model/limits.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';

/**
 * Spreads agent starts, because agents that start at once compete for the machine and the provider. At most `spawnRate`
 * running agents may be in their first second. One decision starts at most one agent; the rest wait until `wakeAt`.
 */
export function paceStarts(
  run: RunRecord,
  live: readonly TaskRecord[],
  commands: readonly Command[],
  now: number,
): { readonly commands: readonly Command[]; readonly wakeAt?: number } {
  const first = commands.find(isStart);
  if (run.settings.spawnRate === undefined || first === undefined) return { commands };
  const wakeAt = nextStartAt(run, live, run.settings.spawnRate, first, now);
  if (now < wakeAt) return { commands: commands.filter((one) => !isStart(one)), wakeAt };
  return { commands: commands.filter((one) => one === first || !isStart(one)) };
}

type Start = CommandOf<'begin-turn' | 'begin-call'>;

function isStart(command: Command): command is Start {
  return command.type === 'begin-turn' || command.type === 'begin-call';
}

function nextStartAt(
  run: RunRecord,
  live: readonly TaskRecord[],
  rate: number,
  { id, attempt }: Start,
  now: number,
): number {
  // Ignores starts in the future: the clock may have been set back.
  const starts = live.flatMap(startOf).filter((at) => at <= now);
  starts.sort((a, b) => a - b);
  const last = starts.at(-1);
  const full = starts.at(-rate);
  return Math.max(
    last === undefined ? 0 : last + jitterMs(`${run.id} ${id} ${attempt}`),
    full === undefined ? 0 : full + (run.settings.spawnWindowMs ?? limits.spawnWindowMs),
  );
}

/** Start of the agent that runs for a task, if any. */
function startOf({ attempt }: TaskRecord): number[] {
  const state = attempt?.state;
  switch (state?.id) {
    case 'working':
    case 'calling':
      return [state.since];
    default:
      return [];
  }
}

/** Pause after the previous start: pseudo-random, but the same for the same attempt of a run. */
export function jitterMs(seed: string): number {
  const { spawnJitterMinMs: min, spawnJitterMaxMs: max } = limits;
  return min + (hashOf(seed) % (max - min + 1));
}
