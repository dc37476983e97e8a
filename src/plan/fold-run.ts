import { noBatches } from '../model/batch.ts';
import { taskOf } from '../model/branch.ts';
import type { Event, RunEvent } from '../model/event.ts';
import { type Failure, unreachable } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { Records } from '../model/records.ts';
import type { RunSettings } from '../model/run.ts';
import {
  endOf,
  hasEnded,
  nothingSpent,
  type Pull,
  type RunRecord,
  withTrouble,
} from '../model/run-record.ts';
import type { VerifyPolicy } from '../model/verdict.ts';
import { setStatus } from '../task/status.ts';
import { newTrain, resumedTrain } from '../train/candidates.ts';
import { markStopped, stopCandidates } from '../train/fold-train.ts';
import { newTarget, resumedTarget, withVerified } from '../train/target.ts';
import { planBatch, startPlanner } from './fold-batch.ts';
import { startRevision } from './fold-revision.ts';
import { changeSlots } from './free-slots.ts';
import { changeRun } from './live-attempt.ts';
import { pauseStep, resumeStep } from './paused-steps.ts';
import { polled, watchOf } from './pulls.ts';
import { foldSync } from './source-sync.ts';
import { watchedWaits } from './waits.ts';
import { changeWorker } from './workers.ts';

export function foldRun(records: Records, event: RunEvent & Event): void {
  const { at, seq } = event;
  if (event.type === 'run-started') {
    if (records.run(event.run) === undefined) records.putRun(newRun(event, at));
    return;
  }
  const run = records.run(event.run);
  if (run === undefined) return;
  switch (event.type) {
    case 'run-resumed':
      return records.putRun(resumed(markStopped(records, run, false), event, at));
    case 'step-paused':
      return records.putRun(pauseStep(run, event.step, event.failure, at));
    case 'step-resumed':
      return records.putRun(resumeStep(run, event.step));
    case 'run-verified': {
      // If a person decided meanwhile, more may land and the target has to be verified again.
      const isLate = event.since !== undefined && event.since < (run.decidedAt ?? 0);
      return records.putRun(isLate ? run : withVerified(run, event.outcome));
    }
    case 'pulls-seen':
      return seePulls(records, run, event, at);
    case 'waits-checked':
      return records.putRun({ ...run, waitWatch: watchedWaits(run.waitWatch, event, at) });
    case 'source-synced':
    case 'source-sync-failed':
      return foldSync(records, run, event, at);
    case 'planner-started':
      return records.putRun(startPlanner(run, event, at));
    case 'batch-planned':
      return records.putRun(planBatch(run, event, at));
    case 'revision-started':
      return records.putRun(startRevision(run, event, at));
    case 'check-flaked':
    case 'run-reloaded':
      // Flakes count across runs: the gate reads them from the store. What a reload changes is not in the records.
      return;
    case 'stop-asked': {
      if (run.phase.id === 'ended') return;
      const stopAsked = run.phase.stopAsked === 'now' ? 'now' : event.how;
      return records.putRun({ ...run, phase: { ...run.phase, stopAsked } });
    }
    case 'slots-changed':
      return records.putRun(changeSlots(run, event.change));
    case 'worker-changed':
      return records.putRun(changeWorker(run, event));
    case 'run-ended': {
      if (hasEnded(run)) return;
      // The run that adopts the tasks of a dead run also checks what it may have landed.
      const left =
        event.stop.reason === 'died'
          ? markStopped(records, run, true)
          : stopCandidates(records, run);
      const endedAt = event.heardAt ?? at;
      return records.putRun({
        ...left,
        phase: { id: 'ended', at: endedAt, stop: event.stop, seq },
      });
    }
    default:
      unreachable(event);
  }
}

/** Counts failed set-ups in a row; after too many the run ends, since no task is to blame. */
export function countSetUpFailure(
  records: Records,
  id: string,
  failure: Failure | undefined,
): void {
  const run = records.run(id);
  if (run === undefined || (failure !== undefined && failure.kind !== 'setup-failed')) return;
  const { setUpFailures } = run;
  if (failure === undefined) {
    return setUpFailures === 0 ? undefined : records.putRun({ ...run, setUpFailures: 0 });
  }
  const now = { ...run, setUpFailures: setUpFailures + 1 };
  records.putRun(now.setUpFailures < limits.setUpFailures ? now : withTrouble(now, failure));
}

function resumed(
  run: RunRecord,
  event: Extract<RunEvent, { type: 'run-resumed' }>,
  at: number,
): RunRecord {
  // A person resumed the run: pauses and trouble are forgotten, and the target may have moved.
  const {
    pullWatch: _pulls,
    waitWatch: _waits,
    syncTrouble: _trouble,
    attended: _attended,
    ...rest
  } = run;
  const train = resumedTrain(run.train);
  const {
    maxAttempts: _attempts,
    newTasks: _newTasks,
    wallMs: _wall,
    tokens: _tokens,
    costUsd: _cost,
    ...kept
  } = run.settings;
  const budgeted = event.budget === undefined ? run.settings : { ...kept, ...event.budget };
  const settings = withVerify(budgeted, event.verify);
  return {
    ...rest,
    phase: { id: 'running' },
    train,
    target: resumedTarget(run.target, train, event),
    settings,
    owner: event.owner,
    resumedAt: at,
    stoppedMs: (run.stoppedMs ?? 0) + Math.max(0, at - (endOf(run) ?? event.heardAt ?? at)),
    idleSince: at,
    setUpFailures: 0,
    accounts: { ...run.accounts, paused: {} },
    pausedSteps: {},
    slots: run.slots.map((slot) => ({ ...slot, errors: 0 })),
    spentBeforeResume: run.spent,
    attended: event.attended,
  };
}

/** A merged pull request has landed; a closed one blocks its tasks. */
function seePulls(
  records: Records,
  run: RunRecord,
  { branches, states }: Extract<RunEvent, { type: 'pulls-seen' }>,
  at: number,
): void {
  records.putRun({ ...run, pullWatch: polled(watchOf(run, branches), states, at) });
  for (const pull of states ?? []) {
    const leader = records.task(taskOf(pull.branch));
    for (const id of [leader?.task.id ?? '', ...(leader?.attempt?.coClaims ?? [])]) {
      decidePull(records, id, pull, run.id, at);
    }
  }
}

function decidePull(records: Records, id: string, pull: Pull, run: string, at: number): void {
  const record = records.task(id);
  const status = record?.status;
  if (record === undefined || status?.id !== 'delivered' || status.branch !== pull.branch) return;
  if (pull.state === 'merged') {
    const commit = pull.mergeCommit ?? status.commit;
    setStatus(records, record, { id: 'landed', commit, run, at }, at);
  }
  if (pull.state !== 'closed') return;
  const cause = `${pull.url} was closed`;
  const failure = { kind: 'delivery-failed', how: 'pr', cause } as const;
  setStatus(records, record, { id: 'blocked', failure }, at);
}

function withVerify(settings: RunSettings, said: VerifyPolicy | 'none' | undefined): RunSettings {
  if (said === undefined) return settings;
  const { verify: _verify, ...rest } = settings;
  return said === 'none' ? rest : { ...rest, verify: said };
}

export function markIdle(records: Records, id: string, at: number): void {
  changeRun(records, id, (run) => ({ ...run, idleSince: at }));
}

export function newRun(
  event: Omit<Extract<RunEvent, { type: 'run-started' }>, 'type'>,
  at: number,
): RunRecord {
  return {
    id: event.run,
    settings: event.settings,
    owner: event.owner,
    base: event.base,
    startedAt: at,
    phase: { id: 'running' },
    train: newTrain,
    target: newTarget(event.base, event),
    accounts: { paused: {} },
    pausedSteps: {},
    slots: Array.from({ length: event.settings.jobs }, () => ({ errors: 0 })),
    spent: nothingSpent,
    spentBeforeResume: nothingSpent,
    idleSince: at,
    setUpFailures: 0,
    ...(event.settings.jobs < 2 ? {} : { batches: noBatches }),
    filedTasks: [],
    reported: { userChanges: [], unignored: false },
    attended: event.attended,
  };
}
