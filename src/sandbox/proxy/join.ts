import type { Duplex } from 'node:stream';

/** Copies both ways until both sides have ended, or one fails. */
export function join(one: Duplex, other: Duplex): void {
  one.pipe(other).pipe(one);
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on('error', () => to.destroy());
    from.on('close', () => to.destroy());
  }
}
