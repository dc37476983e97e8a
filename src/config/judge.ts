import { valueAt } from '../document/issues.ts';
import { tableKey } from './dotted.ts';
import { settableKeys } from './keys.ts';

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
