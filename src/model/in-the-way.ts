import type { Failure } from './failure.ts';

/** Files and folders of the user that git refused to overwrite; none if something else kept the target from moving. */
export function filesInTheWay(failure: Failure): readonly string[] {
  if (failure.kind !== 'checkout-in-the-way') return [];
  // Git lists them on lines of their own.
  return failure.cause.split('\n').flatMap((line) => (line.startsWith('\t') ? line.slice(1) : []));
}

/** True if one of the changed files is in the way itself, or below a folder that is. */
export function isInTheWay(changed: readonly string[], inTheWay: readonly string[]): boolean {
  return changed.some((file) =>
    inTheWay.some((one) => file === one || file.startsWith(`${one.replace(/\/$/, '')}/`)),
  );
}
