import type { Attempt, HeldBack } from '../model/attempt.ts';
import { changedFiles } from '../model/attempt-state.ts';
import { limits } from '../model/limits.ts';
import type { LandingFacts, QueueEntry } from '../model/queue-entry.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { wasRed } from '../task/red-work.ts';

/** A branch that waits to be built into a candidate. */
export interface QueuedBranch {
  readonly facts: LandingFacts;
  readonly priority: number;
  readonly since: number;
  readonly files: readonly string[];
  readonly clashes: readonly string[];
  /**
   * It was red before and its newest work was not judged by itself, or it is a suspect or held back: it must not spoil
   * the candidate of others.
   */
  readonly needsOwnCandidate: boolean;
  /** The failures of a red candidate point to it: the others of that candidate go first. */
  readonly isSuspect: boolean;
  readonly heldBack?: HeldBack;
  /** The candidate it does not merge with. */
  readonly behind?: string;
}

/**
 * Branches that wait for a candidate, in order: the urgent ones in a lane of their own, then those that have waited too
 * long, then by priority and time. Within a lane suspects are last.
 */
export function queuedBranches(live: readonly TaskRecord[], now = 0): readonly QueuedBranch[] {
  const waiting: (QueuedBranch & { readonly order: number })[] = [];
  for (const { task, attempt, order, status } of live) {
    if (attempt?.state.id !== 'queued' || status.id !== 'open') continue;
    const { commit, since, behind, shared, heldBack } = attempt.state;
    const isSuspect = shared?.isSuspect === true;
    const { number, agent, branch, captured, conversation } = attempt;
    const coClaims = [...attempt.coClaims, ...(captured?.resolves ? [captured.resolves] : [])];
    const of: QueueEntry = { id: task.id, attempt: number, commit };
    const entry = coClaims.length === 0 ? of : { ...of, coClaims };
    waiting.push({
      facts: {
        entry,
        title: task.title,
        agent,
        branch,
        model: conversation.model,
        base: ownBase(attempt),
      },
      priority: task.priority,
      since,
      order,
      files: changedFiles(attempt),
      clashes: captured?.clashes ?? [],
      needsOwnCandidate:
        isSuspect || heldBack !== undefined || (wasRed(attempt) && captured?.judged === false),
      isSuspect,
      behind,
      heldBack,
    });
  }
  const lane = ({ priority, since }: QueuedBranch): number => {
    if (priority === 0) return 0;
    return now - since >= limits.trainAgeMs ? 1 : 1 + priority;
  };
  return waiting.sort(
    (a, b) =>
      lane(a) - lane(b) ||
      Number(a.isSuspect) - Number(b.isSuspect) ||
      a.since - b.since ||
      a.order - b.order,
  );
}

/** Newest commit of the target that the captured work contains. */
export function ownBase({ worktree, captured }: Attempt): string | undefined {
  return worktree?.stacked === true ? undefined : (captured?.base ?? worktree?.base);
}

/** So many of them, those that touch different files first; never two of which it is known that they do not merge. */
export function pickBatch(able: readonly QueuedBranch[], size: number): readonly LandingFacts[] {
  const [head] = able;
  if (head?.needsOwnCandidate === true) return [head.facts];
  const picked: QueuedBranch[] = [];
  const clashes = (one: QueuedBranch): boolean =>
    picked.some(
      ({ facts, clashes }) =>
        one.clashes.includes(facts.entry.id) || clashes.includes(one.facts.entry.id),
    );
  const touched = new Set<string>();
  const take = (one: QueuedBranch): void => {
    picked.push(one);
    for (const file of one.files) touched.add(file);
  };
  const left: QueuedBranch[] = [];
  for (const one of able) {
    if (picked.length >= size) break;
    if (one.needsOwnCandidate) continue;
    const apart = picked.length === 0 || !one.files.some((file) => touched.has(file));
    if (apart && !clashes(one)) take(one);
    else left.push(one);
  }
  for (const one of left) if (picked.length < size && !clashes(one)) take(one);
  return picked.map(({ facts }) => facts);
}
