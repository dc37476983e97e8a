import type { AttemptState, TestsFirst } from '../model/attempt.ts';
import type { Failure } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { withoutVerdict, withTrouble } from '../model/run-record.ts';
import type { TestsOutcome } from '../model/verdict.ts';
import { isForPerson, isReportedOnly, type Violation } from '../model/violation.ts';
import { recordKindOutcome, workKind } from '../train/candidates.ts';
import { afterGate, join } from './fold-review.ts';
import { countSetUpFailure } from './fold-run.ts';
import { type AttemptEventOf, changeRun, type LiveAttempt, putState } from './live-attempt.ts';
import { writesTestsFirst } from './pipeline.ts';
import { mayStartAgain } from './returned-work.ts';
import { reportedNames } from './user-change.ts';

/** Folds the events of finished work: captured, checked against the rules, judged on its branch. */

export function captureWork(live: LiveAttempt, event: AttemptEventOf<'work-captured'>): void {
  const { records, record, attempt } = live;
  if (attempt.state.id !== 'capturing') return;
  const { commit, tree, base, changes, resolves, at } = event;
  const { slot } = attempt.state;
  const { handedIn: _handedIn, ...kept } = record;
  const { returns } = attempt;
  const brokeRules = returns.brokeRules || (event.violations ?? []).length > 0;
  const found = { changes, resolves, base };
  const captured = { commit, tree, judged: false, clashes: [], ...found };
  const made = { captured, returns: { ...returns, brokeRules } };
  const objection = objectionTo(live, event);
  const state: AttemptState =
    objection === undefined
      ? { id: 'gating', slot, commit, tree, since: at, again: 0 }
      : objection.kind === 'approval-needed'
        ? { id: 'awaiting', commit, tree, since: at, failure: objection }
        : { id: 'returned', failure: objection };
  putState({ records, record: kept, attempt }, state, made);
}

/** Failure that stops captured work. The first violation of rules goes to its agent, the second to a person. */
function objectionTo(
  live: LiveAttempt,
  { run, commit, violations = [], failure }: AttemptEventOf<'work-captured'>,
): Failure | undefined {
  const { records, record, attempt } = live;
  if (attempt.approved === commit) return undefined;
  const { tampering: found } = attempt;
  if (found.length > 0) {
    const also = violations.length === 0 ? {} : { violations };
    return { kind: 'approval-needed', because: 'tampering', found, ...also };
  }
  if (failure !== undefined) return failure;
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
  live: LiveAttempt,
  { run: id, found }: AttemptEventOf<'tampering-seen'>,
): void {
  const { records, record, attempt } = live;
  const names = reportedNames(found);
  if (names.length > 0) {
    changeRun(records, id, (run) => {
      const all = [...new Set([...run.reported.userChanges, ...names])];
      return { ...run, reported: { ...run.reported, userChanges: all.slice(-limits.changesKept) } };
    });
  }
  const [lost] = found.filter((one) => one.kind === 'objects-deleted');
  if (lost !== undefined) {
    const { object } = lost;
    changeRun(records, id, (run) => withTrouble(run, { kind: 'objects-missing', object }));
  }
  const grave = found.filter((one) => !isReportedOnly(one));
  if (grave.length === 0) return;
  const tampering = [...attempt.tampering, ...grave];
  records.putTask({ ...record, attempt: { ...attempt, tampering } });
}

export function setWorktree(
  live: LiveAttempt,
  { run: id, at, worktree, base, stacked, unignored }: AttemptEventOf<'worktree-ready'>,
): void {
  const { records, record, attempt } = live;
  if (attempt.state.id !== 'preparing') return;
  countSetUpFailure(records, id, undefined);
  if (unignored !== undefined) {
    changeRun(records, id, (run) => ({ ...run, reported: { ...run.reported, unignored: true } }));
  }
  const { slot } = attempt.state;
  const { handedIn, task } = record;
  const settings = records.run(id)?.settings;
  const writesTests =
    handedIn === undefined && settings !== undefined && writesTestsFirst(task, settings);
  // Handed-in work needs no agent.
  const state: AttemptState =
    handedIn === undefined ? { id: 'prepared', slot } : { id: 'capturing', slot, tail: '' };
  const by = { handedIn: handedIn?.commit };
  putState(live, state, {
    ...by,
    ...(writesTests ? { testsFirst: { id: 'writing', agent: attempt.agent } } : {}),
    worktree: { ...worktree, base, readyAt: at, stacked },
  });
}

/** The agent gets one more turn to bring its work into files that are committed. */
export function leaveOut(
  live: LiveAttempt,
  { files, because }: AttemptEventOf<'work-left-out'>,
): void {
  const { attempt } = live;
  if (attempt.state.id !== 'capturing') return;
  const { tail } = attempt.state;
  const failure: Failure =
    because === 'nested'
      ? { kind: 'rules-broken', violations: files.map(nestedRepository) }
      : { kind: 'no-changes', tail, leftOut: files };
  const conversation = { ...attempt.conversation, leftOutTold: true };
  putState(
    live,
    { id: 'between-turns', turnReason: { id: 'returned', failure } },
    { conversation },
  );
}

function nestedRepository(file: string): Violation {
  return { kind: 'nested-repository', file };
}

export function startBranchGate(
  live: LiveAttempt,
  { tree, gateSlot: slot, at }: AttemptEventOf<'branch-gate-started'>,
): void {
  const { state } = live.attempt;
  if (state.id !== 'gating' || state.tree !== tree || state.gate !== undefined) return;
  putState(live, { ...state, gate: { slot, since: at } });
}

export function judgeBranch(live: LiveAttempt, event: AttemptEventOf<'branch-judged'>): void {
  const { records, record, attempt } = live;
  const { run, tree, verdict, at } = event;
  if (attempt.state.id !== 'gating' || attempt.state.tree !== tree) return;
  const { commit } = attempt.state;
  const { captured, returns, worktree, testsFirst } = attempt;
  if (event.tests !== undefined && testsFirst?.id === 'writing') {
    return judgeTests(live, event.tests, testsFirst, commit);
  }
  const seen = { captured: captured && { ...captured, judged: true } };
  switch (verdict.id) {
    case 'passed':
      return afterGate({ ...live, attempt: { ...attempt, ...seen } }, { commit, tree, at });
    case 'failed': {
      // A red branch counts against its agent and type of task.
      changeRun(records, run, (now) => ({
        ...now,
        train: recordKindOutcome(now.train, workKind(record), false),
      }));
      const { failure } = verdict;
      const on = worktree && { commit: worktree.base, at };
      const change = { ...seen, returns: { ...returns, reds: returns.reds + 1 } };
      return putState(live, { id: 'returned', failure, on }, change);
    }
    case 'not-run': {
      // The branch is judged again: by a resumed run, or by this one when the disk has room.
      changeRun(records, run, (now) => withoutVerdict(now, verdict.failure));
      const { gate: _gate, ...waits } = attempt.state;
      return putState(live, { ...waits, again: waits.again + 1 });
    }
  }
}

/** Tests that were written first fail as they should, or return to their agent. */
function judgeTests(
  live: LiveAttempt,
  outcome: TestsOutcome,
  testsFirst: TestsFirst,
  commit: string,
): void {
  if (outcome.id === 'refused') return putState(live, { id: 'returned', failure: outcome.failure });
  const { tests, files } = outcome;
  putState(
    live,
    { id: 'between-turns', turnReason: { id: 'tests-red', tests, files } },
    {
      testsFirst: { id: 'red', agent: testsFirst.agent, commit, files, tests },
      // The work has a chance of its own to fix what it breaks.
      returns: { ...live.attempt.returns, brokeRules: false },
    },
  );
}

export function skipGate(live: LiveAttempt, { tree, at }: AttemptEventOf<'gate-skipped'>): void {
  const { state, captured, returns } = live.attempt;
  // Returned although the target could not be judged: it has passed everything before the queue.
  if (state.id === 'returned' && state.on !== undefined && captured?.tree === tree) {
    const blameless = { ...returns, reds: Math.max(0, returns.reds - 1) };
    const { commit } = captured;
    return join(
      { ...live, attempt: { ...live.attempt, returns: blameless } },
      { commit, tree, at },
    );
  }
  if (state.id !== 'gating' || state.tree !== tree) return;
  const { commit } = state;
  afterGate(live, { commit, tree, at });
}
