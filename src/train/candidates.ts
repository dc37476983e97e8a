import type { SharedRed } from '../model/attempt.ts';
import { changedFiles } from '../model/attempt-state.ts';
import type { Failure } from '../model/failure.ts';
import { isInTheWay } from '../model/in-the-way.ts';
import { limits } from '../model/limits.ts';
import type { QueueEntry } from '../model/queue-entry.ts';
import type { Records } from '../model/records.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { TaskId } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';
import type { Candidate, RunningGate, TrainRecord } from '../model/train-record.ts';

/**
 * The candidates of a run form speculation chains: each is built on the target or on the head of another candidate.
 * These functions compute how the chains change when a candidate is judged, lands or is dropped.
 */
type Candidates = readonly Candidate[];

export interface CandidatesChange {
  readonly candidates: Candidates;
  /** Entries that go back to the queue: their candidate was dropped before anything was known about them. */
  readonly requeued: readonly QueueEntry[];
  /** The entry that turned a green candidate red; `on` is the green commit below it. */
  readonly blamed?: { readonly entry: QueueEntry; readonly failure: Failure; readonly on: string };
}

/** Commit that the target has to be at for the rest of the candidate to land. */
export function baseOf({ parent, prefixes, landed }: Candidate): string {
  return prefixes[landed - 1]?.commit ?? parent;
}

export function headOf({ prefixes, commit }: Candidate): string {
  return prefixes.at(-1)?.commit ?? commit;
}

/** The candidates built on `head`, directly or on top of one another. */
function builtOn(candidates: Candidates, head: string): Candidates {
  const found = new Set<Candidate>();
  const heads = new Set([head]);
  // Iterating a set also visits the members that are added meanwhile.
  for (const one of heads) {
    for (const candidate of candidates) {
      if (candidate.parent !== one) continue;
      found.add(candidate);
      heads.add(headOf(candidate));
    }
  }
  return [...found];
}

/** True if no verdict tells yet whether the first `count` branches pass the gate together. */
export function isUndecided({ green, red, entries }: Candidate, count: number): boolean {
  return count > green && count <= entries.length && count < (red?.count ?? count + 1);
}

/** True if the candidate is built on the target itself, not on another candidate. */
export function isOnTarget(
  { candidates }: Pick<TrainRecord, 'candidates'>,
  { parent }: Candidate,
): boolean {
  return !candidates.some((one) => headOf(one) === parent);
}

/** Removes some candidates and requeues their entries that have not landed. */
function without(candidates: Candidates, removed: Candidates): CandidatesChange {
  return {
    candidates: candidates.filter((one) => !removed.includes(one)),
    requeued: removed.flatMap(({ entries, landed }) => entries.slice(landed)),
  };
}

export const withoutAny = (candidates: Candidates): CandidatesChange =>
  without(candidates, candidates);

/** Removes a candidate and everything built on it. */
export function withoutCandidate(candidates: Candidates, candidate: Candidate): CandidatesChange {
  return without(candidates, [candidate, ...builtOn(candidates, headOf(candidate))]);
}

export function withoutBuiltOn(candidates: Candidates, candidate: Candidate): CandidatesChange {
  return without(candidates, builtOn(candidates, headOf(candidate)));
}

/**
 * Drops a stale candidate, and every other one that could not land now. Green candidates on the target stay: one of them
 * may have moved the target, if an engine died before it reported that.
 */
export function withoutStale(candidates: Candidates, stale: Candidate): CandidatesChange {
  const { candidates: left, requeued } = withoutCandidate(candidates, stale);
  const rest = without(
    left,
    left.filter((one) => one.green <= one.landed || !isOnTarget({ candidates: left }, one)),
  );
  return { ...rest, requeued: [...requeued, ...rest.requeued] };
}

export function withCandidate(candidates: Candidates, candidate: Candidate): Candidates {
  return candidates.map((one) => (one.id === candidate.id ? candidate : one));
}

/** The first `count` branches pass the gate together. */
export function markGreen(candidate: Candidate, count: number): Candidate {
  const green = Math.max(candidate.green, count);
  const passed = green === candidate.entries.length && candidate.state.id === 'built';
  return { ...candidate, green, ...(passed ? { state: { id: 'passed' } as const } : {}) };
}

/** The first `count` branches fail the gate together: whatever is built on the candidate is dropped. */
export function markRed(
  candidates: Candidates,
  candidate: Candidate,
  count: number,
  failure: Failure,
): CandidatesChange {
  const known = candidate.red;
  const red = known === undefined || count < known.count ? { count, failure } : known;
  const left = withoutBuiltOn(candidates, candidate);
  return { ...left, candidates: withCandidate(left.candidates, { ...candidate, red }) };
}

/**
 * Finds the branches that changed a file which the failures of a whole red candidate mention. A hint, not a verdict: it
 * only decides which branches are judged first. Undefined if there is no such branch, if the hint does not narrow the
 * search, or if it was followed before for one of the branches.
 */
export function suspicionOf(
  records: Pick<Records, 'task'>,
  { id: candidate, entries, green, red }: Candidate,
): ReadonlyMap<TaskId, SharedRed> | undefined {
  const failure = red?.failure;
  if (failure?.kind !== 'gate-red' || green > 0 || red?.count !== entries.length) return undefined;
  if (entries.length < limits.suspectsFrom) return undefined;
  const { command, confirmed: tests = [], evidence } = failure;
  const text = evidence.failures.map(({ name, message }) => `${name}\n${message}`).join('\n');
  const shared = new Map<TaskId, SharedRed>();
  for (const { id } of entries) {
    const attempt = records.task(id)?.attempt;
    if (attempt?.state.id === 'landing' && attempt.state.shared !== undefined) return undefined;
    const files = attempt === undefined ? [] : changedFiles(attempt);
    const isSuspect = files.some((file) => text.includes(file));
    shared.set(id, { command, tests, candidate, isSuspect });
  }
  const suspects = [...shared.values()].filter(({ isSuspect }) => isSuspect).length;
  return suspects > 0 && suspects * 2 <= entries.length ? shared : undefined;
}

/**
 * Branches of a green candidate that change files in the way of landing; all of them if none is known to. `isWhole` if
 * the candidate has no others, and can wait as it is.
 */
export function entriesInTheWay(
  records: Pick<Records, 'task'>,
  { entries, landed }: Candidate,
  files: readonly string[],
): { readonly held: readonly QueueEntry[]; readonly isWhole: boolean } {
  const left = entries.slice(landed);
  const touching = left.filter(({ id }) => {
    const attempt = records.task(id)?.attempt;
    return attempt !== undefined && isInTheWay(changedFiles(attempt), files);
  });
  const held = touching.length === 0 ? left : touching;
  return { held, isWhole: left.length === 1 || touching.length === left.length };
}

/**
 * Finds the branch to blame: in a candidate on the target, the one that is red where all before it are green. The green
 * branches before it stay and land; those behind it queue again. Undefined until the verdicts leave no doubt.
 */
export function findBlame(train: Pick<TrainRecord, 'candidates'>): CandidatesChange | undefined {
  const found = train.candidates.find(
    (one) => one.red !== undefined && one.red.count - one.green === 1 && isOnTarget(train, one),
  );
  const entry = found?.entries[found.green];
  if (found?.red === undefined || entry === undefined) return undefined;
  const { entries, prefixes, green, red, landed, ...rest } = found;
  const last = prefixes[green - 1];
  const blamed = { entry, failure: red.failure, on: last?.commit ?? found.parent };
  const behind = entries.slice(green + 1);
  const { candidates, requeued } = withoutBuiltOn(train.candidates, found);
  const change = { requeued: [...behind, ...requeued], blamed };
  if (green === landed) return { candidates: candidates.filter((one) => one !== found), ...change };
  const kept: Candidate = {
    ...rest,
    entries: entries.slice(0, green),
    prefixes: prefixes.slice(0, green),
    green,
    landed,
    ...last,
    state: rest.state.id === 'waiting' ? rest.state : { id: 'passed' },
  };
  return { candidates: withCandidate(candidates, kept), ...change };
}

/**
 * The target has moved to `commit`, a prefix of the candidate `id`. Candidates that are built neither on that commit nor
 * on another candidate are dropped.
 */
export function afterLanding(candidates: Candidates, id: string, commit: string): CandidatesChange {
  const landed = candidates.find((one) => one.id === id);
  const at = landed?.prefixes.findIndex((prefix) => prefix.commit === commit) ?? -1;
  const moved =
    landed === undefined || at === -1
      ? candidates
      : withCandidate(candidates, { ...landed, landed: at + 1 });
  const left = moved.filter((one) => one.id !== id || one.landed < one.entries.length);
  const heads = new Set(left.map(headOf));
  let change: CandidatesChange = { candidates: left, requeued: [] };
  for (const root of left) {
    if (heads.has(root.parent) || baseOf(root) === commit) continue;
    const next = withoutCandidate(change.candidates, root);
    change = { ...next, requeued: [...change.requeued, ...next.requeued] };
  }
  return change;
}

export function withTrain(run: RunRecord, change: Partial<TrainRecord>): RunRecord {
  return { ...run, train: { ...run.train, ...change } };
}

/** Frees the slot of a gate that has ended. */
export function withoutGate(run: RunRecord, candidate: string, count: number): RunRecord {
  const isOther = (gate: RunningGate): boolean =>
    gate.candidate !== candidate || gate.count !== count;
  return withTrain(run, { runningGates: run.train.runningGates.filter(isOther) });
}

/** Agent and type of task: branches with the same key tend to come out alike. */
export function workKind(record: TaskRecord | undefined): string {
  return `${record?.attempt?.agent ?? ''} ${record?.task.type ?? ''}`;
}

/** A branch landed (`good`) or was to blame for a red candidate. */
export function recordOutcome(train: TrainRecord, kind: string, good: boolean): TrainRecord {
  const recentOutcomes = [...train.recentOutcomes, good].slice(-limits.trainWindow);
  return { ...recordKindOutcome(train, kind, good), recentOutcomes };
}

/** Counts an outcome for branches of one kind only: a red branch gate says nothing about the merge queue. */
export function recordKindOutcome(train: TrainRecord, kind: string, good: boolean): TrainRecord {
  const before = train.outcomesByKind[kind] ?? { good: 0, bad: 0 };
  const next = good ? { ...before, good: before.good + 1 } : { ...before, bad: before.bad + 1 };
  return { ...train, outcomesByKind: { ...train.outcomesByKind, [kind]: next } };
}

export const newTrain: TrainRecord = {
  landed: 0,
  built: 0,
  candidates: [],
  runningGates: [],
  recentOutcomes: [],
  outcomesByKind: {},
  gateChangedTree: false,
};

/** The train of a resumed run. The obstacle of a waiting landing may be gone: it is tried at once. */
export function resumedTrain(train: TrainRecord): TrainRecord {
  const candidates = train.candidates.map((candidate) =>
    candidate.state.id === 'waiting'
      ? { ...candidate, state: { id: 'passed' } as const }
      : candidate,
  );
  return { ...train, candidates };
}
