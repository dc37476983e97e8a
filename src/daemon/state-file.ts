import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DaemonState, daemonLimits, noState } from '../model/daemon.ts';
import { fail, ok, type Result, unwritable } from '../model/failure.ts';
import { readJson } from '../model/shape.ts';
import { isSystemError } from '../process/identity.ts';
import { writeWholeNow } from '../process/whole-file.ts';

/** State of the daemon, in a file that the next daemon reads. */
export class StateFile {
  readonly #file: string;
  #value: DaemonState;
  /** True while the file does not hold the value, because it could not be written. */
  #isBehind = false;

  private constructor(file: string, value: DaemonState) {
    this.#file = file;
    this.#value = value;
  }

  /** Reads the file. One that cannot be understood is renamed, because nothing else knows its runs. */
  static open(file: string): Result<{ readonly state: StateFile; readonly putAside?: string }> {
    try {
      const value = existsSync(file) ? readJson(DaemonState, readFileSync(file, 'utf8')) : noState;
      if (value !== undefined) return ok({ state: new StateFile(file, value) });
      const putAside = freeName(`${file}.unreadable`);
      renameSync(file, putAside);
      return ok({ state: new StateFile(file, noState), putAside });
    } catch (error) {
      return fail(unwritable(dirname(file), error));
    }
  }

  get value(): DaemonState {
    return this.#value;
  }

  /** A file that cannot be written keeps its content; the value in memory counts until it can. */
  save(changes: Partial<DaemonState>): Result<void> {
    const before = JSON.stringify(this.#value);
    this.#value = { ...this.#value, ...changes };
    const text = JSON.stringify(this.#value);
    if (text === before && !this.#isBehind) return ok(undefined);
    this.#isBehind = true;
    try {
      writeWholeNow(this.#file, `${text}\n`, { durable: true });
      this.#isBehind = false;
      return ok(undefined);
    } catch (error) {
      return fail(unwritable(dirname(this.#file), error));
    }
  }
}

/** The name, or the name with the first number that no file has. */
function freeName(name: string): string {
  for (let number = 1; ; number += 1) {
    const one = number === 1 ? name : `${name}-${number}`;
    if (!existsSync(one)) return one;
  }
}

/** Appends lines with the time to the log of the daemon. A file that has grown large is put aside; the last one is kept. */
export function logWriter(file: string, now: () => number): (line: string) => string {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  return (line) => {
    const text = `${new Date(now()).toISOString()} ${line}`;
    try {
      const { size = 0 } = statSync(file, { throwIfNoEntry: false }) ?? {};
      if (size > daemonLimits.logBytes) renameSync(file, `${file}.1`);
      appendFileSync(file, `${text}\n`, { mode: 0o600 });
    } catch (error) {
      // The daemon goes on with a full disk.
      if (!isSystemError(error)) throw error;
    }
    return text;
  };
}
