import { unreachable } from '../model/failure.ts';
import { readIds } from '../record/quick.ts';
import { findPlace } from '../wire/place.ts';
import type { WordKind } from './completions.ts';

/** Completion candidates of a project; none if it cannot be read, since a shell could not show the reason. */
export async function completionWords(kind: WordKind, cwd: string): Promise<readonly string[]> {
  switch (kind) {
    case 'keys': {
      // Loaded on demand: completing an id does not need the schemas.
      const { settableKeys } = await import('../config/keys.ts');
      return settableKeys.map(({ key }) => key);
    }
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
