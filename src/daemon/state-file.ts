import { appendFileSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DaemonState, daemonLimits, noState } from '../model/daemon.ts';
import { ok, type Result, unwritable } from '../model/failure.ts';
import { readJson } from '../model/shape.ts';
import { isSystemError, readText } from '../process/identity.ts';

/** State of the daemon, in a file that the next daemon reads. */
export class StateFile {
  readonly #file: string;
  #value: DaemonState;

  constructor(file: string) {
    this.#file = file;
    const text = readText(file);
    this.#value = (text === undefined ? undefined : readJson(DaemonState, text)) ?? noState;
  }

  get value(): DaemonState {
    return this.#value;
  }

  /** A file that cannot be written keeps its content; the value in memory counts until it can. */
  save(changes: Partial<DaemonState>): Result<void> {
    const before = JSON.stringify(this.#value);
    this.#value = { ...this.#value, ...changes };
    const text = JSON.stringify(this.#value);
    if (text === before) return ok(undefined);
    const draft = `${this.#file}.tmp`;
    try {
      writeFileSync(draft, `${text}\n`, { mode: 0o600 });
      renameSync(draft, this.#file);
      return ok(undefined);
    } catch (error) {
      return unwritable(dirname(this.#file), error);
    }
  }
}

/** Appends lines with the time to the log of the daemon; the file before it is kept once. */
export function logWriter(file: string, now: () => number): (line: string) => string {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > daemonLimits.logBytes) {
    renameSync(file, `${file}.1`);
  }
  return (line) => {
    const text = `${new Date(now()).toISOString()} ${line}`;
    try {
      appendFileSync(file, `${text}\n`, { mode: 0o600 });
    } catch (error) {
      // The daemon goes on with a full disk.
      if (!isSystemError(error)) throw error;
    }
    return text;
  };
}
