import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { lastAction } from '../agent/transcript.ts';
import type { Redactor } from '../app/config.ts';
import { projectRedactor } from '../app/config.ts';
import type { Environment, Place } from '../app/ports.ts';
import { attemptDir } from '../files/layout.ts';
import { parseName } from '../model/branch.ts';
import { limits } from '../model/limits.ts';
import type { LastAction, WorkingTurn } from '../report/view/slot.ts';

export { Transcript } from '../agent/transcript.ts';

/** Reads the last action of a slot's agent from the end of its output, without secrets. */
export function lastActionReader(
  place: Place & { readonly env: Environment },
): (turn: WorkingTurn) => LastAction | undefined {
  let redact: Redactor | undefined;
  return ({ branch, turn }) => {
    const named = parseName(branch);
    if (named === undefined) return undefined;
    const dir = attemptDir(place, named.run, named.task, named.attempt);
    redact ??= projectRedactor(place);
    return lastActionIn(join(dir, `turn-${turn}.out`), redact);
  };
}

/** The last action in an output file, and when the file last grew; undefined if it cannot be read. */
export function lastActionIn(file: string, redact: Redactor): LastAction | undefined {
  const fd = openIfThere(file);
  if (fd === undefined) return undefined;
  try {
    const { size, mtimeMs } = fstatSync(fd);
    const { lastActionBytes, lastActionMaxBytes } = limits;
    const text =
      actionAtEnd(fd, size, lastActionBytes, redact) ??
      (size > lastActionBytes ? actionAtEnd(fd, size, lastActionMaxBytes, redact) : undefined);
    return text === undefined ? undefined : { text, at: Math.round(mtimeMs), bytes: size };
  } finally {
    closeSync(fd);
  }
}

function actionAtEnd(fd: number, size: number, most: number, redact: Redactor): string | undefined {
  const from = Math.max(0, size - most);
  const bytes = Buffer.allocUnsafe(size - from);
  const read = readSync(fd, bytes, 0, bytes.length, from);
  const lines = redact.whole(bytes.toString('utf8', 0, read)).split('\n');
  // The first line may be cut off.
  return lastAction(from === 0 ? lines : lines.slice(1));
}

function openIfThere(file: string): number | undefined {
  try {
    return openSync(file, 'r');
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}
