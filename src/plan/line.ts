import type { Failure } from '../model/failure.ts';
import type { QueueEntry } from '../model/queue-entry.ts';
import { limits } from './limits.ts';
import type { Candidate, RunRecord } from './record.ts';

/** What becomes of the line of candidates when one of them is judged, lands or falls out. All of it on plain values. */

/** Branches that are not part of the line any more. */
export interface CandidatesChange {
  readonly candidates: readonly Candidate[];
  /** They queue again: nothing was found out about them. */
  readonly requeued: readonly QueueEntry[];
  /** It made a green train red. */
  readonly blamed?: { readonly entry: QueueEntry; readonly failure: Failure; readonly on: string };
}

/** Where a candidate stands: the target as it is after as many of its branches as have landed. */
export function baseOf({ parent, prefixes, landed: gone }: Candidate): string {
  return gone === 0 ? parent : (prefixes[gone - 1]?.commit ?? parent);
}

export function headOf({ prefixes, commit }: Candidate): string {
  return prefixes.at(-1)?.commit ?? commit;
}

/** The candidates that stand on one, directly or not. */
function builtOn(line: readonly Candidate[], head: string): readonly Candidate[] {
  const found = new Set<Candidate>();
  const heads = new Set([head]);
  // A set that grows while it is walked is visited to its new end.
  for (const one of heads) {
    for (const candidate of line) {
      if (candidate.parent !== one) continue;
      found.add(candidate);
      heads.add(headOf(candidate));
    }
  }
  return [...found];
}

/** Whether it is not known yet how the candidate does with so many of its branches. */
export function isUndecided({ green, red, entries }: Candidate, count: number): boolean {
  return count > green && count <= entries.length && count < (red?.count ?? count + 1);
}

const waitingEntries = ({ entries, landed: gone }: Candidate): readonly QueueEntry[] =>
  entries.slice(gone);

/** Whether a candidate stands on the target itself and not on another candidate. */
export function isOnTarget(
  { candidates: line }: Pick<RunRecord, 'candidates'>,
  { parent }: Candidate,
): boolean {
  return !line.some((one) => headOf(one) === parent);
}

/** Takes a candidate out, and all that stand on it. */
export function withoutCandidate(
  line: readonly Candidate[],
  candidate: Candidate,
): CandidatesChange {
  const out = new Set([candidate, ...builtOn(line, headOf(candidate))]);
  return {
    candidates: line.filter((one) => !out.has(one)),
    requeued: [...out].flatMap(waitingEntries),
  };
}

export function withCandidate(
  line: readonly Candidate[],
  candidate: Candidate,
): readonly Candidate[] {
  return line.map((one) => (one.id === candidate.id ? candidate : one));
}

/** With as many of its branches the candidate is green. */
export function markGreen(candidate: Candidate, count: number): Candidate {
  const green = Math.max(candidate.green, count);
  const passed = green === candidate.entries.length && candidate.state.id === 'built';
  return { ...candidate, green, ...(passed ? { state: { id: 'passed' } as const } : {}) };
}

/** With as many of its branches it is red; what stands on the whole of it stands on nothing. */
export function markRed(
  line: readonly Candidate[],
  candidate: Candidate,
  count: number,
  failure: Failure,
): CandidatesChange {
  const known = candidate.red;
  const red = known === undefined || count < known.count ? { count, failure } : known;
  const others = builtOn(line, headOf(candidate));
  const out = new Set(others);
  const kept = line.filter((one) => !out.has(one));
  return {
    candidates: withCandidate(kept, { ...candidate, red }),
    requeued: others.flatMap(waitingEntries),
  };
}

/**
 * Finds out who is to blame, once that is certain: a candidate on the target itself, green with some of its branches and red
 * with one more. What is green of it stays and lands, what comes after the one to blame queues again.
 */
export function findBlame(run: Pick<RunRecord, 'candidates'>): CandidatesChange | undefined {
  const found = run.candidates.find(
    (one) => one.red !== undefined && one.red.count - one.green === 1 && isOnTarget(run, one),
  );
  const entry = found?.entries[found.green];
  if (found?.red === undefined || entry === undefined) return undefined;
  const { entries, prefixes, green, red, landed: gone, ...rest } = found;
  const on = green === 0 ? found.parent : (prefixes[green - 1]?.commit ?? found.parent);
  const blamed = { entry, failure: red.failure, on };
  const after = entries.slice(green + 1);
  if (green === gone) {
    const { candidates: line, requeued: again } = withoutCandidate(run.candidates, {
      ...found,
      entries: [],
    });
    return {
      candidates: line.filter(({ id }) => id !== found.id),
      requeued: [...after, ...again],
      blamed,
    };
  }
  const last = prefixes[green - 1];
  const kept: Candidate = {
    ...rest,
    entries: entries.slice(0, green),
    prefixes: prefixes.slice(0, green),
    green,
    landed: gone,
    ...(last === undefined ? {} : last),
    state: rest.state.id === 'waiting' ? rest.state : { id: 'passed' },
  };
  // Nothing should stand on the whole of what is known to be red; what does falls with it.
  const fallen = builtOn(run.candidates, headOf(found));
  const left = run.candidates.filter((one) => !fallen.includes(one));
  const again = [...after, ...fallen.flatMap(waitingEntries)];
  return { candidates: withCandidate(left, kept), requeued: again, blamed };
}

/** The target is at `commit` now, which one candidate has with `gone` of its branches. Whatever stands elsewhere is void. */
export function afterLanding(
  line: readonly Candidate[],
  id: string,
  commit: string,
): CandidatesChange {
  const landed = line.find((one) => one.id === id);
  const at = landed?.prefixes.findIndex((prefix) => prefix.commit === commit) ?? -1;
  const moved =
    landed === undefined || at === -1 ? line : withCandidate(line, { ...landed, landed: at + 1 });
  const rest = moved.filter((one) => one.id !== id || one.landed < one.entries.length);
  const heads = new Set(rest.map(headOf));
  let shunted: CandidatesChange = { candidates: rest, requeued: [] };
  for (const root of rest) {
    if (heads.has(root.parent) || baseOf(root) === commit) continue;
    const { candidates: left, requeued: again } = withoutCandidate(shunted.candidates, root);
    shunted = { candidates: left, requeued: [...shunted.requeued, ...again] };
  }
  return shunted;
}

/** A branch landed, or was found to blame. */
export function recordOutcome(run: RunRecord, key: string, good: boolean): RunRecord {
  const lately = [...run.recentOutcomes, good].slice(-limits.trainWindow);
  return { ...recordKindOutcome(run, key, good), recentOutcomes: lately };
}

/** How a branch of this kind came out, where that says nothing about the others in the queue. */
export function recordKindOutcome(run: RunRecord, key: string, good: boolean): RunRecord {
  const before = run.outcomesByKind[key] ?? { good: 0, bad: 0 };
  const next = good ? { ...before, good: before.good + 1 } : { ...before, bad: before.bad + 1 };
  return { ...run, outcomesByKind: { ...run.outcomesByKind, [key]: next } };
}
