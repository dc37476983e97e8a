import type { Usage } from '../model/turn.ts';
import type { Json } from './harness.ts';
import { countAt, jsonOf } from './stream.ts';

/**
 * The last usage line in the output, `{"type":"usage","input":…,"cacheRead":…,"cacheWrite":…,"output":…,"costUsd":…}`.
 * Missing counts are 0. All other lines are skipped.
 */
export function usageIn(text: string): Usage | undefined {
  const lines = text.split('\n').filter((line) => line.startsWith('{') && line.includes('"usage"'));
  for (const line of lines.reverse()) {
    const usage = usageOf(jsonOf(line));
    if (usage !== undefined) return usage;
  }
  return undefined;
}

function usageOf(json: Json | undefined): Usage | undefined {
  if (json?.type !== 'usage') return undefined;
  const usage = {
    input: countAt(json, 'input'),
    cacheRead: countAt(json, 'cacheRead'),
    cacheWrite: countAt(json, 'cacheWrite'),
    output: countAt(json, 'output'),
  };
  return typeof json.costUsd === 'number' ? { ...usage, costUsd: countAt(json, 'costUsd') } : usage;
}

/** Subtracts the earlier turns from the usage of a conversation; never below 0. */
export function minus(all: Usage, before: Usage | undefined): Usage {
  if (before === undefined) return all;
  return {
    input: Math.max(0, all.input - before.input),
    cacheRead: Math.max(0, all.cacheRead - before.cacheRead),
    cacheWrite: Math.max(0, all.cacheWrite - before.cacheWrite),
    output: Math.max(0, all.output - before.output),
  };
}
