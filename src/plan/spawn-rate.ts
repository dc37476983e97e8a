import type { Command } from '../model/command.ts';
import { hashOf } from './hash.ts';
import { limits } from './limits.ts';
import type { RunRecord, TaskRecord } from './record.ts';

/**
 * Agents that start in the same moment compete for the machine and for the same service, so that starts are apart from
 * each other, and only so many agents are in their first second. An agent that has ended competes with nobody and does
 * not count. One decision starts one agent at most; the others are put off until `wakeAt`.
 */
export function paceStarts(
  run: RunRecord,
  live: readonly TaskRecord[],
  commands: readonly Command[],
  now: number,
): { readonly commands: readonly Command[]; readonly wakeAt?: number } {
  const first = commands.find(isStart);
  if (run.settings.spawnRate === undefined || first === undefined) return { commands };
  const wakeAt = startsFrom(run, live, run.settings.spawnRate, first, now);
  if (now < wakeAt) return { commands: commands.filter((one) => !isStart(one)), wakeAt };
  return { commands: commands.filter((one) => one === first || !isStart(one)) };
}

type Start = Extract<Command, { type: 'begin-turn' | 'begin-review' | 'begin-critique' }>;

function isStart(command: Command): command is Start {
  const { type } = command;
  return type === 'begin-turn' || type === 'begin-review' || type === 'begin-critique';
}

function startsFrom(
  run: RunRecord,
  live: readonly TaskRecord[],
  rate: number,
  { id, attempt }: Start,
  now: number,
): number {
  // A clock that was put back must not hold anybody up.
  const starts = live.flatMap(startOf).filter((at) => at <= now);
  starts.sort((a, b) => a - b);
  const last = starts.at(-1);
  const full = starts.at(-rate);
  return Math.max(
    last === undefined ? 0 : last + jitterMs(`${run.id} ${id} ${attempt}`),
    full === undefined ? 0 : full + limits.spawnWindowMs,
  );
}

/** When the agent at work on a task started, if there is one. */
function startOf({ attempt }: TaskRecord): number[] {
  const state = attempt?.state;
  switch (state?.id) {
    case 'working':
    case 'reviewing':
    case 'critiquing':
      return [state.since];
    default:
      return [];
  }
}

/** The pause after the start before, by chance but the same for the same attempt of the same run. */
export function jitterMs(seed: string): number {
  const { spawnJitterMinMs: min, spawnJitterMaxMs: max } = limits;
  return min + (hashOf(seed) % (max - min + 1));
}
