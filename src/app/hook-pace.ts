import { limits } from '../model/limits.ts';

interface Pressure {
  /** Number of events that wait, and when the first of them came. */
  readonly waiting: number;
  readonly since: number;
  readonly digestMs: number;
  /** Most messages in a minute. */
  readonly rate: number;
  /** Times of earlier messages, oldest first. */
  readonly sentAt: readonly number[];
  /** The run has ended: nothing more comes. */
  readonly isLast: boolean;
}

export type Pace =
  /** The next message has this many events. */
  | { readonly id: 'send'; readonly events: number }
  | { readonly id: 'wait'; readonly ms: number }
  | { readonly id: 'idle' };

/**
 * When the next message of a hook goes, and how many events it has. Events that come faster than the rate allows are
 * joined, so none is dropped. At the end of a run nothing is held back.
 */
export function paceOf(pressure: Pressure, now: number): Pace {
  const { waiting, since, digestMs, rate, sentAt, isLast } = pressure;
  if (waiting === 0) return { id: 'idle' };
  const recent = sentAt.filter((at) => at > now - limits.hookRateMs);
  const left = rate - recent.length;
  if (!isLast) {
    const allowed = left > 0 ? now : (recent.at(-rate) ?? now) + limits.hookRateMs;
    const due = Math.max(since + digestMs, allowed);
    if (due > now) return { id: 'wait', ms: due - now };
  }
  const isJoined = digestMs > 0 || waiting > left;
  return { id: 'send', events: isJoined ? waiting : 1 };
}
