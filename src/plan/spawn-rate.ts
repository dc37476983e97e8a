import type { Command, CommandOf } from '../model/command.ts';
import { hashOf } from '../model/hash.ts';
import { limits } from '../model/limits.ts';
import type { RunRecord } from '../model/run-record.ts';

/**
 * Spreads agent starts, because agents that start at once compete for the machine and the provider. At most `spawnRate`
 * agents start within one second, whether they still run or have ended. One decision starts at most one agent; the rest
 * wait until `wakeAt`.
 */
export function paceStarts(
  run: RunRecord,
  commands: readonly Command[],
  now: number,
): { readonly commands: readonly Command[]; readonly wakeAt?: number } {
  const first = commands.find(isStart);
  if (run.settings.spawnRate === undefined || first === undefined) return { commands };
  const wakeAt = nextStartAt(run, run.settings.spawnRate, first, now);
  if (now < wakeAt) return { commands: commands.filter((one) => !isStart(one)), wakeAt };
  return { commands: commands.filter((one) => one === first || !isStart(one)) };
}

/** Records an agent start, with as many earlier ones as the pace needs. */
export function withStartAt(run: RunRecord, at: number): RunRecord {
  const { spawnRate } = run.settings;
  if (spawnRate === undefined) return run;
  return { ...run, lastStarts: [...(run.lastStarts ?? []), at].slice(-spawnRate) };
}

type Start = CommandOf<'begin-turn' | 'begin-call'>;

function isStart(command: Command): command is Start {
  return command.type === 'begin-turn' || command.type === 'begin-call';
}

function nextStartAt(
  { id: run, settings, lastStarts = [] }: RunRecord,
  rate: number,
  { id, attempt }: Start,
  now: number,
): number {
  // Ignores starts in the future: the clock may have been set back.
  const starts = lastStarts.filter((at) => at <= now).sort((a, b) => a - b);
  const last = starts.at(-1);
  const full = starts.at(-rate);
  return Math.max(
    last === undefined ? 0 : last + jitterMs(`${run} ${id} ${attempt}`),
    full === undefined ? 0 : full + (settings.spawnWindowMs ?? limits.spawnWindowMs),
  );
}

/** Pause after the previous start: pseudo-random, but the same for the same attempt of a run. */
export function jitterMs(seed: string): number {
  const { spawnJitterMinMs: min, spawnJitterMaxMs: max } = limits;
  return min + (hashOf(seed) % (max - min + 1));
}
