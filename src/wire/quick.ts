import type { QuickProject } from '../app/ports.ts';
import * as quick from '../record/quick.ts';
import { findPlace, here } from './place.ts';

/** Opens a project for reading a little, without git and without the whole store. Undefined outside of a repository. */
export function openQuick(cwd: string): QuickProject | undefined {
  const place = findPlace(cwd);
  if (place === undefined) return undefined;
  return {
    ...place,
    ...here,
    readStatus: (choose) => quick.readStatus(place.storeFile, choose),
    readIds: (what) => quick.readIds(place.storeFile, what),
    lastActions: async () =>
      (await import('./agent-output.ts')).lastActionReader({ ...place, ...here }),
  };
}
