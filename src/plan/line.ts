import type { Failure } from '../model/failure.ts';
import type { QueueEntry } from '../model/queue-entry.ts';
import { limits } from './limits.ts';
import type { Candidate, RunRecord } from './record.ts';

/** What becomes of the line of candidates when one of them is judged, lands or falls out. All of it on plain values. */

/** Branches that are not part of the line any more. */
export interface Shunted {
  readonly line: readonly Candidate[];
  /** They queue again: nothing was found out about them. */
  readonly again: readonly QueueEntry[];
  /** It made a green train red. */
  readonly blamed?: { readonly entry: QueueEntry; readonly failure: Failure; readonly on: string };
}

/** Where a candidate stands: the target as it is after as many of its branches as have landed. */
export function baseOf({ parent, prefixes, gone }: Candidate): string {
  return gone === 0 ? parent : (prefixes[gone - 1]?.commit ?? parent);
}

export function headOf({ prefixes, commit }: Candidate): string {
  return prefixes.at(-1)?.commit ?? commit;
}

/** The candidates that stand on one, directly or not. */
function statusOn(line: readonly Candidate[], head: string): readonly Candidate[] {
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
export function isOpen({ green, red, entries }: Candidate, count: number): boolean {
  return count > green && count <= entries.length && count < (red?.count ?? count + 1);
}

const waitingEntries = ({ entries, gone }: Candidate): readonly QueueEntry[] => entries.slice(gone);

/** Whether a candidate stands on the target itself and not on another candidate. */
export function isRoot({ line }: Pick<RunRecord, 'line'>, { parent }: Candidate): boolean {
  return !line.some((one) => headOf(one) === parent);
}

/** Takes a candidate out, and all that stand on it. */
export function withoutCandidate(line: readonly Candidate[], candidate: Candidate): Shunted {
  const out = new Set([candidate, ...statusOn(line, headOf(candidate))]);
  return {
    line: line.filter((one) => !out.has(one)),
    again: [...out].flatMap(waitingEntries),
  };
}

export function replaced(line: readonly Candidate[], candidate: Candidate): readonly Candidate[] {
  return line.map((one) => (one.id === candidate.id ? candidate : one));
}

/** With as many of its branches the candidate is green. */
export function turnGreen(candidate: Candidate, count: number): Candidate {
  const green = Math.max(candidate.green, count);
  const passed = green === candidate.entries.length && candidate.state.id === 'built';
  return { ...candidate, green, ...(passed ? { state: { id: 'passed' } as const } : {}) };
}

/** With as many of its branches it is red; what stands on the whole of it stands on nothing. */
export function turnRed(
  line: readonly Candidate[],
  candidate: Candidate,
  count: number,
  failure: Failure,
): Shunted {
  const known = candidate.red;
  const red = known === undefined || count < known.count ? { count, failure } : known;
  const others = statusOn(line, headOf(candidate));
  const out = new Set(others);
  const kept = line.filter((one) => !out.has(one));
  return {
    line: replaced(kept, { ...candidate, red }),
    again: others.flatMap(waitingEntries),
  };
}

/**
 * Finds out who is to blame, once that is certain: a candidate on the target itself, green with some of its branches and red
 * with one more. What is green of it stays and lands, what comes after the one to blame queues again.
 */
export function findBlame(run: Pick<RunRecord, 'line'>): Shunted | undefined {
  const found = run.line.find(
    (one) => one.red !== undefined && one.red.count - one.green === 1 && isRoot(run, one),
  );
  const entry = found?.entries[found.green];
  if (found?.red === undefined || entry === undefined) return undefined;
  const { entries, prefixes, green, red, gone, ...rest } = found;
  const on = green === 0 ? found.parent : (prefixes[green - 1]?.commit ?? found.parent);
  const blamed = { entry, failure: red.failure, on };
  const after = entries.slice(green + 1);
  if (green === gone) {
    const { line, again } = withoutCandidate(run.line, { ...found, entries: [] });
    return { line: line.filter(({ id }) => id !== found.id), again: [...after, ...again], blamed };
  }
  const last = prefixes[green - 1];
  const kept: Candidate = {
    ...rest,
    entries: entries.slice(0, green),
    prefixes: prefixes.slice(0, green),
    green,
    gone,
    ...(last === undefined ? {} : last),
    state: rest.state.id === 'waiting' ? rest.state : { id: 'passed' },
  };
  // Nothing should stand on the whole of what is known to be red; what does falls with it.
  const fallen = statusOn(run.line, headOf(found));
  const left = run.line.filter((one) => !fallen.includes(one));
  const again = [...after, ...fallen.flatMap(waitingEntries)];
  return { line: replaced(left, kept), again, blamed };
}

/** The target is at `commit` now, which one candidate has with `gone` of its branches. Whatever stands elsewhere is void. */
export function moveOn(line: readonly Candidate[], id: string, commit: string): Shunted {
  const landed = line.find((one) => one.id === id);
  const at = landed?.prefixes.findIndex((prefix) => prefix.commit === commit) ?? -1;
  const moved =
    landed === undefined || at === -1 ? line : replaced(line, { ...landed, gone: at + 1 });
  const rest = moved.filter((one) => one.id !== id || one.gone < one.entries.length);
  const heads = new Set(rest.map(headOf));
  let shunted: Shunted = { line: rest, again: [] };
  for (const root of rest) {
    if (heads.has(root.parent) || baseOf(root) === commit) continue;
    const { line: left, again } = withoutCandidate(shunted.line, root);
    shunted = { line: left, again: [...shunted.again, ...again] };
  }
  return shunted;
}

/** A branch landed, or was found to blame. */
export function noteOutcomes(run: RunRecord, key: string, good: boolean): RunRecord {
  const lately = [...run.lately, good].slice(-limits.trainWindow);
  return { ...noteKind(run, key, good), lately };
}

/** How a branch of this kind came out, where that says nothing about the others in the queue. */
export function noteKind(run: RunRecord, key: string, good: boolean): RunRecord {
  const before = run.outcomes[key] ?? { good: 0, bad: 0 };
  const next = good ? { ...before, good: before.good + 1 } : { ...before, bad: before.bad + 1 };
  return { ...run, outcomes: { ...run.outcomes, [key]: next } };
}
