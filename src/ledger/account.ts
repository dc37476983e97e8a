import { keepRef } from '../model/branch.ts';
import { type Failure, ok, type Result, unreachable } from '../model/failure.ts';
import type { AttemptRecord } from '../model/history.ts';
import type { Fate, LedgerEntry } from '../model/ledger-entry.ts';
import type { RunId, RunSettings } from '../model/run.ts';
import type { TaskId } from '../model/task.ts';
import type { Git } from '../port/git.ts';
import { RefIndex } from './ref-index.ts';

/** Target branch of a run, and how landings look on it. */
type RunTarget = Pick<RunSettings, 'target' | 'train'>;

/**
 * Determines the fate of every captured commit, in order of attempts. Git is read after the attempts, so progress of a
 * live run shows in one of the two. `fallback` is the target of a run that is not among `runs`.
 */
export async function account(
  attempts: readonly AttemptRecord[],
  runs: ReadonlyMap<RunId, RunTarget>,
  git: Git,
  fallback: string,
): Promise<Result<readonly LedgerEntry[]>> {
  const refIndex = await RefIndex.of(git);
  if (!refIndex.ok) return refIndex;
  const byTask = new Map<string, WorkContext[]>();
  const entries: LedgerEntry[] = [];
  const all = attemptsWithWork(attempts).map((work): WorkContext => {
    const runSettings = runs.get(work.run);
    const target = runSettings?.target ?? fallback;
    const isMerged = (runSettings?.train?.style ?? 'merge') === 'merge';
    const siblings = byTask.get(work.task) ?? [];
    byTask.set(work.task, siblings);
    const made = { work, siblings, refIndex: refIndex.value, target, isMerged };
    siblings.push(made);
    return made;
  });
  for (const one of all) entries.push(...(await entriesOf(one)));
  return ok(entries);
}

interface WorkContext {
  readonly work: AttemptWork;
  /** All attempts at the same task, including this one. */
  readonly siblings: readonly WorkContext[];
  readonly refIndex: RefIndex;
  readonly target: string;
  /** True if landings are merges, so the target contains the very commits that landed. */
  readonly isMerged: boolean;
}

/** The last commit decides the fate of the earlier ones, which it builds on. */
async function entriesOf(context: WorkContext): Promise<readonly LedgerEntry[]> {
  const { run, task, attempt, captures, end } = context.work;
  const chain = captures.map(({ commit }) => commit);
  // The queued commit may be later than the last capture: the target was merged into it on the way.
  if ('entry' in end && !chain.includes(end.entry)) chain.push(end.entry);
  const decisive = 'entry' in end ? chain.indexOf(end.entry) : chain.length - 1;
  const fate = await fateOf(context, chain[decisive] ?? '');
  const entries: LedgerEntry[] = [];
  for (const [place, { commit, at }] of captures.entries()) {
    const next = chain[place + 1];
    const own =
      place > decisive
        ? await fateOfStray(context.refIndex, commit)
        : place === decisive || next === undefined
          ? fate
          : successor(fate, next);
    entries.push({ run, task, attempt, commit, at, fate: own });
  }
  return entries;
}

/** Captured after the commit that landed or was delivered, so no event tells its fate. */
async function fateOfStray(refIndex: RefIndex, commit: string): Promise<Fate> {
  const ref = await refIndex.any(commit);
  if (ref !== undefined) return { id: 'returned', to: 'person', ref };
  return { id: 'lost', why: 'its attempt ended with earlier work, and no ref contains it' };
}

function successor(fate: Fate, by: string): Fate {
  if (fate.id !== 'lost') return { id: 'superseded', by };
  return { id: 'lost', why: `${by}, which replaced it, is lost` };
}

async function fateOf(context: WorkContext, commit: string): Promise<Fate> {
  const { end } = context.work;
  switch (end.id) {
    case 'landed':
      return fateOfLanded(context, end);
    case 'delivered':
      return fateOfDelivered(context, end);
    case 'over':
      return fateOfReturned(context, commit, end);
    case 'live':
      return fateOfLive(context, commit, end);
    default:
      unreachable(end);
  }
}

type End<Id extends AttemptEnd['id']> = Extract<AttemptEnd, { id: Id }>;

/** The log is not enough: the target must contain it. A renamed target is searched among all refs. */
async function fateOfLanded(
  context: WorkContext,
  { entry, copy = entry, commit: by }: End<'landed'>,
): Promise<Fate> {
  const { refIndex, target, isMerged } = context;
  const isBranch = refIndex.at(`refs/heads/${target}`) !== undefined;
  const isThere = async (commit: string): Promise<boolean> =>
    (await (isBranch ? refIndex.tipWith(target, commit) : refIndex.any(commit))) !== undefined;
  if (!(await isThere(by))) {
    if (isBranch) return fateOfDropped(context, copy, by);
    return { id: 'lost', why: `it landed with ${by}, and ${target}, which contained it, is gone` };
  }
  if (!isMerged || (await isThere(copy))) return { id: 'landed', by };
  return { id: 'lost', why: `it landed with ${by}, but ${target} does not contain ${copy}` };
}

/**
 * The target was moved to commits without the landing: a person rewrote it, or dropped it, and then a later attempt may
 * have landed instead.
 */
async function fateOfDropped(
  { work, siblings, refIndex, target }: WorkContext,
  commit: string,
  by: string,
): Promise<Fate> {
  const rewritten = await refIndex.landingOf(target, work);
  if (rewritten !== undefined) return { id: 'landed', by: rewritten };
  for (const one of siblings) {
    if (one.work.attempt <= work.attempt || one.work.end.id !== 'landed') continue;
    const fate = await fateOfLanded(one, one.work.end);
    if (fate.id === 'landed') return { id: 'superseded', by: fate.by };
  }
  return { id: 'dropped', by, target, ref: await refIndex.any(commit) };
}

async function fateOfDelivered(
  { refIndex, isMerged }: WorkContext,
  { entry, branch, url }: End<'delivered'>,
): Promise<Fate> {
  // Merged pull requests often have deleted branches; the URL is enough.
  if (url !== undefined) return { id: 'delivered', branch, url };
  const ref = `refs/heads/${branch}`;
  const isThere = isMerged
    ? (await refIndex.among([ref], entry)) !== undefined
    : refIndex.at(ref) !== undefined;
  if (isThere || (await refIndex.any(entry)) !== undefined) return { id: 'delivered', branch };
  return { id: 'lost', why: `it was delivered, and its branch ${branch} is gone` };
}

async function fateOfReturned(
  context: WorkContext,
  commit: string,
  end: End<'over'>,
): Promise<Fate> {
  const { work, siblings, refIndex, target } = context;
  const to = work.next ?? 'person';
  const returned = (ref: string): Fate => {
    if (end.failure?.kind === 'superseded') return { id: 'superseded', task: end.failure.by, ref };
    return { id: 'returned', to, why: end.failure, ref };
  };
  const own = await refIndex.among(ownRefs(work, refIndex), commit);
  if (own !== undefined) return returned(own);
  const tip = await refIndex.tipWith(target, commit);
  if (tip !== undefined) return { id: 'landed', by: tip, byHand: true };
  const ref = await refIndex.any(commit);
  if (ref !== undefined) return returned(ref);
  const gone = work.branch;
  for (const one of siblings) {
    if (one.work.attempt <= work.attempt || !('entry' in one.work.end)) continue;
    const by = one.work.end.entry;
    const fate = await fateOf(one, by);
    if (fate.id !== 'lost') return { id: 'superseded', by, gone };
  }
  return { id: 'lost', why: `it was returned, and its branch ${gone} is gone` };
}

async function fateOfLive(
  { work, refIndex, target }: WorkContext,
  commit: string,
  { candidates }: End<'live'>,
): Promise<Fate> {
  const own = await refIndex.among(ownRefs(work, refIndex), commit);
  if (own !== undefined) return { id: 'waiting', ref: own };
  for (const candidate of candidates) {
    const tip = await refIndex.tipWith(target, candidate);
    if (tip !== undefined) return { id: 'landed', by: candidate };
  }
  // Only a capture moves this ref: newer work was captured and is not recorded yet.
  const kept = refIndex.at(keepRef(work.run, work.task, work.attempt));
  if (kept !== undefined) return { id: 'superseded', by: kept };
  const ref = await refIndex.any(commit);
  if (ref !== undefined) return { id: 'waiting', ref };
  return { id: 'lost', why: 'its attempt is still running, and no ref contains it' };
}

/** Refs of an attempt: its branch, its keep ref, and extra keep refs. */
function ownRefs(
  { run, task, attempt, branch }: AttemptWork,
  refIndex: RefIndex,
): readonly string[] {
  const keep = keepRef(run, task, attempt);
  return [`refs/heads/${branch}`, keep, ...refIndex.below(`${keep}.`)];
}

/** Attempt that captured work, as the ledger needs it. */
interface AttemptWork {
  readonly run: RunId;
  /** Runs that drove the attempt, `run` first. */
  readonly runs: readonly RunId[];
  readonly task: TaskId;
  readonly attempt: number;
  readonly branch: string;
  /** Every commit once, ordered by last capture. Never empty. */
  readonly captures: AttemptRecord['captures'];
  readonly end: AttemptEnd;
  /** Next attempt at the same task, even without captured work. */
  readonly next?: number;
}

export type AttemptEnd =
  /** `entry` is the attempt's queued commit, `copy` the one that landed instead, if it was replayed. */
  | {
      readonly id: 'landed';
      readonly entry: string;
      readonly copy?: string;
      readonly commit: string;
    }
  | {
      readonly id: 'delivered';
      readonly entry: string;
      readonly branch: string;
      readonly url?: string;
    }
  /** Given up or failed; no failure if there was nothing to land. */
  | { readonly id: 'over'; readonly failure?: Failure }
  /** `candidates`: commits that put the work on the target when they land. */
  | { readonly id: 'live'; readonly candidates: readonly string[] };

/** Attempts that captured work, in order of their start. */
function attemptsWithWork(attempts: readonly AttemptRecord[]): readonly AttemptWork[] {
  return attempts
    .filter(({ captures }) => captures.length > 0)
    .map((record) => {
      const { task, number: attempt, branch, captures } = record;
      const later = attempts.filter((one) => one.task === task && one.number > attempt);
      const next = Math.min(...later.map(({ number }) => number));
      return {
        run: record.runs[0] ?? '',
        runs: record.runs,
        task,
        attempt,
        branch,
        captures,
        end: endOf(record),
        ...(Number.isFinite(next) ? { next } : {}),
      };
    });
}

function endOf({ end, prefixes }: AttemptRecord): AttemptEnd {
  switch (end.id) {
    case 'live':
      return { id: 'live', candidates: prefixes.map(({ commit }) => commit) };
    case 'landed':
      return { id: 'landed', entry: end.work, commit: end.commit, copy: end.copy };
    case 'delivered':
      return { id: 'delivered', entry: end.work, branch: end.branch, url: end.url };
    case 'planned':
      return { id: 'over' };
    case 'giving-up':
    case 'failed':
      return { id: 'over', failure: end.failure };
    default:
      return unreachable(end);
  }
}
