import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { lastAction } from '../agent/transcript.ts';
import type { Redactor } from '../app/config.ts';
import { projectRedactor } from '../app/config.ts';
import type { Environment, Place } from '../app/ports.ts';
import { attemptDir } from '../files/layout.ts';
import { parseName } from '../model/branch.ts';
import { limits } from '../model/limits.ts';
import type { LastAction, ReadAction } from '../report/view/slot.ts';

/** Characters at the end of plain output that usually contain its last line. */
const plainChars = 4 * 1024;

export { Transcript } from '../agent/transcript.ts';

/** Reads the last action of a slot's agent from the end of its output, without secrets. */
export function lastActionReader(place: Place & { readonly env: Environment }): ReadAction {
  let redact: Redactor | undefined;
  return ({ branch, turn }, before) => {
    const named = parseName(branch);
    if (named === undefined) return undefined;
    const dir = attemptDir(place, named.run, named.task, named.attempt);
    redact ??= projectRedactor(place);
    return lastActionIn(join(dir, `turn-${turn}.out`), redact, before);
  };
}

/** The last action in an output file, and when the file last grew; undefined if it cannot be read. */
export function lastActionIn(
  file: string,
  redact: Redactor,
  before?: LastAction,
): LastAction | undefined {
  const fd = openIfThere(file);
  if (fd === undefined) return undefined;
  try {
    const { size, mtimeMs } = fstatSync(fd);
    const at = Math.round(mtimeMs);
    if (before?.bytes === size && before.at === at) return before;
    const { lastActionBytes, lastActionMaxBytes } = limits;
    const text =
      actionAtEnd(fd, size, lastActionBytes, redact) ??
      (size > lastActionBytes ? actionAtEnd(fd, size, lastActionMaxBytes, redact) : undefined);
    return text === undefined ? undefined : { text, at, bytes: size };
  } finally {
    closeSync(fd);
  }
}

function actionAtEnd(fd: number, size: number, most: number, redact: Redactor): string | undefined {
  const from = Math.max(0, size - most);
  const bytes = Buffer.allocUnsafe(size - from);
  const text = bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, from));
  // A line of a private key is known as such only with the beginning of the key.
  const isWhole = text.startsWith('{') || text.includes('\n{') || text.includes('PRIVATE KEY-----');
  const plain = isWhole ? undefined : lastLineOf(redact.whole(text.slice(-plainChars)));
  if (plain !== undefined) return lastAction([plain]);
  const lines = redact.whole(text).split('\n');
  // The first line may be cut off.
  return lastAction(from === 0 ? lines : lines.slice(1));
}

/** The last line that is not empty; undefined if it may be cut off. */
function lastLineOf(text: string): string | undefined {
  const end = text.trimEnd();
  const from = end.lastIndexOf('\n') + 1;
  return from === 0 ? undefined : end.slice(from);
}

function openIfThere(file: string): number | undefined {
  try {
    return openSync(file, 'r');
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}
