import { type Attempt, isLive } from '../model/attempt.ts';
import type { Failure } from '../model/failure.ts';
import { limits } from './limits.ts';
import type { RunRecord, TaskRecord } from './record.ts';
import { mayStartAgain } from './retry.ts';

/**
 * The ladder of work that came back: its own conversation first, then a fresh attempt from the newest target (see
 * `retry.ts`), then a person. True while the conversation may be asked once more.
 */
export function mayReturnToAgent(record: TaskRecord, attempt: Attempt, run: RunRecord): boolean {
  const most = run.settings.returns ?? limits.returnsDefault;
  return mayStartAgain(record, run) && (attempt.returns ?? 0) < most;
}

/** True if the work came back before, in this attempt or in the one it starts over from. */
export function wasReturned({ reds, returns, previous }: Attempt): boolean {
  return (reds ?? 0) > 0 || (returns ?? 0) > 0 || previous !== undefined;
}

/** True if the work was red before, in this attempt or in the one it starts over from. */
export function wasRed({ reds, previous }: Attempt): boolean {
  if ((reds ?? 0) > 0) return true;
  return previous !== undefined && isRedByGate(rootOf(previous.failure));
}

/**
 * True if the gate found the work wanting: it could not be set up, a test failed, its time was over, or it changed
 * committed files.
 */
export function isRedByGate({ kind }: Failure): boolean {
  switch (kind) {
    case 'gate-red':
    case 'limit-crossed':
    case 'gate-changed-tree':
    case 'setup-failed':
      return true;
    default:
      return false;
  }
}

/** True if the target has to be merged into the work before its agent can see what failed. */
export function needsMerge({ state, merged }: Attempt): boolean {
  if (state.id !== 'returned' || merged !== undefined) return false;
  const { failure, on } = state;
  if (failure.kind === 'conflict') return true;
  if (failure.kind === 'gate-red' && failure.where !== 'candidate') return false;
  return isRedByGate(failure) && on !== undefined;
}

/** True while the commit that the work failed on is green but not on the target yet: it lands in a moment. */
export function waitsForLanding({ state }: Attempt, { candidates: line }: RunRecord): boolean {
  if (state.id !== 'returned' || state.on === undefined) return false;
  const { on } = state;
  return line.some(
    ({ prefixes, landed: gone, state: { id } }) =>
      id !== 'waiting' && prefixes.slice(gone).some(({ commit }) => commit === on),
  );
}

/** The conflict that an attempt ended with, also where its agent only left markers of it or dropped lines in it. */
export function conflictCauseOf(
  failure: Failure,
  { returnedBecause }: Attempt,
): Conflict | undefined {
  const root = rootOf(failure);
  if (root.kind === 'conflict') return root;
  const isOfMerge = isUnfinished(root) || root.kind === 'rules-broken';
  return isOfMerge && returnedBecause?.kind === 'conflict' ? returnedBecause : undefined;
}

/**
 * True while a task that starts over after a conflict would only run into the next one: another attempt is at work on
 * the same files, or starts over because of them itself. Work that waits for a person holds nobody up.
 */
export function wouldConflictAgain(
  { task, previous }: TaskRecord,
  atWork: readonly TaskRecord[],
): boolean {
  const files = contestedBy(previous === undefined ? {} : { previous });
  if (files.length === 0) return false;
  return atWork.some((other) => {
    const { attempt } = other;
    const waits = attempt?.state.id === 'awaiting' || attempt?.state.id === 'asking';
    if (other.task.id === task.id || waits) return false;
    const changed = attempt !== undefined && isLive(attempt.state) ? attempt.changes?.files : [];
    const touched = [...(changed ?? []), ...contestedBy(other)];
    return files.some((file) => touched.includes(file));
  });
}

/** Files of the conflict that a task starts over because of. */
function contestedBy({ previous }: Pick<TaskRecord, 'previous'>): readonly string[] {
  const root = previous === undefined ? undefined : rootOf(previous.failure);
  if (root?.kind === 'conflict') return root.files;
  if (root !== undefined && isUnfinished(root)) return root.files;
  if (root?.kind !== 'rules-broken') return [];
  return root.violations.flatMap((one) => (one.kind === 'lines-dropped' ? [one.file] : []));
}

type Unfinished = Extract<Failure, { kind: 'conflict-markers' | 'conflict-unresolved' }>;

/** True if a merge with conflicts was not brought to its end. */
function isUnfinished(failure: Failure): failure is Unfinished {
  return failure.kind === 'conflict-markers' || failure.kind === 'conflict-unresolved';
}

type Conflict = Extract<Failure, { kind: 'conflict' }>;

/** The failure below "too often" and "no progress". */
function rootOf(failure: Failure): Failure {
  switch (failure.kind) {
    case 'returned-too-often':
    case 'failed-too-often':
    case 'no-progress':
      return rootOf(failure.last);
    default:
      return failure;
  }
}
