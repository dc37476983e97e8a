import { nearest } from '../graph/nearest.ts';
import { fail } from '../model/failure.ts';
import { isPlanned, settableKeys } from './keys.ts';
import { configFailure, keyLayer, type Layer } from './layers.ts';

const prefix = 'YARDMASTER_';

/** Our variables that set no key. */
const notKeys: ReadonlySet<string> = new Set([
  'YARDMASTER_USER_CONFIG',
  'YARDMASTER_STATE_DIR',
  'YARDMASTER_CRASH_AT',
]);

/** The variable that sets a key: `YARDMASTER_GATE__TIMEOUT` for `gate.timeout`. */
export function variableOf(key: string): string {
  return prefix + key.toUpperCase().replaceAll('.', '__');
}

const keys = new Map(settableKeys.map(({ key }) => [variableOf(key), key]));

/**
 * One layer for each variable that sets a key. A name close to that of a key is refused as a typo; other names belong
 * to other programs and are ignored. An empty variable counts as not set.
 */
export function variableLayers(env: Readonly<Record<string, string | undefined>>): Layer[] {
  return Object.entries(env)
    .filter(([name, value]) => name.startsWith(prefix) && !notKeys.has(name) && value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, value]) => {
      const key = keys.get(name);
      return key === undefined ? refused(name) : [keyLayer('environment', name, key, value)];
    });
}

function refused(name: string): Layer[] {
  const key = name.slice(prefix.length).toLowerCase().replaceAll('__', '.');
  if (isPlanned(key)) {
    const problem = `"${key}" is not supported yet by this version`;
    return [fail([configFailure(name, { problem, remedy: 'Unset the variable.' })])];
  }
  const near = nearest(
    name.slice(prefix.length),
    [...keys.keys()].map((variable) => variable.slice(prefix.length)),
  );
  if (near === undefined) return [];
  const problem = 'there is no key of this name';
  const remedy = `Did you mean ${prefix}${near}? Else unset the variable.`;
  return [fail([configFailure(name, { problem, remedy })])];
}
