import { BRANCHES } from '../model/branch.ts';
import type { Tampering } from '../model/violation.ts';

/** True for what users do in their own checkout while agents work: switch, commit, edit, tag. It is reported once per run. */
export function isUserChange(found: Tampering): boolean {
  return namesOf(found).length > 0;
}

/** Files and refs that the user changed. */
export function userChanges(found: readonly Tampering[]): readonly string[] {
  return found.flatMap(namesOf);
}

/** A change without the user's files and refs that were reported before. */
export function withoutReported(
  found: Tampering,
  reported: ReadonlySet<string>,
): readonly Tampering[] {
  if (!isUserChange(found)) return [found];
  if (found.kind !== 'checkout-changed') {
    return namesOf(found).some((name) => reported.has(name)) ? [] : [found];
  }
  const files = found.files.filter((file) => !reported.has(file));
  return files.length === 0 ? [] : [{ ...found, files }];
}

function namesOf(found: Tampering): readonly string[] {
  switch (found.kind) {
    case 'checkout-changed':
      return found.files;
    case 'ref-moved':
      return found.ref.startsWith(BRANCHES) ? [] : [found.ref];
    default:
      return [];
  }
}
