import { BRANCHES } from '../model/branch.ts';
import { isReportedOnly, type Tampering } from '../model/violation.ts';

/** True for what users do in their own checkout while agents work: switch, commit, edit, tag. It is reported once per run. */
export function isUserChange(found: Tampering): boolean {
  return namesOf(found).length > 0 && found.kind !== 'home-changed';
}

/** Files and refs of the checkout that the user changed. */
export function userChanges(found: readonly Tampering[]): readonly string[] {
  return found.filter(isUserChange).flatMap(namesOf);
}

/** Names that are reported once per run. */
export function reportedNames(found: readonly Tampering[]): readonly string[] {
  return found.flatMap(namesOf);
}

/** A change without the names that were reported before. */
export function withoutReported(
  found: Tampering,
  reported: ReadonlySet<string>,
): readonly Tampering[] {
  if (found.kind !== 'checkout-changed') {
    return namesOf(found).some((name) => reported.has(name)) ? [] : [found];
  }
  const files = found.files.filter((file) => !reported.has(file));
  return files.length === 0 ? [] : [{ ...found, files }];
}

export function withoutFilesIn(found: Tampering, folders: readonly string[]): Tampering {
  if (found.kind !== 'checkout-changed' || folders.length === 0) return found;
  // An untracked folder is named as a whole, with a slash at its end.
  const isIn = (file: string, folder: string): boolean =>
    file.startsWith(`${folder}/`) || (file.endsWith('/') && `${folder}/`.startsWith(file));
  const files = found.files.filter((file) => !folders.some((folder) => isIn(file, folder)));
  return { ...found, files };
}

function namesOf(found: Tampering): readonly string[] {
  switch (found.kind) {
    case 'checkout-changed':
      return found.files;
    case 'ref-moved':
      return found.ref.startsWith(BRANCHES) ? [] : [found.ref];
    case 'home-changed':
      return isReportedOnly(found) ? [found.file] : [];
    default:
      return [];
  }
}
