import type { Caller } from '../app/lookup.ts';
import type { Result } from '../model/failure.ts';
import type { StoreAddress } from '../model/store-address.ts';
import { placesOfCaller } from '../process/ancestors.ts';
import { projectId } from '../worktree/project.ts';
import { findPlace } from './place.ts';
import { storeSetting } from './store-setting.ts';

/** The caller of a command on the project that contains a folder; undefined outside of a project. */
export async function callerIn(folder: string): Promise<Caller | undefined> {
  const place = findPlace(folder);
  if (place === undefined) return undefined;
  return callerOf(projectId(place.commonDir), await storeSetting(place.root, process.env));
}

export function callerOf(project: string, store: Result<StoreAddress>): Caller {
  const isShared = !store.ok || store.value.kind === 'postgres';
  return { project, isShared, places: placesOfCaller(process.env) };
}
