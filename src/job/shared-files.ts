import {
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { fail, ok, type Result, unwritable } from '../model/failure.ts';
import { jobLimits } from '../model/job.ts';
import type { RedactedPieces, Redactor } from '../model/redact.ts';
import type { PostgresAddress } from '../model/store-address.ts';
import type { SharedFiles } from '../port/workers.ts';
import { type Piece, ReadPieces, Shelf } from './shelf.ts';

/** How much of a file was read, and how much sent: the redactor holds some back until the file is over. */
interface Sent {
  read: number;
  sent: number;
  /** Text that was read and could not be sent yet. */
  unsent: string;
  isOver: boolean;
  readonly redacted: RedactedPieces;
}

/** Files that people read: prompts and outputs. Everything else belongs to the machine that wrote it. */
const isShared = (name: string): boolean => /\.(?:out|err|md)$/.test(name);
/** False for a piece that would be written outside of the folders of attempts and candidates, or far behind a file. */
const isSafe = ({ path, at }: Piece): boolean =>
  /^(?:attempts|candidates)\/(?!\.\.?\/)[^/]+\/[^/]+$/.test(path) &&
  isShared(path) &&
  at >= 0 &&
  at < jobLimits.fileBytes;

/** Shares the files of attempts through the database. `runs` is the folder of all runs on this machine. */
export function sharedFiles(
  address: PostgresAddress,
  runs: string,
  redactor: Redactor,
): SharedFiles {
  const shelf = new Shelf(address);
  // What this machine wrote is here already.
  const self = `${hostname()}:${runs}`;
  const sent = new Map<string, Sent>();
  const read = new Map<string, ReadPieces>();
  const sendFile = async (run: string, path: string, isOver: boolean): Promise<Result<void>> => {
    const file = join(runs, run, path);
    const before = sent.get(file);
    if (before?.isOver && before.read === sizeOf(file)) return ok(undefined);
    const fresh = { read: 0, sent: 0, unsent: '', isOver: false, redacted: redactor.bytes() };
    const state: Sent = before === undefined || before.isOver ? fresh : before;
    sent.set(file, state);
    for (;;) {
      const bytes = readAt(file, state.read);
      state.read += bytes.length;
      state.unsent += state.redacted.push(bytes.toString('latin1'));
      if (isOver && bytes.length === 0) state.unsent += state.redacted.end();
      if (state.unsent.length > 0 && state.sent < jobLimits.fileBytes) {
        const body = Buffer.from(state.unsent, 'latin1');
        const put = await shelf.put(self, { run, path, at: state.sent, body });
        if (!put.ok) return put;
      }
      state.sent += state.unsent.length;
      state.unsent = '';
      if (bytes.length === 0) break;
    }
    state.isOver = isOver;
    return ok(undefined);
  };
  return {
    async send(run, folder, isOver) {
      for (const name of namesIn(join(runs, run, folder)).filter(isShared)) {
        const done = await sendFile(run, `${folder}/${name}`, isOver);
        if (!done.ok) return done;
      }
      return ok(undefined);
    },
    async fetch(run) {
      const known = read.get(run) ?? new ReadPieces();
      read.set(run, known);
      for (;;) {
        const found = await shelf.unread(self, run, known);
        if (!found.ok || found.value.length === 0) return found.ok ? ok(undefined) : found;
        for (const piece of found.value) {
          const written = isSafe(piece)
            ? writeAt(join(runs, run, piece.path), piece)
            : ok(undefined);
          if (!written.ok) return written;
          known.add(piece.id);
        }
      }
    },
    close: () => shelf.close(),
  };
}

function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return [];
  }
}

/** 0 if the file is gone: old files are compressed and removed. */
const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

function readAt(file: string, at: number): Buffer {
  const length = Math.min(jobLimits.pieceBytes, Math.max(0, sizeOf(file) - at));
  if (length === 0) return Buffer.alloc(0);
  const bytes = Buffer.alloc(length);
  const opened = openSync(file, 'r');
  const read = readSync(opened, bytes, 0, length, at);
  closeSync(opened);
  return bytes.subarray(0, read);
}

/** A disk without room is no reason to end anything: the piece is fetched again later. */
function writeAt(file: string, { at, body }: Pick<Piece, 'at' | 'body'>): Result<void> {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const opened = openSync(file, constants.O_WRONLY | constants.O_CREAT, 0o600);
    writeSync(opened, body, 0, body.length, at);
    closeSync(opened);
    return ok(undefined);
  } catch (error) {
    return fail(unwritable(dirname(file), error));
  }
}
