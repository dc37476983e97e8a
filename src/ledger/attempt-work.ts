import { branchOf } from '../model/branch.ts';
import type { Event } from '../model/event.ts';
import type { Failure } from '../model/failure.ts';
import type { QueueEntry } from '../model/queue-entry.ts';
import type { RunId } from '../model/run.ts';
import type { TaskId } from '../model/task.ts';

/** Attempt that captured work, as the ledger needs it. */
export interface AttemptWork {
  readonly run: RunId;
  readonly task: TaskId;
  readonly attempt: number;
  readonly branch: string;
  /** Every commit once, ordered by last capture. Never empty. */
  readonly captures: readonly Capture[];
  readonly end: AttemptEnd;
  /** Next attempt at the same task, even without captured work. */
  readonly next?: number;
}

export interface Capture {
  readonly commit: string;
  readonly at: number;
}

export type AttemptEnd =
  /** `entry` is the attempt's queued commit. */
  | { readonly id: 'landed'; readonly entry: string; readonly commit: string }
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

interface Draft {
  readonly run: RunId;
  readonly task: TaskId;
  readonly attempt: number;
  branch: string;
  readonly captures: Map<string, number>;
  readonly candidates: string[];
  arrived?: Extract<AttemptEnd, { id: 'landed' | 'delivered' }>;
  over?: Extract<AttemptEnd, { id: 'over' }>;
}

/** Attempts that captured work, in order of their start. */
export function attemptsWithWork(events: readonly Event[]): readonly AttemptWork[] {
  const drafts = new Map<string, Draft>();
  const draftOf = (run: RunId, task: TaskId, attempt: number): Draft => {
    // Not keyed by run: another run may continue the attempt, and its number is unique per task.
    const key = `${task} ${attempt}`;
    const known = drafts.get(key);
    if (known !== undefined) return known;
    const branch = branchOf(run, task, attempt);
    const made: Draft = { run, task, attempt, branch, captures: new Map(), candidates: [] };
    drafts.set(key, made);
    return made;
  };
  for (const event of events) note(event, draftOf);
  const numbers = new Map<TaskId, number[]>();
  for (const { task, attempt } of drafts.values()) {
    numbers.set(task, [...(numbers.get(task) ?? []), attempt]);
  }
  return [...drafts.values()]
    .filter(({ captures }) => captures.size > 0)
    .map((draft) => finishDraft(draft, numbers.get(draft.task) ?? []));
}

type DraftOf = (run: RunId, task: TaskId, attempt: number) => Draft;

function note(event: Event, draftOf: DraftOf): void {
  switch (event.type) {
    case 'attempt-started':
      draftOf(event.run, event.id, event.attempt).branch = event.branch;
      return;
    case 'work-captured': {
      const { captures } = draftOf(event.run, event.id, event.attempt);
      captures.delete(event.commit);
      captures.set(event.commit, event.at);
      return;
    }
    case 'candidate-built':
      for (const [at, entry] of event.entries.entries()) {
        const commit = event.prefixes?.[at]?.commit ?? event.commit;
        draftOf(event.run, entry.id, entry.attempt).candidates.push(commit);
      }
      return;
    case 'landed':
      for (const entry of event.entries) {
        arrive(draftOf, event.run, entry, {
          id: 'landed',
          entry: entry.commit,
          commit: event.commit,
        });
      }
      return;
    case 'delivered': {
      const { branch, url } = event;
      for (const entry of event.entries) {
        const end = { id: 'delivered', entry: entry.commit, branch } as const;
        arrive(draftOf, event.run, entry, url === undefined ? end : { ...end, url });
      }
      return;
    }
    case 'attempt-given-up':
    case 'attempt-failed':
      draftOf(event.run, event.id, event.attempt).over = { id: 'over', failure: event.failure };
      return;
    case 'work-planned':
      draftOf(event.run, event.id, event.attempt).over = { id: 'over' };
      return;
    default:
      return;
  }
}

/** Only the first one counts: after a crash it may be repeated. */
function arrive(
  draftOf: DraftOf,
  run: RunId,
  entry: QueueEntry,
  end: NonNullable<Draft['arrived']>,
): void {
  const draft = draftOf(run, entry.id, entry.attempt);
  draft.arrived ??= end;
}

function finishDraft(
  { captures, candidates, arrived, over, ...of }: Draft,
  attempts: readonly number[],
): AttemptWork {
  const next = Math.min(...attempts.filter((number) => number > of.attempt));
  return {
    ...of,
    captures: [...captures].map(([commit, at]) => ({ commit, at })),
    end: arrived ?? over ?? { id: 'live', candidates },
    ...(Number.isFinite(next) ? { next } : {}),
  };
}
