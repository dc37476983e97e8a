import type { QuickProject } from '../app/ports.ts';
import { quickStore } from '../record/quick.ts';
import { findPlace, here } from './place.ts';

/** Opens a project for reading a little, without git and without the whole store. Undefined outside of a repository. */
export function openQuick(cwd: string): QuickProject | undefined {
  const place = findPlace(cwd);
  if (place === undefined) return undefined;
  return {
    ...place,
    ...here,
    store: quickStore(place.storeFile),
    lastActions: async () =>
      (await import('./agent-output.ts')).lastActionReader({ ...place, ...here }),
  };
}
