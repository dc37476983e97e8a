import type { Usage } from '../model/attempt.ts';

/**
 * The last usage line in the output, `{"type":"usage","input":…,"cacheRead":…,"cacheWrite":…,"output":…,"costUsd":…}`.
 * Counts that are missing are 0. Any other line is skipped, JSON or not.
 */
export function usageIn(text: string): Usage | undefined {
  const lines = text.split('\n').filter((line) => line.startsWith('{') && line.includes('"usage"'));
  for (const line of lines.reverse()) {
    const usage = usageOf(parsed(line));
    if (usage !== undefined) return usage;
  }
  return undefined;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function usageOf(value: unknown): Usage | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const fields: Readonly<Record<string, unknown>> = { ...value };
  if (fields.type !== 'usage') return undefined;
  const count = (name: string): number => {
    const found = fields[name];
    return typeof found === 'number' && Number.isFinite(found) && found >= 0 ? found : 0;
  };
  const usage = {
    input: count('input'),
    cacheRead: count('cacheRead'),
    cacheWrite: count('cacheWrite'),
    output: count('output'),
  };
  return typeof fields.costUsd === 'number' ? { ...usage, costUsd: count('costUsd') } : usage;
}
