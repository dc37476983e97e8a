import { statSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { count, list, number, type Of, object, optional, readJson } from '../model/shape.ts';
import { HowEnded, Survivor } from '../port/processes.ts';
import { type Identity, readText } from './identity.ts';
import { writeWholeNow } from './whole-file.ts';

/** Files of one child; see `ProcessSpec`. */
export interface ChildFiles {
  readonly out: string;
  readonly err: string;
  readonly pid: string;
  readonly status: string;
  /** Written by us: why we ended it, and later its end. */
  readonly end: string;
}

export function filesOf(dir: string, name: string): ChildFiles {
  const file = (ending: string): string => join(dir, `${name}.${ending}`);
  return {
    out: file('out'),
    err: file('err'),
    pid: file('pid'),
    status: file('status'),
    end: file('end'),
  };
}

/** Process that runs the child. `at` is its start time. */
export interface Claim extends Identity {
  readonly at: number;
}

/** `unwritten`: a wrapper created the file and is about to write its line. */
export function readClaim(files: ChildFiles): Claim | 'unwritten' | undefined {
  const line = readLine(files.pid);
  if (line === undefined) return undefined;
  const [, pid, startedAt] = /^(\d+) (.+)$/.exec(line.text) ?? [];
  if (pid === undefined || startedAt === undefined) return 'unwritten';
  return { pid: Number(pid), startedAt: startedAt.replace(/\s+/g, ' '), at: line.at };
}

/** End of the child according to its wrapper, with its time. */
export interface Status {
  readonly how: HowEnded;
  readonly at: number;
}

export function readStatus(files: ChildFiles): Status | undefined {
  const line = readLine(files.status);
  if (line === undefined || line.text === '') return undefined;
  const notStarted = /^not-started (?:yard-start: (?:(?:line )?\d+: )?(?:exec: )?)?(.*)$/.exec(
    line.text,
  );
  if (notStarted !== null) {
    return { how: { id: 'not-started', cause: notStarted[1] ?? '' }, at: line.at };
  }
  return { how: howOf(Number(line.text)), at: line.at };
}

const signalNames = new Map(
  Object.entries(constants.signals).map(([name, number]) => [number, name]),
);

/**
 * A shell reports a signal as 128 plus its number. A child that exits with such a status itself is treated the same.
 */
export function howOf(code: number): HowEnded {
  const signal = code > 128 ? signalNames.get(code - 128) : undefined;
  return signal === undefined ? { id: 'exited', code } : { id: 'signaled', signal };
}

/** Without `endedAt`: the child must end, but the signals may not have been sent yet. */
export const EndRecord = object({
  how: HowEnded,
  startedAt: number,
  endedAt: optional(number),
  stragglers: optional(count),
  survivors: optional(list(Survivor)),
});
export type EndRecord = Of<typeof EndRecord>;

/** Written atomically, so a partial file comes from a power loss and is ignored. */
export function readEnd(files: ChildFiles): EndRecord | undefined {
  return readJson(EndRecord, readText(files.end) ?? '');
}

export function writeEnd(files: ChildFiles, end: EndRecord): void {
  writeWholeNow(files.end, `${JSON.stringify(end)}\n`, { durable: false });
}

/** Single line of a file and its mtime; empty while the line is incomplete. */
function readLine(file: string): { text: string; at: number } | undefined {
  const text = readText(file);
  const at = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  if (text === undefined || at === undefined) return undefined;
  return { text: text.endsWith('\n') ? text.slice(0, -1) : '', at: Math.round(at) };
}
