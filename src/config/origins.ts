import { valueAt } from '../document/issues.ts';
import { poolSize } from '../model/limits.ts';
import type { Config } from './config.ts';
import { pathOf } from './dotted.ts';
import type { Origin } from './layers.ts';

/**
 * The value of a dotted key as it was written, and where. A section or map that holds a set key is not at its default;
 * it has no origin if its keys are set in different places.
 */
export function originOf(config: Config, key: string): Partial<Origin> {
  const origin = config.origins.get(pathOf(key).join('.'));
  if (origin === undefined) return originWithin(config, pathOf(key));
  if (origin.origin !== 'default') return origin;
  if (key === 'worktree.pool') {
    return { ...origin, value: `auto (${poolSize(config.jobs)} for ${config.jobs} jobs)` };
  }
  const below = [...config.origins].filter(
    ([name, one]) => name.startsWith(`${key}.`) && one.origin !== 'default',
  );
  const [first] = below;
  if (first === undefined) return origin;
  const value = Object.fromEntries(
    below.map(([name, one]) => [name.slice(key.length + 1), one.value]),
  );
  const places = new Set(below.map(([, one]) => one.origin));
  return places.size === 1 ? { value, origin: first[1].origin } : { value };
}

/** A key inside an entry that is set as a whole, such as the command of an agent. */
function originWithin(config: Config, path: readonly string[]): Partial<Origin> {
  for (let length = path.length - 1; length > 1; length -= 1) {
    const origin = config.origins.get(path.slice(0, length).join('.'));
    if (origin === undefined || origin.origin === 'default') continue;
    const value = valueAt(origin.value, path.slice(length));
    if (value !== undefined) return { ...origin, value };
  }
  return { value: 'none', origin: 'default' };
}
