import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fail, ok, type Result, unwritable } from '../model/failure.ts';
import type { Secret } from '../port/secret.ts';

const keyBytes = 32;
/** Keys in the file: the valid one and the last ones before it. */
const mostKeys = 17;

/**
 * Opens the secret: a file next to the store, created once and readable only by its owner. It holds the valid key, then
 * the keys that were replaced.
 */
export function projectSecret(dir: string): Result<Secret> {
  const file = secretFile(dir);
  try {
    if (!existsSync(file)) make(dir, file);
    const keys = keysIn(file);
    if (keys.length > 0) return ok(new FileSecret(file, keys));
    return fail({ kind: 'state-unwritable', dir, cause: `${file} is damaged; remove it` });
  } catch (error) {
    return unwritable(dir, error);
  }
}

export function secretFile(dir: string): string {
  return join(dir, 'secret');
}

/**
 * Notices readers by the access time. It is set to a moment long ago, so that the next read moves it even on file
 * systems that note one read a day. A program that sets it back changes the status time. A program that opens the file
 * with `O_NOATIME`, as we do, is not noticed, nor is any reader on a file system mounted with `noatime`.
 */
class FileSecret implements Secret {
  readonly #file: string;
  #keys: readonly Uint8Array[];
  /** Status of the file after it was prepared; undefined before the first call of `look`. */
  #status: string | undefined;
  #count = 0;
  #isWritten = true;

  constructor(file: string, keys: readonly Uint8Array[]) {
    this.#file = file;
    this.#keys = keys;
  }

  key(): Uint8Array {
    if (this.#status !== undefined) this.look();
    const [key] = this.#keys;
    if (key === undefined) throw new Error('the secret has no key');
    return key;
  }

  replaced(): readonly Uint8Array[] {
    return this.#keys.slice(1);
  }

  look(): number {
    if (this.#status === undefined) this.#try(() => prepare(this.#file));
    else if (statusOf(this.#file) !== this.#status && this.#isWritten) {
      this.#count += 1;
      this.#keys = [randomBytes(keyBytes), ...this.#keys].slice(0, mostKeys);
      this.#isWritten = false;
    }
    if (!this.#isWritten) {
      this.#try(() => {
        replaceFile(this.#file, this.#keys);
        this.#isWritten = true;
        this.#status = undefined;
        prepare(this.#file);
      });
    }
    return this.#count;
  }

  /** A disk that cannot be written now may be later; until then the new key is in memory only. */
  #try(work: () => void): void {
    try {
      work();
      this.#status = statusOf(this.#file);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error;
    }
  }
}

/** Access time of a file that no program has read since it was prepared, in seconds. */
const longAgo = 1_000_000_000;

function prepare(file: string): void {
  const { mtimeMs } = statSync(file);
  utimesSync(file, longAgo, Math.floor(mtimeMs / 1000));
}

/**
 * Local file systems of Linux by their magic numbers: ext, xfs, btrfs, tmpfs, overlay, zfs, f2fs, bcachefs. Elsewhere
 * times may change without a reader, so they are not compared.
 */
const reliable = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0x2fc12fc1, 0xf2f52010, 0xca451a4e,
]);

function statusOf(file: string): string {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  if (found === undefined) return 'gone';
  const { size, mtimeNs, ctimeNs, atimeNs } = found;
  const isReliable = process.platform === 'linux' && reliable.has(statfsSync(file).type);
  return `${size} ${mtimeNs}${isReliable ? ` ${ctimeNs} ${atimeNs}` : ''}`;
}

/** Keys of the file, read without a trace where the system can do that; none if it is damaged. */
function keysIn(file: string): readonly Uint8Array[] {
  const bytes = readQuietly(file);
  const count = bytes.length / keyBytes;
  if (!Number.isInteger(count) || count > mostKeys) return [];
  return Array.from({ length: count }, (_, at) =>
    bytes.subarray(at * keyBytes, (at + 1) * keyBytes),
  );
}

function readQuietly(file: string): Uint8Array {
  const quiet: number | undefined = constants.O_NOATIME;
  if (quiet === undefined) return readFileSync(file);
  try {
    const opened = openSync(file, constants.O_RDONLY | quiet);
    try {
      return readFileSync(opened);
    } finally {
      closeSync(opened);
    }
  } catch (error) {
    // Only the owner of a file may read it like this.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) throw error;
    return readFileSync(file);
  }
}

/** Creates the file atomically, and never replaces one that another process has just created. */
function make(dir: string, file: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const draft = draftOf(file);
  try {
    writeDraft(draft, [randomBytes(keyBytes)]);
    linkSync(draft, file);
  } catch (error) {
    if (!existsSync(file)) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function replaceFile(file: string, keys: readonly Uint8Array[]): void {
  const draft = draftOf(file);
  try {
    writeDraft(draft, keys);
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}

const draftOf = (file: string): string => `${file}.${randomBytes(6).toString('hex')}`;

function writeDraft(draft: string, keys: readonly Uint8Array[]): void {
  writeFileSync(draft, Buffer.concat(keys), { mode: 0o600, flag: 'wx', flush: true });
}
