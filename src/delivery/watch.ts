import type { Pull } from '../model/event.ts';
import { limits } from '../plan/limits.ts';

/** What is known of pull requests from looking at them again and again. */
export interface Watch {
  readonly branches: readonly string[];
  /** When it began, or something last changed. */
  readonly changedAt: number;
  readonly askedAt: number;
  /** Looks in a row that brought nothing new, failed ones included. */
  readonly quiet: number;
  readonly states: readonly Pull[];
}

/** Over the pull requests of these branches. Whoever just opened one knows how it stands: the first look can wait. */
export function startWatch(branches: readonly string[], now: number): Watch {
  return { branches, changedAt: now, askedAt: now, quiet: 0, states: [] };
}

/** After a look; `states` is undefined where it failed. */
export function polled(watch: Watch, states: readonly Pull[] | undefined, now: number): Watch {
  if (states === undefined || isSame(watch.states, states)) {
    return { ...watch, askedAt: now, quiet: watch.quiet + 1 };
  }
  return { ...watch, changedAt: now, askedAt: now, quiet: 0, states };
}

/** When to look next; undefined when nothing more can come of it, or for too long nothing did. */
export function nextPollAt(watch: Watch): number | undefined {
  const { branches, states, quiet, askedAt, changedAt } = watch;
  const settled = new Set(states.filter(isSettled).map(({ branch }) => branch));
  if (branches.every((branch) => settled.has(branch))) return undefined;
  if (askedAt - changedAt >= limits.pullPatienceMs) return undefined;
  // A power of two beyond any number of looks is infinite, and the longest pause is still the shorter one.
  return askedAt + Math.min(limits.pullWatchMs * 2 ** quiet, limits.pullWatchMaxMs);
}

/** Nothing more will happen to it by itself. */
export function isSettled({ state }: Pull): boolean {
  return state !== 'open';
}

function isSame(before: readonly Pull[], after: readonly Pull[]): boolean {
  const known = new Set(before.map(stateKey));
  return before.length === after.length && after.every((pull) => known.has(stateKey(pull)));
}

function stateKey({ branch, number, state, checks, mergeCommit = '' }: Pull): string {
  return [branch, number, state, checks, mergeCommit].join(' ');
}
