import type { Tampering } from '../model/violation.ts';
import { BRANCHES } from '../worktree/branch.ts';

/**
 * True for what people do in their own checkout while agents work: switch, commit, edit, tag. Nothing of it is part of a
 * task, so it is told once for the run, as theirs.
 */
export function isUserChange(found: Tampering): boolean {
  return namesOf(found).length > 0;
}

/** Names of the files and refs that a change of the user's is about; none for anything else. */
export function userChanges(found: readonly Tampering[]): readonly string[] {
  return found.flatMap(namesOf);
}

/** What is left of a change of the user's after the names that were told before. */
export function withoutReported(found: Tampering, told: ReadonlySet<string>): readonly Tampering[] {
  if (!isUserChange(found)) return [found];
  if (found.kind !== 'checkout-changed') {
    return namesOf(found).some((name) => told.has(name)) ? [] : [found];
  }
  const files = found.files.filter((file) => !told.has(file));
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
