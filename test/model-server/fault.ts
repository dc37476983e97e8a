// What can go wrong at a model provider. Each API says it in the shape of its vendor.

/** Answers with a status that is no success. */
export type Refused =
  | { readonly id: 'auth' }
  | { readonly id: 'forbidden' }
  | { readonly id: 'model' }
  | { readonly id: 'bad-request' }
  | { readonly id: 'too-long' }
  | { readonly id: 'credit' }
  | { readonly id: 'rate-limit'; readonly retryAfterS?: number }
  /** The allowance of the account is used up until `resetAt`, in seconds since 1970. */
  | { readonly id: 'quota'; readonly resetAt: number }
  | { readonly id: 'server' }
  | { readonly id: 'unavailable' }
  | { readonly id: 'overloaded' };

/** Answers that begin like a success, or never begin. */
export type Odd =
  /** The connection breaks in the middle of the stream. */
  | { readonly id: 'cut' }
  /** No answer at all. */
  | { readonly id: 'never' }
  /** Half a stream, then silence. */
  | { readonly id: 'stall' }
  /** A page of a proxy, with status 200. */
  | { readonly id: 'html' }
  /** A stream whose frames are not JSON. */
  | { readonly id: 'broken-frames' }
  /** An error event in a stream that began well. */
  | { readonly id: 'in-stream' };

export type Fault = Refused | Odd;

export const statusOf: Readonly<Record<Refused['id'], number>> = {
  auth: 401,
  forbidden: 403,
  model: 404,
  'bad-request': 400,
  'too-long': 400,
  credit: 400,
  'rate-limit': 429,
  quota: 429,
  server: 500,
  unavailable: 503,
  overloaded: 529,
};

export function isRefused(fault: Fault): fault is Refused {
  return fault.id in statusOf;
}

/** Seconds from now until the reset, at least one; `retry-after` in most shapes. */
export function secondsUntil(resetAt: number, nowMs: number): number {
  return Math.max(1, Math.ceil(resetAt - nowMs / 1000));
}

/** The `retry-after` header a refusal carries, if any. */
export function retryAfter(fault: Refused, nowMs: number): Readonly<Record<string, string>> {
  if (fault.id === 'quota') return { 'retry-after': String(secondsUntil(fault.resetAt, nowMs)) };
  if (fault.id === 'rate-limit' && fault.retryAfterS !== undefined) {
    return { 'retry-after': String(fault.retryAfterS) };
  }
  return {};
}
