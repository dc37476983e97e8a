import type { Tampering } from '../model/violation.ts';
import { limits } from '../plan/limits.ts';
import type { Listing, Snapshot } from './guard.ts';

interface Difference {
  readonly name: string;
  readonly from?: string;
  readonly to?: string;
}

/**
 * Refs that change without anybody trespassing: our own, what was seen of remotes, stashes and halves of operations.
 * Nothing lands from them.
 */
const UNWATCHED = /^refs\/(?:yard|remotes|prefetch|bisect|rewritten|worktree|stash)(?:\/|$)/;

export function isWatched(ref: string): boolean {
  return !UNWATCHED.test(ref);
}

/**
 * What changed between two looks that the attempt had no business with: hooks, settings, refs, the checkout, each by
 * name. `own` are the refs that the attempt may move and `expected` those that others move meanwhile, such as the
 * target; a name that ends in a slash stands for all below it. Of one kind only so many are named.
 */
export function tamperings(
  before: Snapshot,
  after: Snapshot,
  own: readonly string[],
  expected: readonly string[] = [],
): readonly Tampering[] {
  const refs = differences(before.refs, after.refs);
  const landed = refs.some(({ name }) => expected.includes(name));
  const hooks = [
    ...differences(before.hooks, after.hooks),
    // A landing brings the checkout up to date, with all that is in it.
    ...(landed ? [] : differences(before.checkoutHooks, after.checkoutHooks)),
  ];
  const moved = refs.filter(({ name }) => !isAmong(name, own) && !isAmong(name, expected));
  return [
    ...named(hooks).map(({ name }) => ({ kind: 'git-hook', name }) as const),
    ...named(differences(before.settings, after.settings)).map(
      ({ name }) => ({ kind: 'git-settings', file: name }) as const,
    ),
    ...named(moved).map(
      ({ name, ...ends }) => ({ kind: 'ref-moved', ref: name, ...ends }) as const,
    ),
    ...inCheckout(before, after),
  ];
}

function inCheckout({ checkout: before }: Snapshot, { checkout: after }: Snapshot): Tampering[] {
  const changed = differences(before.files, after.files).map(({ name }) => name);
  const files = [...(before.head === after.head ? [] : ['HEAD']), ...changed];
  if (files.length === 0) return [];
  const shown = files.slice(0, limits.tamperingsNamed);
  return [{ kind: 'checkout-changed', dir: after.dir, files: shown }];
}

/** Names beyond the end of either list may only have been left out. A list that nobody could make tells nothing. */
function differences(before: Listing | undefined, after: Listing | undefined): Difference[] {
  if (before === undefined || after === undefined) return [];
  const names = [...new Set([...Object.keys(before.marks), ...Object.keys(after.marks)])].sort();
  return names
    .filter((name) => isWithin(name, before) && isWithin(name, after))
    .map((name) => differenceOf(name, markOf(before, name), markOf(after, name)))
    .filter(({ from, to }) => from !== to);
}

function differenceOf(name: string, from: string | undefined, to: string | undefined): Difference {
  return {
    name,
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  };
}

function markOf({ marks }: Listing, name: string): string | undefined {
  return Object.hasOwn(marks, name) ? marks[name] : undefined;
}

function isWithin(name: string, { upTo }: Listing): boolean {
  return upTo === undefined || name <= upTo;
}

function isAmong(ref: string, names: readonly string[]): boolean {
  return names.some((name) => (name.endsWith('/') ? ref.startsWith(name) : ref === name));
}

function named<T>(found: readonly T[]): readonly T[] {
  return found.slice(0, limits.tamperingsNamed);
}
