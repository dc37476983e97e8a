import { noteBlame, noteTakenApart } from '../history/fold-history.ts';
import type { Attempt, AttemptState, HeldBack, SharedRed } from '../model/attempt.ts';
import type { TrainEvent } from '../model/event.ts';
import { unreachable } from '../model/failure.ts';
import type { QueueEntry } from '../model/queue-entry.ts';
import type { Records } from '../model/records.ts';
import { type RunRecord, withoutVerdict } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import type { Candidate } from '../model/train-record.ts';
import { settleCoClaims } from '../task/co-claims.ts';
import { conflictOf } from '../task/conflict.ts';
import { closeConflictTask, setStatus } from '../task/status.ts';
import {
  afterLanding,
  type CandidatesChange,
  entriesInTheWay,
  findBlame,
  headOf,
  isOnTarget,
  isUndecided,
  markGreen,
  markRed,
  recordOutcome,
  suspicionOf,
  withCandidate,
  withoutAny,
  withoutBuiltOn,
  withoutCandidate,
  withoutGate,
  withoutStale,
  withTrain,
  workKind,
} from './candidates.ts';
import { judgeTarget, landedTarget, moveTarget, withCleared, withoutBlame } from './target.ts';

/** Folds the events of the train: candidates, landings, deliveries and branches that are returned to their agents. */
export function foldTrain(records: Records, event: TrainEvent, at: number): void {
  if (event.type === 'candidate-judged' || event.type === 'target-judged') {
    records.putVerdict(event.tree, event.gate, event.verdict);
  }
  // Tasks change even if the run is unknown.
  if (event.type === 'landed') landEntries(records, event, at);
  if (event.type === 'delivered') {
    for (const entry of event.entries) deliverEntry(records, entry, event, at);
  }
  if (event.type === 'merge-refused') returnWork(records, event, { failure: event.failure });
  const run = records.run(event.run);
  if (run !== undefined) foldIntoRun(records, run, event, at);
}

function foldIntoRun(records: Records, run: RunRecord, event: TrainEvent, at: number): void {
  switch (event.type) {
    case 'candidate-built':
      return addCandidate(records, run, event);
    case 'merge-refused':
      return;
    case 'merge-deferred':
      return deferEntry(records, event, event.behind);
    case 'gate-started': {
      const { candidate, count, commit, tree, slot, tasks } = event;
      const gate = { candidate, count, commit, tree, slot, tasks, since: at };
      return records.putRun(withTrain(run, { runningGates: [...run.train.runningGates, gate] }));
    }
    case 'gate-abandoned':
      return records.putRun(withoutGate(run, event.candidate, event.count));
    case 'candidate-judged':
      return judgeCandidate(records, run, event, at);
    case 'target-check-started': {
      const { commit, reason, before } = event;
      const number = run.target.checksBegun + 1;
      const check = { commit, number, reason, since: at, before };
      return records.putRun({ ...run, target: { ...run.target, checksBegun: number, check } });
    }
    case 'target-check-ended': {
      const { check: _ended, ...target } = run.target;
      return records.putRun({ ...run, target });
    }
    case 'target-judged':
      return records.putRun(judgeTarget(run, event, at));
    case 'target-moved':
      return records.putRun(moveTarget(run, event));
    case 'candidate-dropped': {
      const dropped = find(run, event.candidate);
      if (dropped !== undefined) {
        const { candidates } = run.train;
        changeCandidates(records, run, leftAfterDrop(candidates, dropped, event));
      }
      return;
    }
    case 'landing-waits':
      return waitToLand(records, run, event, at);
    case 'landed':
      return advanceTarget(records, run, event, at);
    case 'delivered': {
      const candidate = find(run, event.candidate);
      if (candidate === undefined) return;
      const candidates = run.train.candidates.filter((one) => one !== candidate);
      const landed = run.train.landed + event.entries.length;
      return records.putRun({ ...withTrain(run, { candidates, landed }), idleSince: at });
    }
    default:
      unreachable(event);
  }
}

/** The target is where it was if a person only no longer wants a branch. */
function leftAfterDrop(
  candidates: readonly Candidate[],
  dropped: Candidate,
  { alone, reason }: Of<'candidate-dropped'>,
): CandidatesChange {
  if (reason.id === 'unwanted') return withoutCandidate(candidates, dropped);
  return alone ? withoutStale(candidates, dropped) : withoutAny(candidates);
}

type Of<Type extends TrainEvent['type']> = Extract<TrainEvent, { type: Type }>;

function find({ train }: RunRecord, id: string): Candidate | undefined {
  return train.candidates.find((one) => one.id === id);
}

/**
 * A candidate counts only if the commit it was built on is still the target or the head of a candidate, and if every
 * entry still waits in the queue: a person may have canceled one meanwhile.
 */
function addCandidate(records: Records, run: RunRecord, event: Of<'candidate-built'>): void {
  const { candidate: id, parent, commit, tree, entries, urgent } = event;
  const counted = withTrain(run, { built: run.train.built + 1 });
  if (!hasParent(run, event)) return records.putRun(counted);
  const entered = entries.filter((entry) => enterCandidate(records, entry, id));
  if (entered.length < entries.length) {
    for (const entry of entered) requeue(records, entry);
    return records.putRun(counted);
  }
  const candidate: Candidate = {
    id,
    parent,
    commit,
    tree,
    entries,
    prefixes: event.prefixes ?? [{ commit, tree }],
    state: { id: 'built' },
    landed: 0,
    green: 0,
    ...(urgent === true ? { urgent } : {}),
  };
  const candidates = urgent
    ? [candidate, ...run.train.candidates]
    : [...run.train.candidates, candidate];
  const isRoot = event.on === undefined || parent === run.target.tip;
  const target = isRoot ? { ...run.target, tip: parent } : run.target;
  records.putRun({ ...withTrain(counted, { candidates }), target });
}

function hasParent({ train, target }: RunRecord, event: Of<'candidate-built'>): boolean {
  const { candidates } = train;
  const { parent, on } = event;
  if (target.tip === parent) return true;
  // The tip is unknown after a resume.
  if (on === undefined) return target.tip === undefined && candidates.length === 0;
  return candidates.some((one) => one.id === on && headOf(one) === parent && one.red === undefined);
}

function judgeCandidate(
  records: Records,
  run: RunRecord,
  event: Of<'candidate-judged'>,
  at: number,
): void {
  const { cached } = event;
  const verdict = withoutBlame(run, event.verdict);
  const candidate = find(run, event.candidate);
  const count = event.count ?? candidate?.entries.length ?? 0;
  const { train } = run;
  const proven = cached || verdict.id !== 'passed' ? train : { ...train, gatePassedAt: at };
  const free = withoutGate({ ...run, train: proven }, event.candidate, count);
  // A verdict that already follows from others changes nothing.
  if (candidate === undefined || !isUndecided(candidate, count)) return records.putRun(free);
  switch (verdict.id) {
    case 'passed': {
      const green = { ...markGreen(candidate, count), judgedBy: event.gate };
      const candidates = withCandidate(free.train.candidates, green);
      return returnBlamed(records, withTrain(free, { candidates }), at);
    }
    case 'failed': {
      const change = markRed(free.train.candidates, candidate, count, verdict.failure);
      const marked = changeCandidates(records, free, change);
      return returnBlamed(records, takeApart(records, marked, candidate.id, at), at);
    }
    case 'not-run': {
      // The gate could not run, so the branches queue again.
      const change = withoutCandidate(free.train.candidates, candidate);
      const left = changeCandidates(records, free, change);
      // The first time, a person may have edited the gate's worktree: judge again. Work that does it repeats it.
      if (verdict.failure.kind === 'gate-changed-tree') {
        return records.putRun(withTrain(left, { gateChangedTree: true }));
      }
      return records.putRun(withoutVerdict(left, verdict.failure));
    }
  }
}

/**
 * Requeues the branches of a candidate whose failures point to some of them: those get candidates of their own, after
 * the others. If the others are green, they all land, and the suspects are judged on top of them.
 */
function takeApart(records: Records, run: RunRecord, id: string, at: number): RunRecord {
  const candidate = find(run, id);
  if (candidate === undefined || !isOnTarget(run.train, candidate)) return run;
  const shared = suspicionOf(records, candidate);
  if (shared === undefined) return run;
  for (const entry of candidate.entries) requeue(records, entry, shared.get(entry.id));
  const suspects = [...shared].flatMap(([task, { isSuspect }]) => (isSuspect ? [task] : []));
  noteTakenApart(records, run.id, candidate, suspects, at);
  return changeCandidates(records, run, withoutCandidate(run.train.candidates, candidate));
}

/** Drops the candidate that holds the work of a task which a person no longer wants. */
export function dropCandidateOf(records: Records, id: string): void {
  const attempt = records.task(id)?.attempt;
  if (attempt?.state.id !== 'landing') return;
  const run = records.run(attempt.run);
  const candidate = run === undefined ? undefined : find(run, attempt.state.candidate);
  if (run === undefined || candidate === undefined) return;
  // A green part may be landing at this very moment. If it has to wait, that drops it.
  const lands = (run.settings.delivery ?? 'land') === 'land' && isOnTarget(run.train, candidate);
  if (lands && candidate.green > candidate.landed) return;
  changeCandidates(records, run, withoutCandidate(run.train.candidates, candidate));
}

/** Stores the run. If a branch is now known to be to blame, it leaves its candidate and returns to its agent. */
function returnBlamed(records: Records, run: RunRecord, at: number): void {
  const found = findBlame(run.train);
  if (found?.blamed === undefined) return records.putRun(run);
  const { entry, failure, on } = found.blamed;
  const candidate = run.train.candidates.find(({ entries }) => entries.includes(entry));
  if (candidate !== undefined) noteBlame(records, run.id, candidate, entry, failure, at);
  const kind = workKind(records.task(entry.id));
  const rest = changeCandidates(records, run, found);
  returnWork(records, entry, { failure, on: { commit: on, at } });
  records.putRun({ ...rest, train: recordOutcome(rest.train, kind, false) });
}

function changeCandidates(
  records: Records,
  run: RunRecord,
  { candidates, requeued }: CandidatesChange,
): RunRecord {
  for (const entry of requeued) requeue(records, entry);
  const next = withTrain(run, { candidates });
  records.putRun(next);
  return next;
}

export function dropAllCandidates(records: Records, id: string): void {
  const run = records.run(id);
  if (run === undefined) return;
  changeCandidates(records, withTrain(run, { runningGates: [] }), withoutAny(run.train.candidates));
}

/**
 * Drops the running gates, and every candidate without a green branch that could land. The others are kept, because
 * one of them may have moved the target already.
 */
export function stopCandidates(records: Records, run: RunRecord): RunRecord {
  let left = withTrain(run, { runningGates: [] });
  for (const one of run.train.candidates.filter(({ green, landed }) => green <= landed)) {
    left = changeCandidates(records, left, withoutCandidate(left.train.candidates, one));
  }
  return markStopped(records, left, true);
}

/** Marks the branches of all candidates as stopped, or removes the mark. */
export function markStopped(records: Records, run: RunRecord, isStopped: boolean): RunRecord {
  for (const entry of run.train.candidates.flatMap(({ entries }) => entries)) {
    const live = liveEntry(records, entry);
    if (live?.attempt.state.id !== 'landing') continue;
    const { stopped: _, ...state } = live.attempt.state;
    putState(records, live, isStopped ? { ...state, stopped: true } : state);
  }
  return run;
}

/**
 * The target cannot be moved to a green candidate now. If a person no longer wants one of its branches, it is dropped. If files of the user are in the way, branches that do not change
 * them land without the ones that do: everything built on the candidate queues again, and so does the candidate itself
 * if it has branches of both kinds.
 */
function waitToLand(
  records: Records,
  run: RunRecord,
  event: Of<'landing-waits'>,
  at: number,
): void {
  const candidate = find(run, event.candidate);
  if (candidate === undefined) return;
  const isWanted = ({ id }: QueueEntry): boolean => records.task(id)?.status.id === 'open';
  if (!candidate.entries.slice(candidate.landed).every(isWanted)) {
    changeCandidates(records, run, withoutCandidate(run.train.candidates, candidate));
    return;
  }
  const { failure, until, inTheWay } = event;
  const found = inTheWay && entriesInTheWay(records, candidate, inTheWay);
  const held = found?.held ?? [];
  const times = held.map((entry) => holdBack(records, entry, { failure, since: at, until }));
  const since = candidate.state.id === 'waiting' ? candidate.state.since : Math.min(at, ...times);
  const waiting = { ...candidate, state: { id: 'waiting', failure, since, until } as const };
  const candidates = withCandidate(run.train.candidates, waiting);
  if (found === undefined) return records.putRun(withTrain(run, { candidates }));
  const without = found.isWhole ? withoutBuiltOn : withoutCandidate;
  changeCandidates(records, run, without(candidates, waiting));
}

function advanceTarget(records: Records, run: RunRecord, event: Of<'landed'>, at: number): void {
  const { commit } = event;
  const landed = find(run, event.candidate);
  const ahead = landed?.prefixes.slice(landed.landed) ?? [];
  // A landing that is stored late or twice does not move the target back.
  if (!ahead.some((prefix) => prefix.commit === commit)) {
    return records.putRun({ ...run, target: withCleared(run.target, commit) });
  }
  const target = landedTarget(run.target, commit);
  const change = afterLanding(run.train.candidates, event.candidate, commit);
  const moved = changeCandidates(records, run, change);
  returnBlamed(records, { ...moved, target, idleSince: at }, at);
}

function landEntries(records: Records, event: Of<'landed'>, at: number): void {
  for (const [place, entry] of event.entries.entries()) {
    const kind = workKind(records.task(entry.id));
    const commit = event.commits?.[place] ?? event.commit;
    const count = landEntry(records, entry, { run: event.run, commit, at });
    const run = records.run(event.run);
    if (run === undefined || count === 0) continue;
    const train = { ...run.train, landed: run.train.landed + count };
    records.putRun({ ...run, train: recordOutcome(train, kind, true) });
  }
}

/** Returns how many tasks landed with the entry: none if the event was stored twice. */
function landEntry(
  records: Records,
  entry: QueueEntry,
  landing: { readonly commit: string; readonly run: string; readonly at: number },
): number {
  const { at, commit } = landing;
  const { coClaims = [] } = entry;
  const record = records.task(entry.id);
  if (record === undefined || record.status.id === 'landed') return 0;
  const state = { id: 'landed', commit, work: entry.commit } as const;
  const live = liveEntry(records, entry);
  const attempt = live === undefined ? {} : { attempt: { ...live.attempt, state } };
  const landed = { id: 'landed', ...landing } as const;
  setStatus(records, { ...record, failures: 0, ...attempt }, landed, at);
  closeConflictTask(records, record.task.id, `${record.task.id} has landed`, at);
  const resolved = conflictOf(record.task);
  const blocked = resolved !== undefined && coClaims.includes(resolved) && records.task(resolved);
  if (blocked && blocked.status.id === 'blocked') setStatus(records, blocked, landed, at);
  // A variant counts with its task.
  const own = record.task.variantOf === undefined ? 1 : 0;
  return own + settleCoClaims(records, entry, landed, at);
}

/** The work was handed over as a branch or a pull request; a person lands it. */
function deliverEntry(
  records: Records,
  entry: QueueEntry,
  { how, branch, url }: Of<'delivered'>,
  at: number,
): void {
  const live = liveEntry(records, entry);
  if (live === undefined) return;
  const { commit } = entry;
  const attempt: Attempt = { ...live.attempt, state: { id: 'landed', commit } };
  // A decision that a person made meanwhile is kept, although the branch exists.
  if (live.record.status.id !== 'open') return records.putTask({ ...live.record, attempt });
  const delivered = { id: 'delivered', how, branch, commit, url } as const;
  setStatus(records, { ...live.record, failures: 0, attempt }, delivered, at);
  settleCoClaims(records, entry, delivered, at);
}

type EntryId = Pick<QueueEntry, 'id' | 'attempt'>;

interface Live {
  readonly record: TaskRecord;
  readonly attempt: Attempt;
}

/** Record and attempt of an entry; undefined if the attempt is not the newest of its task. */
function liveEntry(records: Records, { id, attempt }: EntryId): Live | undefined {
  const record = records.task(id);
  if (record?.attempt === undefined || record.attempt.number !== attempt) return undefined;
  return { record, attempt: record.attempt };
}

function putState(records: Records, { record, attempt }: Live, state: AttemptState): void {
  records.putTask({ ...record, attempt: { ...attempt, state } });
}

function enterCandidate(records: Records, entry: EntryId, candidate: string): boolean {
  const live = liveEntry(records, entry);
  if (live?.attempt.state.id !== 'queued' || live.record.status.id !== 'open') return false;
  const { commit, tree, since, shared, heldBack } = live.attempt.state;
  const kept = { shared, heldBack };
  putState(records, live, { id: 'landing', commit, tree, since, candidate, ...kept });
  return true;
}

function requeue(records: Records, entry: EntryId, red?: SharedRed): void {
  const live = liveEntry(records, entry);
  if (live?.attempt.state.id !== 'landing') return;
  const { commit, tree, since, shared = red, heldBack } = live.attempt.state;
  putState(records, live, { id: 'queued', commit, tree, since, shared, heldBack });
}

/**
 * Marks a branch that could not land. Returns the time since which it is held back, which is the first one if it was held
 * back before.
 */
function holdBack(records: Records, entry: EntryId, held: HeldBack): number {
  const live = liveEntry(records, entry);
  if (live?.attempt.state.id !== 'landing') return held.since;
  const since = live.attempt.state.heldBack?.since ?? held.since;
  putState(records, live, { ...live.attempt.state, heldBack: { ...held, since } });
  return since;
}

function deferEntry(records: Records, entry: EntryId, behind: string): void {
  const live = liveEntry(records, entry);
  if (live?.attempt.state.id === 'queued')
    putState(records, live, { ...live.attempt.state, behind });
}

type Returned = Omit<Extract<AttemptState, { id: 'returned' }>, 'id'>;

function returnWork(records: Records, entry: EntryId, why: Returned): void {
  const live = liveEntry(records, entry);
  const state = live?.attempt.state.id;
  const isWaiting = state === 'gating' || state === 'queued' || state === 'landing';
  if (live === undefined || !isWaiting) return;
  // The target that was merged into it before is older than the one it failed on.
  const { merged: _merged, ...returns } = live.attempt.returns;
  const reds = returns.reds + (why.on === undefined ? 0 : 1);
  const attempt = { ...live.attempt, returns: { ...returns, reds } };
  putState(records, { ...live, attempt }, { id: 'returned', ...why });
}
