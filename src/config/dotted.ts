import { valueAt } from '../document/issues.ts';
import { nearest } from '../graph/nearest.ts';
import { isToCome, type KeyType, openSections, settableKeys } from './keys.ts';
import { profileKeyType } from './profile.ts';
import { priorityName } from './schema.ts';

/** Keys as people write them, with dots between their parts. */

const priceFields = ['input', 'output', 'cache_read', 'cache_write'];

/**
 * The parts of a key. Names of models and types may have dots themselves, so below those sections all that is left is
 * one name, but for the last word of a price.
 */
export function pathOf(key: string): readonly string[] {
  const section = openSections.find((name) => key.startsWith(`${name}.`));
  if (section === undefined || section === 'agents') return key.split('.');
  const above = section.split('.');
  const name = key.slice(section.length + 1);
  if (section === 'model.by_priority') return [...above, priorityName(name)];
  const field =
    section === 'prices' ? priceFields.find((one) => name.endsWith(`.${one}`)) : undefined;
  return field === undefined
    ? [...above, name]
    : [...above, name.slice(0, -field.length - 1), field];
}

/** What kind of value a dotted key takes, or none for a key that does not exist. */
export function typeOf(key: string): KeyType | undefined {
  const known = settableKeys.find((one) => one.key === key);
  if (known !== undefined) return known.type;
  const path = pathOf(key);
  if (path.includes('')) return undefined;
  if (key.startsWith('agents.')) return typeInAgents(path);
  if (key.startsWith('pipeline.')) return 'list';
  if (key.startsWith('prices.')) return path.length === 2 ? 'map' : 'money';
  if (key.startsWith('model.by_priority.'))
    return /^P[0-4]$/.test(path[2] ?? '') ? 'text' : undefined;
  return key.startsWith('model.by_type.') ? 'text' : undefined;
}

function typeInAgents([, , key, variable, ...further]: readonly string[]): KeyType | undefined {
  if (key === undefined) return 'map';
  if (further.length > 0) return undefined;
  if (variable !== undefined) return key === 'env' ? 'text' : undefined;
  return profileKeyType(key);
}

/** The keys one level below `prefix`; with no prefix the keys of the top. */
export function keysBelow(prefix: string): readonly string[] {
  if (prefix.startsWith('prices.')) return priceFields;
  const start = prefix === '' ? '' : `${prefix}.`;
  const below = settableKeys
    .filter(({ key }) => key.startsWith(start) && key !== prefix)
    .map(({ key }) => key.slice(start.length).split('.')[0] ?? '');
  return [...new Set(below)];
}

/** What to say of a key that is not known. */
export function refusalOf(key: string): { readonly problem: string; readonly remedy: string } {
  if (isToCome(key)) {
    return {
      problem: `"${key}" is not supported yet by this version`,
      remedy: 'Take it out; it would have no effect.',
    };
  }
  const problem = `"${key}" is not a known key`;
  if (key.startsWith('model.by_priority.')) return { problem, remedy: 'Name priorities P0 to P4.' };
  const below = keysBelow(key);
  if (below.length > 0) {
    const all = below.map((name) => `${key}.${name}`);
    return { problem: `"${key}" is a section and not a key`, remedy: `Set ${all.join(' or ')}.` };
  }
  const near = nearest(
    key,
    settableKeys.map((one) => one.key),
  );
  return {
    problem,
    remedy: near === undefined ? 'See "ym config list" for all keys.' : `Did you mean "${near}"?`,
  };
}

/** What stands in a value under the parts of a key. */
export function valueWithin(value: unknown, path: readonly string[]): unknown {
  return valueAt(value, path);
}
