import { valueAt } from '../document/document.ts';
import { nearest } from '../graph/nearest.ts';
import { hookKeys } from './hook.ts';
import type { Key } from './key.ts';
import { settableKeys } from './keys.ts';
import { profileKeyType } from './profile.ts';
import { fieldNames, mappingKeys } from './source-mapping.ts';
import { type KeyType, priceFields, priorityName } from './values.ts';

/** Keys whose value is a map with names that the user chooses. Each entry is one value, and layers add entries. */
export const mapKeys = settableKeys.filter(({ kind }) => kind.type === 'map');

/** The key of the table that a dotted key is or belongs to: `pipeline` for `pipeline.docs`. */
function tableKey(key: string): Key | undefined {
  return settableKeys.find((one) => one.key === key) ?? mapAround(key);
}

const mapAround = (key: string): Key | undefined =>
  mapKeys.find((map) => key.startsWith(`${map.key}.`));

/**
 * Splits a key into its parts. Names of models and task types may contain dots, so in those maps the rest of the key is
 * one name, except for the last part of a price.
 */
export function pathOf(key: string): readonly string[] {
  const map = mapAround(key)?.key;
  if (map === undefined || map === 'agents') return key.split('.');
  const above = map.split('.');
  const name = key.slice(map.length + 1);
  if (map === 'model.by_priority') return [...above, priorityName(name)];
  const field = map === 'prices' ? priceFields.find((one) => name.endsWith(`.${one}`)) : undefined;
  if (field === undefined) return [...above, name];
  return [...above, name.slice(0, -field.length - 1), field];
}

/** The kind of value that a dotted key takes, or undefined if there is no such key. */
export function typeOf(key: string): KeyType | undefined {
  const path = pathOf(key);
  const found = tableKey(key);
  if (found === undefined || found.key === key) return found?.kind.type;
  if (path.includes('')) return undefined;
  if (found.key === 'agents') return typeInAgents(path);
  if (found.key === 'prices' && path.length === 3) return 'money';
  const isName = found.key !== 'model.by_priority' || /^P[0-4]$/.test(path[2] ?? '');
  return isName ? found.kind.entry : undefined;
}

function typeInAgents([, , key, variable, ...further]: readonly string[]): KeyType | undefined {
  if (key === undefined) return 'map';
  if (further.length > 0) return undefined;
  if (variable !== undefined) return key === 'env' ? 'text' : undefined;
  return profileKeyType(key);
}

/** The keys one level below `prefix`; the top-level keys for an empty prefix. */
export function keysBelow(prefix: string): readonly string[] {
  if (prefix.startsWith('prices.')) return priceFields;
  if (prefix.startsWith('hooks.')) return hookKeys(undefined);
  if (prefix.startsWith('sources.')) return prefix.endsWith('.fields') ? fieldNames : mappingKeys;
  const start = prefix === '' ? '' : `${prefix}.`;
  const below = settableKeys
    .filter(({ key }) => key.startsWith(start) && key !== prefix)
    .map(({ key }) => key.slice(start.length).split('.')[0] ?? '');
  return [...new Set(below)];
}

/** Explains why there is no such key. */
export function refusalOf(key: string): { readonly problem: string; readonly remedy: string } {
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

/** The project file in the target's commit. */
export interface Judge {
  readonly text: string;
  /** Its name for people, such as `yardmaster.yaml at main`. */
  readonly file: string;
}

/** True if a run reads the key from the target's commit, so that no branch can change the way it is judged. */
export function isJudging(key: string): boolean {
  return tableKey(key)?.fromTarget === true;
}

/** The part of a config file that is read from the target. Errors in the rest of that file do not matter. */
export function judgingPart(whole: unknown): unknown {
  if (typeof whole !== 'object' || whole === null || Array.isArray(whole)) return whole;
  const entries = Object.entries(whole).flatMap(([name, value]) => {
    const keys = settableKeys.filter(({ key }) => key === name || key.startsWith(`${name}.`));
    const judging = keys.filter(({ fromTarget }) => fromTarget);
    if (judging.length === keys.length) return keys.length === 0 ? [] : [[name, value]];
    const parts = judging
      .map(({ key }) => key.slice(name.length + 1))
      .map((part) => [part, valueAt(value, [part])] as const)
      .filter(([, part]) => part !== undefined);
    return parts.length === 0 ? [] : [[name, Object.fromEntries(parts)]];
  });
  return Object.fromEntries(entries);
}
