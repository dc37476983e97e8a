import type { Attempt, AttemptState } from '../model/attempt.ts';
import type { Car, TrainEvent } from '../model/event.ts';
import { type Failure, unreachable } from '../model/failure.ts';
import { limits } from './limits.ts';
import type { Candidate, Records, RunRecord, TaskRecord } from './record.ts';
import { landRiders } from './riders.ts';
import { setStanding } from './standing.ts';

/** The part of the fold that is about the train: candidates, landings, and branches that come back. */
export function foldTrain(records: Records, event: TrainEvent, at: number): void {
  const run = records.run(event.run);
  switch (event.type) {
    case 'candidate-built': {
      if (run === undefined) return;
      const { candidate: id, parent, commit, tree, cars } = event;
      const candidate: Candidate = { id, parent, commit, tree, cars, state: { id: 'built' } };
      const counted = { ...run, candidates: run.candidates + 1 };
      // Who was cancelled while the candidate was built does not board; one without riders goes nowhere.
      const boarded = cars.filter((car) => board(records, car, id)).length;
      return records.putRun(boarded === 0 ? counted : { ...counted, candidate });
    }
    case 'coupling-refused':
      return sendBack(records, { id: event.id, attempt: event.attempt }, event.failure);
    case 'candidate-judged': {
      records.putVerdict(event.tree, event.gate, event.verdict);
      const candidate = current(run, event.candidate);
      if (run === undefined || candidate === undefined) return;
      if (event.verdict.id === 'passed') {
        return records.putRun({ ...run, candidate: { ...candidate, state: { id: 'passed' } } });
      }
      if (event.verdict.id === 'not-run') {
        // Nothing was said about the work: it queues again, and the run ends over what is in the way.
        for (const car of candidate.cars) queueAgain(records, car);
        const trouble = run.trouble ?? event.verdict.failure;
        return records.putRun({ ...withoutCandidate(run), trouble });
      }
      for (const car of candidate.cars) {
        sendBack(records, car, event.verdict.failure, candidate.parent);
      }
      return records.putRun(withoutCandidate(run));
    }
    case 'target-judged': {
      records.putVerdict(event.tree, event.gate, event.verdict);
      if (run === undefined) return;
      if (event.verdict.id === 'passed') return records.putRun(clear(run, event.commit));
      const { failure } = event.verdict;
      const trouble = event.verdict.id === 'failed' ? targetRed(event.commit, failure) : failure;
      return records.putRun({ ...run, trouble: run.trouble ?? trouble });
    }
    case 'candidate-dropped': {
      const candidate = current(run, event.candidate);
      if (run === undefined || candidate === undefined) return;
      for (const car of candidate.cars) queueAgain(records, car);
      return records.putRun(withoutCandidate(run));
    }
    case 'landing-waits': {
      const candidate = current(run, event.candidate);
      if (run === undefined || candidate === undefined) return;
      const { failure, until } = event;
      const since = candidate.state.id === 'waiting' ? candidate.state.since : at;
      const state = { id: 'waiting', failure, since, until } as const;
      return records.putRun({ ...run, candidate: { ...candidate, state } });
    }
    case 'landed': {
      const arrived = event.cars.reduce((sum, car) => sum + arrive(records, car, event, at), 0);
      if (run === undefined) return;
      const landed = run.landed + arrived;
      const rest = run.candidate?.id === event.candidate ? withoutCandidate(run) : run;
      return records.putRun({ ...clear(rest, event.commit), landed, quietSince: at });
    }
    default:
      unreachable(event);
  }
}

function clear(run: RunRecord, commit: string): RunRecord {
  return { ...run, cleared: [...(run.cleared ?? []), commit].slice(-limits.clearedKept) };
}

function targetRed(commit: string, failure: Failure): Failure {
  const tail = 'tail' in failure ? failure.tail : '';
  const log = 'log' in failure ? failure.log : '';
  return { kind: 'target-red', commit, tail, log };
}

function current(run: RunRecord | undefined, id: string): Candidate | undefined {
  return run?.candidate?.id === id ? run.candidate : undefined;
}

function withoutCandidate(run: RunRecord): RunRecord {
  const { candidate: _candidate, ...rest } = run;
  return rest;
}

type Rider = { readonly record: TaskRecord; readonly attempt: Attempt };

function rider(records: Records, car: Pick<Car, 'id' | 'attempt'>): Rider | undefined {
  const record = records.task(car.id);
  if (record?.attempt === undefined || record.attempt.number !== car.attempt) return undefined;
  return { record, attempt: record.attempt };
}

function put(records: Records, { record, attempt }: Rider, state: AttemptState): void {
  records.putTask({ ...record, attempt: { ...attempt, state } });
}

function board(records: Records, car: Car, candidate: string): boolean {
  const found = rider(records, car);
  if (found?.attempt.state.id !== 'queued' || found.record.standing.id !== 'open') return false;
  put(records, found, { ...found.attempt.state, id: 'landing', candidate });
  return true;
}

function queueAgain(records: Records, car: Car): void {
  const found = rider(records, car);
  if (found?.attempt.state.id !== 'landing') return;
  const { commit, tree, since } = found.attempt.state;
  put(records, found, { id: 'queued', commit, tree, since });
}

function sendBack(
  records: Records,
  car: Pick<Car, 'id' | 'attempt'>,
  failure: Failure,
  on?: string,
): void {
  const found = rider(records, car);
  const state = found?.attempt.state.id;
  if (found === undefined || (state !== 'queued' && state !== 'landing')) return;
  put(records, found, { id: 'returned', failure, ...(on === undefined ? {} : { on }) });
}

/** How many tasks had not landed before: an event told twice counts once. */
function arrive(
  records: Records,
  car: Car,
  { commit, run }: Extract<TrainEvent, { type: 'landed' }>,
  at: number,
): number {
  const record = records.task(car.id);
  if (record === undefined || record.standing.id === 'landed') return 0;
  const attempt =
    record.attempt?.number === car.attempt
      ? { ...record.attempt, state: { id: 'landed', commit } as const }
      : record.attempt;
  const next = { ...record, failures: 0 };
  setStanding(
    records,
    attempt === undefined ? next : { ...next, attempt },
    { id: 'landed', commit, run, at },
    at,
  );
  return 1 + landRiders(records, car.id, car.attempt, car.riders ?? [], { commit, run, at });
}
