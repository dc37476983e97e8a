import { hasEnded, type RunRecord } from '../../model/run-record.ts';
import type { TaskRecord } from '../../model/task-record.ts';
import type { Candidate, RunningGate } from '../../model/train-record.ts';
import { type FailureView, failureView } from './failure.ts';
import { heldBackBy, landingTrouble } from './landing-trouble.ts';

/** One branch in the merge queue, in order. */
export type TrainView = {
  readonly task: string;
  readonly attempt: number;
  readonly commit: string;
  readonly since: number;
} & (
  | {
      readonly state: 'queued';
      /** The candidate it conflicts with and waits for. */
      readonly behind?: string;
      /** Reason why it could not land; it is tried again. */
      readonly failure?: FailureView;
    }
  | {
      readonly state: CandidateView['state'];
      readonly candidate: string;
      /** Reason why the target cannot be moved. */
      readonly failure?: FailureView;
    }
);

/** One candidate, in landing order. */
export interface CandidateView {
  readonly id: string;
  readonly commit: string;
  readonly state: 'judging' | 'landing' | 'waiting';
  /** Its branches that have not landed. */
  readonly entries: readonly { readonly task: string; readonly attempt: number }[];
  /** The candidate it stands on; absent where it stands on the target. */
  readonly on?: string;
  /** The first `green` branches, landed ones included, are known to pass together. */
  readonly green: number;
  /** Number of the remaining `entries` that this includes. */
  readonly known: number;
  /** With its first `red` branches, landed ones included, it is known to fail. */
  readonly red?: number;
  readonly suspects: readonly string[];
  readonly urgent: boolean;
  /** Gates that run on it or on its first branches. */
  readonly gates: readonly GateView[];
  readonly waits: string;
  readonly failure?: FailureView;
}

/** A running gate of the merge queue. */
export interface GateView {
  readonly slot: number;
  readonly candidate: string;
  /** It tests the first `count` branches of the candidate. */
  readonly count: number;
  readonly tasks: readonly string[];
  readonly since: number;
  /** Mean time of such a gate in this run, if that was read. */
  readonly usualMs?: number;
}

/** Branches in candidates first, then the queue by age. */
export function trainViews(
  records: readonly TaskRecord[],
  run: RunRecord,
  now: number,
): readonly TrainView[] {
  const rows: { readonly view: TrainView; readonly at: number; readonly rank: number }[] = [];
  for (const { task, attempt, status } of records) {
    if (attempt === undefined || attempt.run !== run.id || status.id !== 'open') continue;
    const { state } = attempt;
    if (state.id !== 'queued' && state.id !== 'landing') continue;
    const { commit, since: at } = state;
    const facts = { task: task.id, attempt: attempt.number, commit, since: Math.min(at, now) };
    const place = state.id === 'landing' ? placeOf(run, state.candidate, task.id) : undefined;
    if (place === undefined) {
      const { behind } = state.id === 'queued' ? state : {};
      const held = state.id === 'queued' ? heldBackBy(attempt, run) : undefined;
      const failure = held && failureView(held, task.id);
      const view = { ...facts, state: 'queued', behind, failure } as const;
      rows.push({ view, at, rank: Number.MAX_SAFE_INTEGER });
    } else {
      const { candidate, rank } = place;
      const waits = landingTrouble(candidate, run);
      const failure = waits === undefined ? undefined : failureView(waits, task.id);
      const view = { ...facts, state: place.state, candidate: candidate.id, failure };
      rows.push({ view, at, rank });
    }
  }
  return rows.toSorted((a, b) => a.rank - b.rank || a.at - b.at).map(({ view }) => view);
}

interface Place {
  readonly candidate: Candidate;
  readonly rank: number;
  readonly state: CandidateView['state'];
}

/** Exceeds the size of any candidate, so that ranks sort by candidate first. */
const entriesMax = 1_000;

function placeOf(run: RunRecord, id: string, task: string): Place | undefined {
  const at = run.train.candidates.findIndex((one) => one.id === id);
  const candidate = run.train.candidates[at];
  if (candidate === undefined) return undefined;
  const entry = candidate.entries.findIndex((one) => one.id === task);
  const green = entry >= 0 && entry < candidate.green;
  const judged = stateOf(candidate, run);
  const state = green && judged === 'judging' ? 'landing' : judged;
  return { candidate, rank: at * entriesMax + Math.max(0, entry), state };
}

const states = { built: 'judging', passed: 'landing', waiting: 'waiting' } as const;

/** Nothing is under way in a run that has ended. */
function stateOf({ state }: Candidate, run: RunRecord): CandidateView['state'] {
  return hasEnded(run) ? 'waiting' : (states[state.id] ?? 'judging');
}

export function candidateViews(run: RunRecord, now: number, usualMs?: number): CandidateView[] {
  return run.train.candidates.map((candidate) => {
    const { id, commit, entries, landed: gone, green, red, urgent } = candidate;
    const trouble = landingTrouble(candidate, run);
    const below = standsOn(run.train.candidates, candidate);
    const gates = run.train.runningGates.filter((gate) => gate.candidate === id);
    return {
      id,
      commit,
      state: stateOf(candidate, run),
      entries: entries.slice(gone).map((entry) => ({ task: entry.id, attempt: entry.attempt })),
      on: below?.id,
      green,
      known: Math.max(0, green - gone),
      red: red?.count,
      suspects: suspectsOf(candidate),
      urgent: urgent === true,
      gates: gates.map((gate) => gateView(gate, now, usualMs)),
      waits:
        !hasEnded(run) || trouble !== undefined
          ? waitsOf(candidate, below, gates, trouble !== undefined)
          : 'green; lands when the run is resumed',
      failure: trouble && failureView(trouble, entries[gone]?.id),
    };
  });
}

/** Running gates, including those of a dropped candidate, which keep their slot until they end. */
export function gateViews(run: RunRecord, now: number, usualMs?: number): GateView[] {
  return run.train.runningGates
    .map((gate) => gateView(gate, now, usualMs))
    .sort((a, b) => a.slot - b.slot);
}

function gateView(
  { slot, candidate, count, tasks, since }: RunningGate,
  now: number,
  usualMs: number | undefined,
): GateView {
  return { slot, candidate, count, tasks, since: Math.min(since, now), usualMs };
}

function standsOn(line: readonly Candidate[], { parent }: Candidate): Candidate | undefined {
  return line.find(({ prefixes, commit }) => (prefixes.at(-1)?.commit ?? commit) === parent);
}

function waitsOf(
  candidate: Candidate,
  below: Candidate | undefined,
  gates: readonly RunningGate[],
  isHeldUp: boolean,
): string {
  const { state, entries, green, landed: gone, red } = candidate;
  if (isHeldUp) return 'green; the target cannot be moved right now';
  if (green > gone && below !== undefined) return `green, waits for ${below.id}`;
  if (state.id === 'passed') return 'green, lands now';
  const judged = gates
    .toSorted((a, b) => a.slot - b.slot)
    .map(({ slot, count }) => `gate ${gateNumber(slot)}${upTo(entries, count)}`)
    .join(', ');
  if (red === undefined) return judged === '' ? 'waits for a gate' : judged;
  // One of its branches is to blame; further gate runs find out which.
  const suspects = suspectsOf(candidate);
  const why = suspects.length > suspectsNamed ? 'red' : `red because of ${suspects.join(' or ')}`;
  const waits = suspects.length > 1 || below === undefined ? 'a gate' : below.id;
  return `${why}; ${judged === '' ? `waits for ${waits}` : judged}`;
}

/** More names than this would not fit one line. */
const suspectsNamed = 2;

function suspectsOf({ entries, green, red }: Candidate): readonly string[] {
  return red === undefined ? [] : entries.slice(green, red.count).map(({ id }) => id);
}

/** Stored gate slots count from 0; shown ones from 1. */
export function gateNumber(slot: number): number {
  return slot + 1;
}

function upTo(entries: Candidate['entries'], count: number): string {
  const last = entries[count - 1];
  return count === entries.length || last === undefined ? '' : ` up to ${last.id}`;
}
