import type { Attempt, AttemptState } from '../model/attempt.ts';
import type { AttemptEvent } from '../model/event.ts';
import type { Failure } from '../model/failure.ts';
import { given } from '../model/given.ts';
import { limits } from '../model/limits.ts';
import type { Records } from '../model/records.ts';
import { withTrouble } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { isForPerson, isReportedOnly } from '../model/violation.ts';
import { recordKindOutcome, workKind } from '../train/candidates.ts';
import { afterGate } from './fold-review.ts';
import { countSetUpFailure } from './fold-run.ts';
import { mayStartAgain } from './retry.ts';
import { userChanges } from './user-change.ts';

/** Folds the events of finished work: captured, checked against the rules, judged on its branch. */

type Of<Type extends AttemptEvent['type']> = Extract<AttemptEvent, { type: Type }> & {
  readonly at: number;
};

function put(records: Records, record: TaskRecord, attempt: Attempt, state: AttemptState): void {
  records.putTask({ ...record, attempt: { ...attempt, state } });
}

export function captureWork(
  records: Records,
  record: TaskRecord,
  attempt: Attempt,
  event: Of<'work-captured'>,
): void {
  if (attempt.state.id !== 'capturing') return;
  const { commit, tree, changes, resolves, at } = event;
  const { slot } = attempt.state;
  const { handedIn: _handedIn, ...kept } = record;
  const { returns } = attempt;
  const brokeRules = returns.brokeRules || (event.violations ?? []).length > 0;
  const captured = { commit, tree, judged: false, clashes: [], ...given({ changes, resolves }) };
  const made = { ...attempt, captured, returns: { ...returns, brokeRules } };
  const objection = objectionTo(records, record, attempt, event);
  const state: AttemptState =
    objection === undefined
      ? { id: 'gating', slot, commit, tree, since: at, again: 0 }
      : objection.kind === 'approval-needed'
        ? { id: 'awaiting', commit, tree, since: at, failure: objection }
        : { id: 'returned', failure: objection };
  put(records, kept, made, state);
}

/** Failure that stops captured work. The first violation of rules goes to its agent, the second to a person. */
function objectionTo(
  records: Records,
  record: TaskRecord,
  attempt: Attempt,
  { run, commit, violations = [] }: Of<'work-captured'>,
): Failure | undefined {
  if (attempt.approved === commit) return undefined;
  const { tampering: found } = attempt;
  if (found.length > 0) {
    const also = violations.length === 0 ? {} : { violations };
    return { kind: 'approval-needed', because: 'tampering', found, ...also };
  }
  if (violations.length === 0) return undefined;
  const runRecord = records.run(run);
  const canFix = runRecord !== undefined && mayStartAgain(record, runRecord);
  if (violations.some(isForPerson) || attempt.returns.brokeRules || !canFix) {
    return { kind: 'approval-needed', because: 'rules', violations };
  }
  return { kind: 'rules-broken', violations };
}

/** Changes that the user may have made are reported only; other tampering is held against the attempt. */
export function recordTampering(
  records: Records,
  record: TaskRecord,
  attempt: Attempt,
  { run: id, found }: Of<'tampering-seen'>,
): void {
  const run = records.run(id);
  const names = userChanges(found);
  if (run !== undefined && names.length > 0) {
    const all = [...new Set([...run.reported.userChanges, ...names])];
    const reported = { ...run.reported, userChanges: all.slice(-limits.changesKept) };
    records.putRun({ ...run, reported });
  }
  const grave = found.filter((one) => !isReportedOnly(one));
  if (grave.length === 0) return;
  const tampering = [...attempt.tampering, ...grave];
  records.putTask({ ...record, attempt: { ...attempt, tampering } });
}

export function setWorktree(
  records: Records,
  record: TaskRecord,
  attempt: Attempt,
  { run: id, worktree, base, unignored }: Of<'worktree-ready'>,
): void {
  if (attempt.state.id !== 'preparing') return;
  countSetUpFailure(records, id, undefined);
  const run = records.run(id);
  if (run !== undefined && unignored !== undefined)
    records.putRun({ ...run, reported: { ...run.reported, unignored: true } });
  const { slot } = attempt.state;
  const { handedIn } = record;
  // Handed-in work needs no agent.
  const state: AttemptState =
    handedIn === undefined ? { id: 'prepared', slot } : { id: 'capturing', slot, tail: '' };
  const by = given({ handedIn: handedIn?.commit });
  const next = { ...attempt, ...by, worktree: { ...worktree, base }, state };
  records.putTask({ ...record, attempt: next });
}

export function startBranchGate(
  records: Records,
  record: TaskRecord,
  attempt: Attempt,
  { tree, gateSlot: slot, at }: Of<'branch-gate-started'>,
): void {
  const { state } = attempt;
  if (state.id !== 'gating' || state.tree !== tree || state.gate !== undefined) return;
  put(records, record, attempt, { ...state, gate: { slot, since: at } });
}

export function judgeBranch(
  records: Records,
  record: TaskRecord,
  attempt: Attempt,
  event: Of<'branch-judged'>,
): void {
  const { run, tree, verdict, at } = event;
  if (attempt.state.id !== 'gating' || attempt.state.tree !== tree) return;
  const { commit } = attempt.state;
  const { captured, returns, worktree } = attempt;
  const seen = { ...attempt, ...given({ captured: captured && { ...captured, judged: true } }) };
  switch (verdict.id) {
    case 'passed':
      return afterGate(records, record, seen, { commit, tree, at });
    case 'failed':
      noteRed(records, run, record);
      return put(
        records,
        record,
        { ...seen, returns: { ...returns, reds: returns.reds + 1 } },
        {
          id: 'returned',
          failure: verdict.failure,
          ...given({ on: worktree && { commit: worktree.base, at } }),
        },
      );
    case 'not-run': {
      // The gate could not run: the run ends, and a resumed run judges the branch again.
      const now = records.run(run);
      if (now !== undefined) records.putRun(withTrouble(now, verdict.failure));
      const { gate: _gate, ...waits } = attempt.state;
      return put(records, record, attempt, { ...waits, again: waits.again + 1 });
    }
  }
}

/** A red branch says something about its agent and type of task. */
function noteRed(records: Records, id: string, record: TaskRecord): void {
  const run = records.run(id);
  if (run === undefined) return;
  records.putRun({ ...run, train: recordKindOutcome(run.train, workKind(record), false) });
}

export function skipGate(
  records: Records,
  record: TaskRecord,
  attempt: Attempt,
  { tree, at }: Of<'gate-skipped'>,
): void {
  const { state, captured, returns } = attempt;
  // Returned although the target could not be judged: it has passed everything before the queue.
  if (state.id === 'returned' && state.on !== undefined && captured?.tree === tree) {
    const blameless = { ...returns, reds: Math.max(0, returns.reds - 1) };
    const queued = { id: 'queued', commit: captured.commit, tree, since: at } as const;
    return put(records, record, { ...attempt, returns: blameless }, queued);
  }
  if (state.id !== 'gating' || state.tree !== tree) return;
  const { commit } = state;
  afterGate(records, record, attempt, { commit, tree, at });
}
