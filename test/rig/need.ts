import type { Result } from '../../src/model/failure.ts';

/** The value of a result, or whatever must be there; fails the test without it. */
export function need<T>(found: Result<T, unknown>): T;
export function need<T>(found: T | undefined): T;
export function need<T>(found: Result<T, unknown> | T | undefined): T {
  if (found === undefined) throw new Error('What the test needs is not there');
  if (!isResult<T>(found)) return found;
  if (!found.ok) throw new Error(JSON.stringify(found.failure));
  return found.value;
}

function isResult<T>(found: unknown): found is Result<T, unknown> {
  return typeof found === 'object' && found !== null && 'ok' in found;
}
