import { settableKeys } from '../config/keys.ts';
import { unreachable } from '../model/failure.ts';
import { readIds } from '../record/quick.ts';
import { findPlace } from '../wire/place.ts';
import type { WordKind } from './completions.ts';

/** Words of a project for a shell to offer. A project that cannot be read has none: nobody would see the reason. */
export function completionWords(kind: WordKind, cwd: string): readonly string[] {
  switch (kind) {
    case 'keys':
      return settableKeys.map(({ key }) => key);
    case 'tasks':
    case 'runs': {
      const place = findPlace(cwd);
      const ids = place === undefined ? undefined : readIds(place.storeFile, kind);
      return ids?.ok ? ids.value : [];
    }
    default:
      return unreachable(kind);
  }
}
