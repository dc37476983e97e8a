import type { Attempt, Critique } from '../model/attempt.ts';
import type { Call } from '../model/call.ts';
import type { Failure } from '../model/failure.ts';
import { troubleOf } from '../model/fault.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { openFindings } from './fold-review.ts';
import { type EndedCall, isExcused, putState } from './live-attempt.ts';
import { passes } from './pipeline.ts';
import { refundStarts } from './returned-work.ts';

/** Folds the critique of a task: its text is reviewed, and improved, before the first turn. */

export function nextCritique(
  record: TaskRecord,
  attempt: Attempt,
  { settings }: RunRecord,
): Call | undefined {
  const wanted = settings.critique;
  if (wanted === undefined || !passes('critique', record.task, settings)) return undefined;
  const { rounds, settled, tries } = attempt.critique;
  if (settled || attempt.conversation.turns > 0) return undefined;
  const again = tries + 1;
  const last = rounds.at(-1);
  if (last === undefined) return { kind: 'critique', round: 1, agent: wanted.critic, again };
  // A round with a verdict waits for an improved text; one without waits for its verdict.
  const isImproved = last.votes.length === 0;
  return isImproved
    ? { kind: 'critique', round: last.round, agent: wanted.critic, again }
    : { kind: 'improve', round: last.round, agent: wanted.improver ?? attempt.agent, again };
}

/** A critic gave its verdict on the task text, or none. */
export function endCritique(ended: EndedCall): void {
  const { attempt, call, result, settings } = ended;
  if (!result.ok) return callAgain(ended, result.failure);
  if (!('verdict' in result)) return;
  const { round, agent: reviewer } = call;
  const { verdict, findings } = result;
  const { critique: before } = attempt;
  const rounds = [
    ...before.rounds.filter((one) => one.round !== round),
    { round, commit: '', votes: [{ reviewer, verdict, findings }] },
  ];
  const settled = verdict === 'approved';
  const critique = { ...before, rounds, failed: 0, tries: 0, settled };
  if (settled || round < (settings?.critique?.rounds ?? 1)) return goOn(ended, critique);
  giveUp(ended, unsettled(critique));
}

/** The task text was rewritten, or not. */
export function endImprove(ended: EndedCall): void {
  const { attempt, call, result } = ended;
  if (!result.ok) return callAgain(ended, result.failure);
  if (!('body' in result)) return;
  const { critique: before } = attempt;
  // Opens the next round, without a verdict yet.
  const rounds = [...before.rounds, { round: call.round + 1, commit: '', votes: [] }];
  goOn(ended, { ...before, rounds, body: result.body, failed: 0, tries: 0 });
}

/** A call without an answer is repeated, unless that happened too often or a person interrupted it. */
function callAgain(ended: EndedCall, failure: Failure): void {
  const { record, attempt, settings } = ended;
  const { critique: before } = attempt;
  if (troubleOf(failure) === 'interruption') {
    return giveUp({ ...ended, record: refundStarts(record, 1) }, failure);
  }
  const tries = before.tries + 1;
  const failed = isExcused(failure) ? before.failed : before.failed + 1;
  if (failed <= (settings?.critique?.retries ?? 0))
    return goOn(ended, { ...before, failed, tries });
  giveUp(ended, unsettled(before, failure));
}

function goOn(ended: EndedCall, critique: Critique): void {
  putState(ended, { id: 'prepared', slot: ended.state.slot }, { critique });
}

function giveUp(ended: EndedCall, failure: Failure): void {
  putState(ended, { id: 'giving-up', slot: ended.state.slot, failure });
}

function unsettled({ rounds }: Critique, last?: Failure): Failure {
  const failure = {
    kind: 'critique-unsettled',
    rounds: rounds.length,
    findings: openFindings(rounds),
  } as const;
  return last === undefined ? failure : { ...failure, last };
}
