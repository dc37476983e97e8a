import type { Failure } from '../../model/failure.ts';
import { internal } from '../../model/trouble.ts';
import { BadRow } from '../trouble.ts';

/** Codes of Postgres, and of the system where the driver could not connect. */
const loginRefused = new Set(['28000', '28P01']);
const busy = new Set(['55P03', '40001', '40P01', '57014']);
const unreachable = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
  // The server starts, stops, crashed, or ended the session.
  '57P01',
  '57P02',
  '57P03',
  '57P05',
  '25P03',
  // It has too many connections.
  '53300',
]);
/** The driver has no codes for these. */
const lostConnection =
  /^(?:Connection terminated|Query read timeout|timeout expired|timeout exceeded|Client has encountered a connection error|Client was closed)/;
const noPassword = /client password must be|no password supplied/;

/** Converts an exception of the driver into a failure. `store` is the address without secrets. */
export function troubleFrom(error: unknown, store: string, waitedMs: number): Failure {
  const detail = error instanceof Error ? error.message : String(error);
  const code = codeOf(error);
  const unavailable = (problem: Problem): Failure => {
    return { kind: 'store-unavailable', store, problem, detail: detail || (code ?? 'no answer') };
  };
  if (error instanceof BadRow) return { kind: 'store-corrupt', file: store, detail };
  if (isLost(error)) return unavailable('unreachable');
  if (noPassword.test(detail)) {
    const missing = 'it asks for a password, and none was given';
    return { kind: 'store-unavailable', store, problem: 'login', detail: missing };
  }
  if (loginRefused.has(code ?? '')) return unavailable('login');
  if (code === '3D000') return unavailable('no-database');
  if (code === '42501') return unavailable('no-permission');
  if (busy.has(code ?? '')) {
    return { kind: 'store-busy', file: store, waitedMs: Math.round(waitedMs) };
  }
  // A bug in Yardmaster keeps its stack; everything else comes from the server.
  if (error instanceof TypeError || error instanceof RangeError) return internal(error);
  return { kind: 'store-failed', file: store, detail };
}

type Problem = Extract<Failure, { kind: 'store-unavailable' }>['problem'];

/** True if there is no connection any more, or never was one. */
export function isLost(error: unknown): boolean {
  const code = codeOf(error);
  if (code !== undefined) return unreachable.has(code) || code.startsWith('08');
  return error instanceof Error && lostConnection.test(error.message);
}

export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
