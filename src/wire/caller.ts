import type { Caller } from '../app/lookup.ts';
import { placesOfCaller } from '../process/ancestors.ts';
import { projectId } from '../worktree/project.ts';
import { findPlace } from './place.ts';

/** The caller of a command on the project that contains a folder; undefined outside of a project. */
export function callerIn(folder: string): Caller | undefined {
  const place = findPlace(folder);
  if (place === undefined) return undefined;
  return { project: projectId(place.commonDir), places: placesOfCaller(process.env) };
}
