import type { Attempt, AttemptState } from '../model/attempt.ts';
import type { TrainEvent } from '../model/event.ts';
import { noEvidence } from '../model/evidence.ts';
import { type Failure, unreachable } from '../model/failure.ts';
import type { QueueEntry } from '../model/queue-entry.ts';
import type { Verdict } from '../model/verdict.ts';
import { deliverCoClaims, landCoClaims } from './co-claims.ts';
import { conflictOf } from './conflict.ts';
import { limits } from './limits.ts';
import {
  afterLanding,
  type CandidatesChange,
  findBlame,
  headOf,
  isUndecided,
  markGreen,
  markRed,
  recordOutcome,
  withCandidate,
  withoutCandidate,
} from './line.ts';
import { workKind } from './outcome.ts';
import type { Candidate, Records, RunRecord, TaskRecord } from './record.ts';
import { closeConflictTask, setStatus } from './task-status.ts';

/** The part of the fold that is about the train: candidates, landings, and branches that come back. */
export function foldTrain(records: Records, event: TrainEvent, at: number): void {
  const run = records.run(event.run);
  if (event.type === 'candidate-judged' || event.type === 'target-judged') {
    records.putVerdict(event.tree, event.gate, event.verdict);
  }
  if (event.type === 'landed') arriveAll(records, event, at);
  if (event.type === 'delivered')
    for (const entry of event.entries) assignment(records, entry, event, at);
  if (event.type === 'merge-refused') {
    sendBack(records, { id: event.id, attempt: event.attempt }, event.failure, {});
  }
  if (run === undefined) return;
  switch (event.type) {
    case 'candidate-built':
      return build(records, run, event);
    case 'merge-refused':
      return;
    case 'merge-deferred':
      return putOff(records, event, event.behind);
    case 'gate-started': {
      const { type: _type, run: _run, ...gate } = event;
      return records.putRun({
        ...run,
        runningGates: [...run.runningGates, { ...gate, since: at }],
      });
    }
    case 'gate-abandoned':
      return records.putRun(withoutGate(run, event.candidate, event.count));
    case 'candidate-judged':
      return judge(records, run, event, at);
    case 'target-check-started': {
      const { commit, reason } = event;
      const number = run.targetChecksBegun + 1;
      const checking = { commit, number, reason, since: at };
      return records.putRun({ ...run, targetChecksBegun: number, targetCheck: checking });
    }
    case 'target-check-ended': {
      const { targetCheck: _checking, ...rest } = run;
      return records.putRun(rest);
    }
    case 'target-judged':
      return records.putRun(judgeTarget(run, event, at));
    case 'target-moved':
      return records.putRun(moveTarget(run, event));
    case 'candidate-dropped': {
      const candidate = run.candidates.find(({ id }) => id === event.candidate);
      if (candidate !== undefined) shunt(records, run, dropAll(run.candidates));
      return;
    }
    case 'landing-waits': {
      const candidate = run.candidates.find(({ id }) => id === event.candidate);
      if (candidate === undefined) return;
      const { failure, until } = event;
      const since = candidate.state.id === 'waiting' ? candidate.state.since : at;
      const state = { id: 'waiting', failure, since, until } as const;
      return records.putRun({
        ...run,
        candidates: withCandidate(run.candidates, { ...candidate, state }),
      });
    }
    case 'landed':
      return moveTo(records, records.run(event.run) ?? run, event, at);
    case 'delivered': {
      const candidate = run.candidates.find(({ id }) => id === event.candidate);
      if (candidate === undefined) return;
      const line = run.candidates.filter((one) => one !== candidate);
      const landed = run.landed + event.entries.length;
      return records.putRun({ ...run, candidates: line, landed, idleSince: at });
    }
    default:
      unreachable(event);
  }
}

type Of<Type extends TrainEvent['type']> = Extract<TrainEvent, { type: Type }>;

/**
 * Who was cancelled while the candidate was built does not board, and what holds their work goes nowhere. Nor does what
 * was built on something that is not there any more.
 */
function build(records: Records, run: RunRecord, event: Of<'candidate-built'>): void {
  const { candidate: id, parent, commit, tree, entries, urgent } = event;
  const prefixes = event.prefixes ?? [{ commit, tree }];
  const counted = { ...run, candidatesBuilt: run.candidatesBuilt + 1 };
  if (!isOnTheLine(run, event)) return records.putRun(counted);
  const boarded = entries.filter((entry) => board(records, entry, id));
  if (boarded.length < entries.length) {
    for (const entry of boarded) queueAgain(records, entry);
    return records.putRun(counted);
  }
  const candidate: Candidate = {
    id,
    parent,
    commit,
    tree,
    entries,
    prefixes,
    state: { id: 'built' },
    landed: 0,
    green: 0,
    ...(urgent === true ? { urgent } : {}),
  };
  const isOnTarget = event.on === undefined || parent === run.tip;
  const line = urgent === true ? [candidate, ...run.candidates] : [...run.candidates, candidate];
  records.putRun({ ...counted, candidates: line, ...(isOnTarget ? { tip: parent } : {}) });
}

function isOnTheLine({ candidates: line, tip }: RunRecord, event: Of<'candidate-built'>): boolean {
  const { parent, on } = event;
  if (tip === parent) return true;
  if (on === undefined) return line.length === 0;
  return line.some((one) => one.id === on && headOf(one) === parent && one.red === undefined);
}

function judge(records: Records, run: RunRecord, event: Of<'candidate-judged'>, at: number): void {
  const { verdict, cached } = event;
  const candidate = run.candidates.find(({ id }) => id === event.candidate);
  const count = event.count ?? candidate?.entries.length ?? 0;
  const counted = cached || verdict.id === 'not-run' ? run : countGateRun(run, 'candidate');
  const proven = cached || verdict.id !== 'passed' ? counted : { ...counted, gatePassedAt: at };
  const free = withoutGate(proven, event.candidate, count);
  // What follows from other verdicts already is not asked for again, whatever this one says.
  if (candidate === undefined || !isUndecided(candidate, count)) return records.putRun(free);
  switch (verdict.id) {
    case 'passed': {
      const green = { ...markGreen(candidate, count), judgedBy: event.gate };
      const line = withCandidate(free.candidates, green);
      return blame(records, { ...free, candidates: line }, at);
    }
    case 'failed':
      return blame(
        records,
        shunt(records, free, markRed(free.candidates, candidate, count, verdict.failure)),
        at,
      );
    case 'not-run': {
      // Nothing was said about the work: it queues again, and the run ends over what is in the way.
      const left = shunt(records, free, withoutCandidate(free.candidates, candidate));
      // Somebody may have edited the tree of the gate; work that does so itself does it again.
      if (verdict.failure.kind === 'gate-changed-tree') {
        return records.putRun({ ...left, gateChangedTree: true });
      }
      return records.putRun({ ...left, trouble: left.trouble ?? verdict.failure });
    }
  }
}

/** A person does not want the work any more: what was built with it goes nowhere, and the others queue again. */
export function dropCandidateOf(records: Records, id: string): void {
  const attempt = records.task(id)?.attempt;
  if (attempt?.state.id !== 'landing') return;
  const { candidate: name } = attempt.state;
  const run = records.run(attempt.run);
  const candidate = run?.candidates.find((one) => one.id === name);
  if (run === undefined || candidate === undefined) return;
  // What is green may be on the target at this very moment.
  const lands = (run.settings.delivery ?? 'land') === 'land' && candidate.state.id !== 'waiting';
  if (lands && candidate.green > candidate.landed) return;
  shunt(records, run, withoutCandidate(run.candidates, candidate));
}

/** Stores the run, without whoever is to blame, as soon as that is known. */
function blame(records: Records, run: RunRecord, at: number): void {
  const found = findBlame(run);
  if (found?.blamed === undefined) return records.putRun(run);
  const { entry, failure, on } = found.blamed;
  const key = workKind(records.task(entry.id));
  const rest = shunt(records, run, found);
  sendBack(records, entry, failure, on === undefined ? {} : { on, at });
  records.putRun(recordOutcome(rest, key, false));
}

/** The run with the new line; whoever fell out of it queues again. */
function shunt(
  records: Records,
  run: RunRecord,
  { candidates: line, requeued: again }: CandidatesChange,
): RunRecord {
  for (const entry of again) queueAgain(records, entry);
  const next = { ...run, candidates: line };
  records.putRun(next);
  return next;
}

/** Nothing of what a run had built goes on: every branch on it queues again. */
export function dropAllCandidates(records: Records, id: string): void {
  const run = records.run(id);
  if (run !== undefined) shunt(records, { ...run, runningGates: [] }, dropAll(run.candidates));
}

/** The run without gates and without candidates of which nothing is proven: their branches queue again. */
export function dropUnprovenCandidates(records: Records, run: RunRecord): RunRecord {
  let left: RunRecord = { ...run, runningGates: [] };
  for (const one of run.candidates.filter(({ green, landed: gone }) => green <= gone)) {
    left = shunt(records, left, withoutCandidate(left.candidates, one));
  }
  return left;
}

function dropAll(line: readonly Candidate[]): CandidatesChange {
  return {
    candidates: [],
    requeued: line.flatMap(({ entries, landed: gone }) => entries.slice(gone)),
  };
}

function withoutGate(run: RunRecord, candidate: string, count: number): RunRecord {
  const gates = run.runningGates.filter(
    (gate) => gate.candidate !== candidate || gate.count !== count,
  );
  return { ...run, runningGates: gates };
}

export function countGateRun(run: RunRecord, where: keyof RunRecord['gateRuns']): RunRecord {
  return { ...run, gateRuns: { ...run.gateRuns, [where]: run.gateRuns[where] + 1 } };
}

function judgeTarget(before: RunRecord, event: Of<'target-judged'>, at: number): RunRecord {
  const { commit, verdict, cached } = event;
  const { targetCheck: _checking, ...run } = before;
  const isRun = cached !== true && verdict.id !== 'not-run';
  const counted = isRun ? countGateRun(run, 'target') : run;
  if (verdict.id === 'passed') {
    const { externalTip: foreign, preflight, ...rest } = counted;
    return {
      ...clear(rest, commit),
      ...(foreign === commit || foreign === undefined ? {} : { externalTip: foreign }),
      ...(preflight === commit || preflight === undefined ? {} : { preflight }),
      ...(isRun ? { gatePassedAt: at } : {}),
    };
  }
  const cleared = run.clearedCommits.filter((one) => one !== commit);
  return {
    ...counted,
    clearedCommits: cleared,
    trouble: run.trouble ?? troubleWith(before, commit, verdict),
  };
}

function troubleWith(
  { targetCheck: checking }: RunRecord,
  commit: string,
  verdict: Exclude<Verdict, { id: 'passed' }>,
): Failure {
  const { failure } = verdict;
  if (verdict.id === 'not-run') return failure;
  const tail = 'tail' in failure ? failure.tail : '';
  const log = 'log' in failure ? failure.log : '';
  const evidence = 'evidence' in failure ? failure.evidence : noEvidence;
  const crossed =
    failure.kind === 'limit-crossed' ? { limit: { id: failure.limit, value: failure.value } } : {};
  const checked = checking?.reason ?? 'blame';
  return { kind: 'target-red', commit, checked, ...crossed, evidence, tail, log };
}

/** What somebody else put there is judged before anything is built on it; what takes landed work away ends the run. */
function moveTarget(run: RunRecord, event: Of<'target-moved'>): RunRecord {
  const { from, to, by, rewound } = event;
  const moved = { ...run, tip: to };
  if (by === undefined && rewound !== true) {
    return (run.clearedCommits ?? []).includes(to) ? moved : { ...moved, externalTip: to };
  }
  const failure = { kind: 'target-taken', task: by?.id ?? '', from, to } as const;
  return { ...moved, trouble: run.trouble ?? failure };
}

function moveTo(records: Records, run: RunRecord, event: Of<'landed'>, at: number): void {
  const landed = run.candidates.find(({ id }) => id === event.candidate);
  const ahead = landed?.prefixes.slice(landed.landed) ?? [];
  // A landing that is told late, or twice, moves nothing back.
  if (!ahead.some(({ commit }) => commit === event.commit)) {
    return records.putRun(clear(run, event.commit));
  }
  const { externalTip: _foreign, verified: _verified, preflight: _preflight, ...rest } = run;
  const moved = shunt(records, rest, afterLanding(run.candidates, event.candidate, event.commit));
  const { commit } = event;
  blame(records, { ...clear(moved, commit), tip: commit, lastLanded: commit, idleSince: at }, at);
}

function clear(run: RunRecord, commit: string): RunRecord {
  return {
    ...run,
    clearedCommits: [...(run.clearedCommits ?? []), commit].slice(-limits.clearedKept),
  };
}

type CoClaim = { readonly record: TaskRecord; readonly attempt: Attempt };

function coClaim(records: Records, entry: Pick<QueueEntry, 'id' | 'attempt'>): CoClaim | undefined {
  const record = records.task(entry.id);
  if (record?.attempt === undefined || record.attempt.number !== entry.attempt) return undefined;
  return { record, attempt: record.attempt };
}

function put(records: Records, { record, attempt }: CoClaim, state: AttemptState): void {
  records.putTask({ ...record, attempt: { ...attempt, state } });
}

function board(records: Records, entry: QueueEntry, candidate: string): boolean {
  const found = coClaim(records, entry);
  if (found?.attempt.state.id !== 'queued' || found.record.status.id !== 'open') return false;
  const { commit, tree, since } = found.attempt.state;
  put(records, found, { id: 'landing', commit, tree, since, candidate });
  return true;
}

function queueAgain(records: Records, entry: QueueEntry): void {
  const found = coClaim(records, entry);
  if (found?.attempt.state.id !== 'landing') return;
  const { commit, tree, since } = found.attempt.state;
  put(records, found, { id: 'queued', commit, tree, since });
}

function putOff(records: Records, entry: Pick<QueueEntry, 'id' | 'attempt'>, behind: string): void {
  const found = coClaim(records, entry);
  if (found?.attempt.state.id !== 'queued') return;
  put(records, found, { ...found.attempt.state, behind });
}

function sendBack(
  records: Records,
  entry: Pick<QueueEntry, 'id' | 'attempt'>,
  failure: Failure,
  red: Pick<Extract<AttemptState, { id: 'returned' }>, 'on' | 'at'>,
): void {
  const found = coClaim(records, entry);
  const state = found?.attempt.state.id;
  const isThere = state === 'gating' || state === 'queued' || state === 'landing';
  if (found === undefined || !isThere) return;
  const reds = (found.attempt.reds ?? 0) + (red.on === undefined ? 0 : 1);
  // It failed on a newer target than the one that was merged into it.
  const { merged: _merged, ...attempt } = found.attempt;
  const counted = { ...found, attempt: reds === 0 ? attempt : { ...attempt, reds } };
  put(records, counted, { id: 'returned', failure, ...red });
}

function arriveAll(records: Records, event: Of<'landed'>, at: number): void {
  for (const [place, entry] of event.entries.entries()) {
    const key = workKind(records.task(entry.id));
    const commit = event.commits?.[place] ?? event.commit;
    const arrived = arrive(records, entry, { run: event.run, commit }, at);
    const run = records.run(event.run);
    if (run === undefined || arrived === 0) continue;
    records.putRun(recordOutcome({ ...run, landed: run.landed + arrived }, key, true));
  }
}

/** How many tasks had not landed before: an event told twice counts once. */
function arrive(
  records: Records,
  entry: QueueEntry,
  { commit, run }: { readonly commit: string; readonly run: string },
  at: number,
): number {
  const record = records.task(entry.id);
  if (record === undefined || record.status.id === 'landed') return 0;
  const attempt =
    record.attempt?.number === entry.attempt
      ? { ...record.attempt, state: { id: 'landed', commit, work: entry.commit } as const }
      : record.attempt;
  const next = { ...record, failures: 0 };
  const landed = { id: 'landed', commit, run, at } as const;
  setStatus(records, attempt === undefined ? next : { ...next, attempt }, landed, at);
  closeConflictTask(records, record.task.id, `${record.task.id} has landed`, at);
  const resolved = resolves(records, record, entry.coClaims ?? []);
  if (resolved !== undefined) setStatus(records, resolved, landed, at);
  return (
    1 + landCoClaims(records, entry.id, entry.attempt, entry.coClaims ?? [], { commit, run, at })
  );
}

/** The task whose conflict this one was there to resolve, if its work has landed with it. */
function resolves(
  records: Records,
  { task }: TaskRecord,
  coClaims: readonly string[],
): TaskRecord | undefined {
  const id = conflictOf(task);
  const record = id === undefined || !coClaims.includes(id) ? undefined : records.task(id);
  return record?.status.id === 'blocked' ? record : undefined;
}

/** Handed over as something that lands when a person says so. */
function assignment(records: Records, entry: QueueEntry, event: Of<'delivered'>, at: number): void {
  const found = coClaim(records, entry);
  if (found === undefined) return;
  const { how, branch, url } = event;
  const { commit } = entry;
  const attempt: Attempt = { ...found.attempt, state: { id: 'landed', commit } };
  // What a person decided about it meanwhile stands; its branch is there all the same.
  if (found.record.status.id !== 'open') return records.putTask({ ...found.record, attempt });
  const status = { id: 'delivered', how, branch, commit } as const;
  const handed = url === undefined ? status : { ...status, url };
  setStatus(records, { ...found.record, failures: 0, attempt }, handed, at);
  deliverCoClaims(records, entry.id, entry.attempt, entry.coClaims ?? [], handed, at);
}
