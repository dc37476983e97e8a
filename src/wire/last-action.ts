import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { lastAction } from '../agent/transcript.ts';
import { limits } from '../plan/limits.ts';
import { isoTime } from '../report/format/time.ts';
import type { LastAction, SlotView } from '../report/view/slot.ts';
import { parseName } from '../worktree/branch.ts';
import { attemptFolder } from './files.ts';
import type { Place } from './place.ts';
import { projectConfig } from './project-config.ts';
import { type Redactor, redactorFor } from './secrets.ts';

/** Reads the last action of the agent in a slot from the end of its turn's output, without secrets. */
export function lastActionReader(place: Place): (slot: SlotView) => LastAction | undefined {
  let redact: Redactor | undefined;
  return ({ branch = '', turn }) => {
    const named = parseName(branch);
    if (named === undefined || turn === undefined) return undefined;
    const dir = attemptFolder(place, named.run, named.task, named.attempt);
    redact ??= redactorOf(place);
    return lastActionIn(join(dir, `turn-${turn}.out`), redact);
  };
}

function redactorOf(place: Place): Redactor {
  const config = projectConfig(place);
  return redactorFor(config.ok ? config.value : { agents: {} }, process.env);
}

/** The last action that a file tells, and when the file last grew; nothing where it cannot be read. */
export function lastActionIn(file: string, redact: Redactor): LastAction | undefined {
  const fd = openIfThere(file);
  if (fd === undefined) return undefined;
  try {
    const { size, mtimeMs } = fstatSync(fd);
    const from = Math.max(0, size - limits.lastActionBytes);
    const bytes = Buffer.alloc(size - from);
    const read = readSync(fd, bytes, 0, bytes.length, from);
    const lines = redact.whole(bytes.subarray(0, read).toString('utf8')).split('\n');
    // The line that the bytes begin in the middle of is not whole.
    const text = lastAction(from === 0 ? lines : lines.slice(1));
    return text === undefined ? undefined : { text, at: isoTime(mtimeMs) };
  } finally {
    closeSync(fd);
  }
}

function openIfThere(file: string): number | undefined {
  try {
    return openSync(file, 'r');
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}
