import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { list, type Of, object, optional, ordinal, readJson, text, words } from '../model/shape.ts';
import type { Place } from './ports.ts';

/** The user's checkout as it was before a try, and what the try shows. Stored before anything is changed. */
const TryNote = object({
  task: text,
  attempt: ordinal,
  commit: text,
  root: text,
  /** Commit before the try, and its branch; absent if HEAD was detached. */
  head: text,
  branch: optional(text),
  /** Files that differ between the two commits. */
  files: list(
    object({
      path: text,
      /** Name of the copy of its bytes and its permissions; absent if it did not exist, or is no plain file. */
      copy: optional(text),
      mode: optional(ordinal),
      link: optional(text),
      /** Blob in the commit that is shown; absent if it has no such file. */
      blob: optional(text),
    }),
  ),
  /** Folders that the try fills; git removes empty ones. */
  folders: list(text),
  /** Submodules that differ between the two commits. Their folders are never changed. */
  submodules: list(text),
  /** The switch back has begun. */
  leaving: optional(words(true)),
});
export type TryNote = Of<typeof TryNote>;

export const tryFolder = ({ dir }: Pick<Place, 'dir'>): string => join(dir, 'try');
export const indexCopy = (place: Pick<Place, 'dir'>): string => join(tryFolder(place), 'index');
export const noteFile = (place: Pick<Place, 'dir'>): string => join(tryFolder(place), 'note.json');

/** The try that was not ended, if there is one. */
export function openTry(place: Pick<Place, 'dir'>): TryNote | undefined {
  const file = noteFile(place);
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
  return readJson(TryNote, readFileSync(file, 'utf8'));
}
