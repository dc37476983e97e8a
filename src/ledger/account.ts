import type { Git } from '../git/git.ts';
import type { Event } from '../model/event.ts';
import { ok, type Result, unreachable } from '../model/failure.ts';
import type { Fate, LedgerEntry } from '../model/ledger-entry.ts';
import type { RunSettings } from '../model/run.ts';
import { keepRef } from '../worktree/branch.ts';
import { Holders } from './holders.ts';
import { type Trip, type TripEnd, tripsOf } from './trip.ts';

/**
 * Determines the fate of every captured commit, in order of attempts. `events` may be of one run or all; git is read
 * afterwards, so progress of a live run shows in one of the two. `fallback` is the target of a run whose start is not
 * among the events.
 */
export async function account(
  events: readonly Event[],
  git: Git,
  fallback: string,
): Promise<Result<readonly LedgerEntry[]>> {
  const holders = await Holders.of(git);
  if (!holders.ok) return holders;
  const settings = new Map<string, RunSettings>();
  for (const event of events) {
    if (event.type === 'run-started') settings.set(event.run, event.settings);
  }
  const cases = new Map<string, Case[]>();
  const entries: LedgerEntry[] = [];
  const all = tripsOf(events).map((trip): Case => {
    const told = settings.get(trip.run);
    const target = told?.target ?? fallback;
    const isMerged = (told?.train?.style ?? 'merge') === 'merge';
    const tries = cases.get(trip.task) ?? [];
    cases.set(trip.task, tries);
    const made = { trip, tries, holders: holders.value, target, isMerged };
    tries.push(made);
    return made;
  });
  for (const one of all) entries.push(...(await entriesOf(one)));
  return ok(entries);
}

interface Case {
  readonly trip: Trip;
  /** All attempts at the same task, including this one. */
  readonly tries: readonly Case[];
  readonly holders: Holders;
  /** Target branch of its run. */
  readonly target: string;
  /** True if landings are merges, so the target contains the very commits that landed. */
  readonly isMerged: boolean;
}

/** The last commit decides the fate of the earlier ones, which it builds on. */
async function entriesOf(given: Case): Promise<readonly LedgerEntry[]> {
  const { run, task, attempt, captures, end } = given.trip;
  const chain = captures.map(({ commit }) => commit);
  // The queued commit may be later than the last capture: the target was merged into it on the way.
  if ('entry' in end && !chain.includes(end.entry)) chain.push(end.entry);
  const speaker = 'entry' in end ? chain.indexOf(end.entry) : chain.length - 1;
  const fate = await fateOf(given, chain[speaker] ?? '');
  const entries: LedgerEntry[] = [];
  for (const [place, { commit, at }] of captures.entries()) {
    const next = chain[place + 1];
    const own =
      place > speaker
        ? await fateOfStray(given.holders, commit)
        : place === speaker || next === undefined
          ? fate
          : successor(fate, next);
    entries.push({ run, task, attempt, commit, at, fate: own });
  }
  return entries;
}

/** Captured after the commit that landed or was delivered, so no event tells its fate. */
async function fateOfStray(holders: Holders, commit: string): Promise<Fate> {
  const ref = await holders.any(commit);
  if (ref !== undefined) return { id: 'returned', to: 'person', ref };
  return { id: 'lost', why: 'its attempt ended with earlier work, and no ref holds it' };
}

function successor(fate: Fate, by: string): Fate {
  if (fate.id !== 'lost') return { id: 'superseded', by };
  return { id: 'lost', why: `${by}, which took its place, is lost` };
}

async function fateOf(given: Case, commit: string): Promise<Fate> {
  const { end } = given.trip;
  switch (end.id) {
    case 'landed':
      return fateOfLanded(given, end);
    case 'delivered':
      return fateOfDelivered(given, end);
    case 'over':
      return fateOfReturned(given, commit, end);
    case 'live':
      return fateOfLive(given, commit, end);
    default:
      unreachable(end);
  }
}

type End<Id extends TripEnd['id']> = Extract<TripEnd, { id: Id }>;

/** The log is not enough: the target must contain it. A renamed target is searched among all refs. */
async function fateOfLanded(
  { holders, target, isMerged }: Case,
  { entry, commit: by }: End<'landed'>,
): Promise<Fate> {
  const isBranch = holders.at(`refs/heads/${target}`) !== undefined;
  const wanted = isMerged ? [by, entry] : [by];
  for (const commit of wanted) {
    const holder = isBranch ? holders.tipWith(target, commit) : holders.any(commit);
    const isThere = (await holder) !== undefined;
    if (!isThere) return { id: 'lost', why: `it landed with ${by}, and ${target} lacks ${commit}` };
  }
  return { id: 'landed', by };
}

async function fateOfDelivered(
  { holders, isMerged }: Case,
  { entry, branch, url }: End<'delivered'>,
): Promise<Fate> {
  // Merged pull requests often have deleted branches; the URL is enough.
  if (url !== undefined) return { id: 'delivered', branch, url };
  const ref = `refs/heads/${branch}`;
  const isThere = isMerged
    ? (await holders.among([ref], entry)) !== undefined
    : holders.at(ref) !== undefined;
  if (isThere || (await holders.any(entry)) !== undefined) return { id: 'delivered', branch };
  return { id: 'lost', why: `it was delivered, and its branch ${branch} is gone` };
}

async function fateOfReturned(given: Case, commit: string, end: End<'over'>): Promise<Fate> {
  const { trip, tries, holders, target } = given;
  const to = trip.next ?? 'person';
  const returned = (ref: string): Fate =>
    end.failure === undefined
      ? { id: 'returned', to, ref }
      : { id: 'returned', to, why: end.failure, ref };
  const own = await holders.among(ownRefs(trip, holders), commit);
  if (own !== undefined) return returned(own);
  const tip = await holders.tipWith(target, commit);
  if (tip !== undefined) return { id: 'landed', by: tip, byHand: true };
  const ref = await holders.any(commit);
  if (ref !== undefined) return returned(ref);
  const gone = trip.branch;
  for (const one of tries) {
    if (one.trip.attempt <= trip.attempt || !('entry' in one.trip.end)) continue;
    const by = one.trip.end.entry;
    const fate = await fateOf(one, by);
    if (fate.id !== 'lost') return { id: 'superseded', by, gone };
  }
  return { id: 'lost', why: `it was returned, and its branch ${gone} is gone` };
}

async function fateOfLive(
  { trip, holders, target }: Case,
  commit: string,
  { candidates }: End<'live'>,
): Promise<Fate> {
  const own = await holders.among(ownRefs(trip, holders), commit);
  if (own !== undefined) return { id: 'waiting', ref: own };
  for (const candidate of candidates) {
    const tip = await holders.tipWith(target, candidate);
    if (tip !== undefined) return { id: 'landed', by: candidate };
  }
  // Only a capture moves this ref: newer work was captured and is not recorded yet.
  const kept = holders.at(keepRef(trip.run, trip.task, trip.attempt));
  if (kept !== undefined) return { id: 'superseded', by: kept };
  const ref = await holders.any(commit);
  if (ref !== undefined) return { id: 'waiting', ref };
  return { id: 'lost', why: 'its attempt is under way, and no ref holds it' };
}

/** Refs of an attempt: its branch, its keep ref, and extra keep refs. */
function ownRefs({ run, task, attempt, branch }: Trip, holders: Holders): readonly string[] {
  const keep = keepRef(run, task, attempt);
  return [`refs/heads/${branch}`, keep, ...holders.below(`${keep}.`)];
}
