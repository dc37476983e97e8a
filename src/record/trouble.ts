import { dirname } from 'node:path';
import type { Failure } from '../model/failure.ts';
import { internal } from '../model/trouble.ts';

/** Primary result codes of SQLite; the low byte of what an error carries. */
const PERM = 3;
const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const CORRUPT = 11;
const CANTOPEN = 14;
const NOTADB = 26;

/** A row that exists and cannot be understood. */
export class BadRow extends Error {}

/** Converts an exception of the driver or the file system into a failure. */
export function troubleFrom(error: unknown, file: string, waitedMs: number): Failure {
  const detail = error instanceof Error ? error.message : String(error);
  // Some driver calls lose the error code and keep only the message.
  if (error instanceof BadRow || /disk image is malformed/.test(detail)) {
    return { kind: 'store-corrupt', file, detail };
  }
  const code = codeOf(error);
  switch (code) {
    case BUSY:
    case LOCKED:
      return { kind: 'store-busy', file, waitedMs: Math.round(waitedMs) };
    case CORRUPT:
    case NOTADB:
      return { kind: 'store-corrupt', file, detail };
    case PERM:
    case READONLY:
    case CANTOPEN:
      return { kind: 'state-unwritable', dir: dirname(file), cause: detail };
    default:
      break;
  }
  if (code !== undefined || !(error instanceof Error)) {
    return { kind: 'store-failed', file, detail };
  }
  // A bug in Yardmaster keeps its stack; everything else comes from the machine.
  if (error instanceof TypeError || error instanceof RangeError) return internal(error);
  return { kind: 'store-failed', file, detail };
}

export function isBusy(error: unknown): boolean {
  const code = codeOf(error);
  return code === BUSY || code === LOCKED;
}

function codeOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
}
