import type { Attempt, AttemptState, Critique } from '../model/attempt.ts';
import type { AttemptEvent } from '../model/event.ts';
import type { Failure } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { Records } from '../model/records.ts';
import type { CritiqueSettings } from '../model/run.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { troubleOf } from '../model/trouble.ts';
import { openFindings } from './fold-review.ts';
import { accountOneShot } from './one-shot-account.ts';
import { passes } from './pipeline.ts';

/** Folds the events of a task's critique: its text is reviewed, and improved, before the first turn. */

type Of<Type extends AttemptEvent['type']> = Extract<AttemptEvent, { type: Type }> & {
  readonly at: number;
};

const noCritique: Critique = { rounds: [], settled: false, failed: 0, tries: 0 };

/** Next one-shot call of a critique. */
export interface NextCritique {
  readonly round: number;
  readonly step: 'critique' | 'improve';
  readonly again: number;
  readonly agent: string;
}

export function nextCritique(
  record: TaskRecord,
  attempt: Attempt,
  { settings }: RunRecord,
): NextCritique | undefined {
  const wanted = settings.critique;
  if (wanted === undefined || !passes('critique', record.task, settings)) return undefined;
  const { rounds, settled, tries } = attempt.critique ?? noCritique;
  if (settled || attempt.turns > 0) return undefined;
  const again = tries + 1;
  const last = rounds.at(-1);
  if (last === undefined) return { round: 1, step: 'critique', again, agent: wanted.critic };
  // A round with a verdict waits for an improved text; one without waits for its verdict.
  const isImproved = last.votes.length === 0;
  return isImproved
    ? { round: last.round, step: 'critique', again, agent: wanted.critic }
    : { round: last.round, step: 'improve', again, agent: wanted.improver ?? attempt.agent };
}

export function startCritique(
  records: Records,
  record: TaskRecord,
  attempt: Attempt,
  event: Of<'critique-started'>,
): void {
  if (attempt.state.id !== 'prepared') return;
  const { round, step, again, slot, agent, at: since } = event;
  const { model, reasoning } = event;
  const state: AttemptState = {
    id: 'critiquing',
    slot,
    round,
    step,
    agent,
    again,
    since,
    ...(model === undefined ? {} : { model }),
    ...(reasoning === undefined ? {} : { reasoning }),
  };
  records.putTask({ ...record, attempt: { ...attempt, state } });
  const run = records.run(event.run);
  if (run !== undefined) records.putRun({ ...run, starts: run.starts + 1 });
}

export function endCritique(
  records: Records,
  record: TaskRecord,
  attempt: Attempt,
  event: Of<'critique-ended'>,
): void {
  const { state } = attempt;
  if (state.id !== 'critiquing' || state.round !== event.round || state.step !== event.step) return;
  if (state.again !== event.again) return;
  const run = records.run(event.run);
  if (run !== undefined) records.putRun(accountOneShot(run, state.agent, event.result, event.at));
  const { slot } = state;
  const before = attempt.critique ?? noCritique;
  const settings = run?.settings.critique;
  const goOn = (critique: Critique): void =>
    records.putTask({
      ...record,
      attempt: { ...attempt, critique, state: { id: 'prepared', slot } },
    });
  const giveUp = (failure: Failure): void =>
    records.putTask({
      ...record,
      attempt: { ...attempt, state: { id: 'giving-up', slot, failure } },
    });
  const { result, round } = event;
  if (!result.ok) {
    const trouble = troubleOf(result.failure);
    if (trouble === 'interruption') {
      // An interrupted start is given back.
      const { starts } = record;
      giveUp(result.failure);
      const now = records.task(record.task.id);
      if (now === undefined || starts?.run !== event.run) return;
      return records.putTask({ ...now, starts: { ...starts, count: starts.count - 1 } });
    }
    const tries = before.tries + 1;
    const excused =
      trouble === 'pause' ||
      trouble === 'hold' ||
      (trouble === 'killed' && tries <= limits.agentKills);
    const failed = excused ? before.failed : before.failed + 1;
    if (failed <= (settings?.retries ?? 0)) return goOn({ ...before, failed, tries });
    return giveUp(unsettled(before, result.failure));
  }
  if ('body' in result) {
    // Opens the next round, without a verdict yet.
    const rounds = [...before.rounds, { round: round + 1, commit: '', votes: [] }];
    return goOn({ ...before, rounds, body: result.body, failed: 0, tries: 0 });
  }
  const { verdict, findings } = result;
  const votes = [{ reviewer: state.agent, verdict, findings }];
  const rounds = [
    ...before.rounds.filter((one) => one.round !== round),
    { round, commit: '', votes },
  ];
  const settled = verdict === 'approved';
  const next = { ...before, rounds, failed: 0, tries: 0, settled };
  if (verdict === 'approved' || round < most(settings)) return goOn(next);
  giveUp(unsettled(next));
}

const most = (settings: CritiqueSettings | undefined): number => settings?.rounds ?? 1;

function unsettled({ rounds }: Critique, last?: Failure): Failure {
  const failure = {
    kind: 'critique-unsettled',
    rounds: rounds.length,
    findings: openFindings(rounds),
  } as const;
  return last === undefined ? failure : { ...failure, last };
}
