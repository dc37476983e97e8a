import type { Failure, ProviderFailure } from '../model/failure.ts';
import type { Json } from './harness.ts';

/** Time at which a service may be called again: after a delay, at a time, or at a time of day. */
export interface Wait {
  readonly afterMs?: number;
  /** Milliseconds since 1970. */
  readonly at?: number;
  /** Minutes since midnight, local time. */
  readonly dayMinute?: number;
}

type Limited = Extract<ProviderFailure, { kind: 'provider-rate-limit' | 'quota-exhausted' }>;

/** A failure whose times depend on when the process ended; see `settled`. */
type Unsettled = Limited & { readonly wait: Wait };

/** No service means a longer wait; a number without bounds might not survive JSON. */
const longestMs = 366 * 24 * 3600_000;

/** Adds the wait to a failure. Times that need no clock are set at once. */
export function withWait(failure: Limited, told: Wait | undefined): Limited {
  if (told === undefined) return failure;
  const { afterMs = 0 } = told;
  const wait = afterMs > longestMs ? { ...told, afterMs: longestMs } : told;
  if (failure.kind === 'provider-rate-limit' && wait.afterMs !== undefined) {
    return { ...failure, retryAfterMs: wait.afterMs };
  }
  if (failure.kind === 'quota-exhausted' && wait.at !== undefined) {
    return { ...failure, resetAt: wait.at };
  }
  const unsettled: Unsettled = { ...failure, wait };
  return unsettled;
}

/** Resolves relative times. `now` is when the agent's process ended. */
export function settled(failure: Failure, now: number): Failure {
  if (!isUnsettled(failure)) return failure;
  const { wait, ...rest } = failure;
  const at = wait.at ?? (wait.afterMs === undefined ? atDayMinute(wait, now) : now + wait.afterMs);
  if (at === undefined) return rest;
  return rest.kind === 'quota-exhausted'
    ? { ...rest, resetAt: at }
    : { ...rest, retryAfterMs: Math.max(0, at - now) };
}

function isUnsettled(failure: Failure): failure is Unsettled {
  return 'wait' in failure;
}

/** The next time the local clock shows this minute. */
function atDayMinute({ dayMinute }: Wait, now: number): number | undefined {
  if (dayMinute === undefined) return undefined;
  const moment = new Date(now);
  moment.setHours(0, dayMinute, 0, 0);
  if (moment.getTime() <= now) moment.setDate(moment.getDate() + 1);
  return moment.getTime();
}

/** Reads the wait from the response headers, else from the error text. */
export function waitIn(text: string, headers: Json): Wait | undefined {
  return waitInHeaders(headers) ?? waitInText(text);
}

function waitInHeaders(headers: Json): Wait | undefined {
  const of = (name: string): string | undefined => {
    const value = headers[name];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
  };
  return (
    afterOf(of('retry-after-ms'), 1) ??
    moment(of('anthropic-ratelimit-unified-reset')) ??
    afterOf(of('retry-after'), 1000) ??
    moment(of('retry-after'))
  );
}

function afterOf(value: string | undefined, unitMs: number): Wait | undefined {
  if (value === undefined || !/^\d+(?:\.\d+)?$/.test(value)) return undefined;
  return { afterMs: Math.round(Number(value) * unitMs) };
}

/** Seconds or milliseconds since 1970, or a date with a time zone. */
export function moment(value: string | number | undefined): Wait | undefined {
  if (value === undefined) return undefined;
  if (/^\d{10}$/.test(String(value))) return { at: Number(value) * 1000 };
  if (/^\d{13}$/.test(String(value))) return { at: Number(value) };
  const at = typeof value === 'string' && /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : { at };
}

const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3600_000,
  d: 24 * 3600_000,
};

/** The next unit may follow without a space: `7m12s`. */
const span = String.raw`\d+(?:\.\d+)?\s*(?:ms|milliseconds?|s|sec(?:ond)?s?|m|min(?:ute)?s?|h|hours?|d|days?)(?![a-z_])`;
const inSpan = new RegExp(
  String.raw`(?:again|retry|retrying|resets?|wait|available)\s+(?:in|after|for)?\s*(${span}(?:[\s,]*(?:and\s+)?${span})*)`,
  'i',
);
const isoMoment = /\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)/;
/** `Nov 15th, 2026 3:05 PM`, local time. */
const dateAndClock =
  /\b(?:at|on)\s+([A-Z][a-z]{2,8} \d{1,2})(?:st|nd|rd|th)?,? (\d{4}),? (?:at )?(\d{1,2}:\d\d) ?([AP]M)/i;
const clock =
  /\b(?:again at|resets?(?: at)?)\s+(\d{1,2})(?::(\d\d))? ?([ap]m)\b(?:\s*\(([^)]*)\))?/i;

function waitInText(text: string): Wait | undefined {
  const spans = inSpan.exec(text)?.[1];
  if (spans !== undefined) return { afterMs: lengthOf(spans) };
  // Some agents append the time as a bare number: `limit reached|1767225600`.
  const bare = moment(/\|(\d{10})\b/.exec(text)?.[1] ?? isoMoment.exec(text)?.[0]);
  if (bare !== undefined) return bare;
  const [, day, year, time, half] = dateAndClock.exec(text) ?? [];
  if (day !== undefined) return moment(`${day}, ${year} ${time} ${half}`);
  const [, hour, minute = '0', noon, zone] = clock.exec(text) ?? [];
  if (hour === undefined || !isZoneHere(zone)) return undefined;
  const hours = (Number(hour) % 12) + (noon?.toLowerCase() === 'pm' ? 12 : 0);
  return { dayMinute: hours * 60 + Number(minute) };
}

/** A time without a zone is local; other zones are not supported. */
function isZoneHere(zone: string | undefined): boolean {
  return zone === undefined || zone === Intl.DateTimeFormat().resolvedOptions().timeZone;
}

function lengthOf(spans: string): number {
  let ms = 0;
  for (const [, count, unit = ''] of spans.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/gi)) {
    const short = /^m(?:illi)?s/i.test(unit) ? 'ms' : (unit[0] ?? '').toLowerCase();
    ms += Number(count) * (unitMs[short] ?? 0);
  }
  return Math.round(ms);
}
