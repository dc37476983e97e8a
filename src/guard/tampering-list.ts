import { limits } from '../model/limits.ts';
import { homeEffects, type Tampering } from '../model/violation.ts';
import type { Listing, Snapshot } from '../port/guard.ts';

interface Difference {
  readonly name: string;
  readonly from?: string;
  readonly to?: string;
}

/**
 * Refs that may change at any time and from which nothing lands: our own, remote-tracking refs, stashes and operations
 * in progress.
 */
const UNWATCHED = /^refs\/(?:yard|remotes|prefetch|bisect|rewritten|worktree|stash)(?:\/|$)/;

export function isWatched(ref: string): boolean {
  return !UNWATCHED.test(ref);
}

/**
 * Changes between two snapshots that the attempt was not allowed to make: hooks, settings, refs, checkout, home. `own`
 * are refs the attempt may move, `expected` refs that others move meanwhile, such as the target; a trailing slash means all
 * refs below. Each kind is bounded.
 */
export function tamperings(
  before: Snapshot,
  after: Snapshot,
  own: readonly string[],
  expected: readonly string[] = [],
): readonly Tampering[] {
  const refs = differences(before.refs, after.refs);
  const landed = refs.some(({ name }) => expected.includes(name));
  const settings = differences(before.settings, after.settings);
  const hooks = [
    ...differences(before.hooks, after.hooks),
    // A landing updates the checkout, including hooks in it.
    ...(landed ? [] : differences(before.checkoutHooks, after.checkoutHooks)),
  ].filter((hook) => settings.length === 0 || !isOfNamedFolder(hook));
  const moved = refs.filter(({ name }) => !isAmong(name, own) && !isAmong(name, expected));
  return [
    ...named(hooks).map(({ name }) => ({ kind: 'git-hook', name }) as const),
    ...named(settings).map(({ name }) => ({ kind: 'git-settings', file: name }) as const),
    ...named(moved).map(
      ({ name, ...ends }) => ({ kind: 'ref-moved', ref: name, ...ends }) as const,
    ),
    ...inCheckout(before, after),
    ...homeEffects.flatMap((effect) =>
      named(differences(before.home[effect], after.home[effect])).map(
        ({ name }) => ({ kind: 'home-changed', file: name, effect }) as const,
      ),
    ),
  ];
}

/**
 * True if the hook came or went with the folder that `core.hooksPath` names. If settings changed, that says more than
 * every file of the folder.
 */
function isOfNamedFolder({ name, from, to }: Difference): boolean {
  return name.includes('/') && (from === undefined || to === undefined);
}

function inCheckout({ checkout: before }: Snapshot, { checkout: after }: Snapshot): Tampering[] {
  const changed = differences(before.files, after.files).map(({ name }) => name);
  const files = [...(before.head === after.head ? [] : ['HEAD']), ...changed];
  if (files.length === 0) return [];
  const shown = files.slice(0, limits.tamperingsNamed);
  return [{ kind: 'checkout-changed', dir: after.dir, files: shown }];
}

/** Ignores names beyond the cut of either list, and lists that could not be read. */
function differences(before: Listing | undefined, after: Listing | undefined): Difference[] {
  if (before === undefined || after === undefined) return [];
  const names = [...new Set([...Object.keys(before.marks), ...Object.keys(after.marks)])].sort();
  return names
    .filter((name) => isWithin(name, before) && isWithin(name, after))
    .map((name) => ({ name, from: markOf(before, name), to: markOf(after, name) }))
    .filter(({ from, to }) => from !== to);
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
