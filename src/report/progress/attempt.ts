import { outcomeOf } from '../../history/attempt-history.ts';
import type { CallKind } from '../../model/call.ts';
import type { Event } from '../../model/event.ts';
import type { Failure } from '../../model/failure.ts';
import { troubleOf } from '../../model/fault.ts';
import type { StepBody } from '../../model/history.ts';
import { accountOf } from '../../model/run.ts';
import type { TaskId } from '../../model/task.ts';
import type { TaskRecord } from '../../model/task-record.ts';
import { isNoGate } from '../../model/verdict.ts';
import type { Tampering } from '../../model/violation.ts';
import { isUserChange, userChanges } from '../../plan/user-change.ts';
import { onWorker, stepText, userChangeText } from '../event/step.ts';
import { byAgentText } from '../event/turn.ts';
import { redTestsText } from '../explain/findings.ts';
import { span } from '../format/time.ts';
import { untilText } from '../status/waiting.ts';
import { turnReasonText } from '../view/standstill.ts';
import { bad, type Line, type ProgressContext, withRemedy } from './line.ts';

export function attemptLines(event: Event, context: ProgressContext): Line[] {
  const { record } = context;
  switch (event.type) {
    case 'attempt-started': {
      const rest = `attempt ${event.attempt}, slot ${event.slot}${onWorker(event)}, ${event.agent}`;
      return [{ verb: 'started', task: event.id, rest, paint: 'cyan' }];
    }
    case 'attempt-adopted': {
      const rest = `attempt ${event.attempt} of run ${event.from}`;
      return [{ verb: 'took over', task: event.id, rest, paint: 'cyan' }];
    }
    case 'worktree-ready':
      return event.unignored === undefined ? [] : [unignoredLine(event.unignored)];
    case 'turn-started':
      if (event.turn === 1 && event.agent === undefined) return [];
      return [
        {
          verb: 'turn',
          task: event.id,
          rest: `turn ${event.turn}${byAgentText(event)}`,
          paint: 'cyan',
        },
      ];
    case 'agent-reported':
      if (event.call.id !== 'report') return [];
      return [{ verb: 'reports', task: event.id, rest: textOf(event) }];
    case 'turn-ended':
      return turnLines(event, context);
    case 'work-left-out':
      return [{ verb: 'returned', task: event.id, rest: textOf(event), paint: 'yellow' }];
    case 'work-planned': {
      const filed = event.filed.join(', ') || 'no task';
      return [{ verb: 'planned', task: event.id, rest: `filed ${filed}`, paint: 'green' }];
    }
    case 'branch-judged':
      return [judgedLine(event, context)];
    case 'gate-skipped':
      return [passed(event.id, textOf(event), context)];
    case 'work-captured': {
      const { violations = [], failure } = event;
      if (failure !== undefined) return [bad('returned', event.id, failure, 'yellow')];
      if (violations.length === 0) return [];
      return [bad('breaks', event.id, { kind: 'rules-broken', violations }, 'yellow')];
    }
    case 'tampering-seen':
      return changedOutside(event.id, event.found);
    case 'approval-asked':
      return withRemedy('awaits', event.id, event.failure, 'yellow');
    case 'conflict-predicted': {
      const rest = `does not merge with ${event.with}: ${event.files.join(', ')}`;
      return [{ verb: 'clash', task: event.id, rest, paint: 'yellow' }];
    }
    case 'merge-deferred':
      return [{ verb: 'deferred', task: event.id, rest: textOf(event), paint: 'yellow' }];
    case 'target-merged':
      return [{ verb: 'merged', task: event.id, rest: textOf(event) }];
    case 'merge-refused':
      return [bad('returned', event.id, event.failure, 'yellow')];
    case 'work-shared':
      return [{ verb: 'work', task: event.id, rest: textOf(event) }];
    case 'attempt-failed':
      return [attemptEnd(event.id, event.failure, record(event.id))];
    default:
      return reviewLines(event);
  }
}

/** The text of the step that the event adds to the history of its task. */
function textOf(event: StepBody & { readonly at: number }): string {
  return stepText({ at: event.at, what: event }).text;
}

/** Separates the user's own changes from tampering during the attempt. */
function changedOutside(task: TaskId, all: readonly Tampering[]): Line[] {
  const found = all.filter((one) => !isUserChange(one));
  const names = userChanges(all).join(', ');
  return [
    ...(names === '' ? [] : [{ verb: 'yours', rest: `${userChangeText}: ${names}` }]),
    ...(found.length === 0 ? [] : [bad('tampering', task, { kind: 'tampered', found })]),
  ];
}

/** Work that proceeds to the merge queue, to review or to the choice between variants. */
function passed(task: TaskId, rest: string, { record }: ProgressContext): Line {
  const state = record(task)?.attempt?.state.id;
  const isWaiting = state === 'unreviewed' || state === 'awaiting' || state === 'finished';
  return { verb: isWaiting ? 'finished' : 'queued', task, rest };
}

/** Reason why the next turn waits, and the tasks the agent filed. */
function turnLines(
  { id, at, result, run }: Extract<Event, { readonly type: 'turn-ended' }>,
  { record, run: runOf, offsetMin = 0 }: ProgressContext,
): Line[] {
  const filed = (result.followUps ?? []).map(({ title }): Line => {
    return { verb: 'files', task: id, rest: title };
  });
  const attempt = record(id)?.attempt;
  const state = attempt?.state;
  if (state?.id === 'asking') {
    const failure = { kind: 'question-open', question: state.question } as const;
    return [...filed, ...withRemedy('asks', id, failure, 'yellow')];
  }
  if (state?.id === 'held') {
    return [...filed, { verb: 'held', task: id, rest: 'by a person (ym attach)', paint: 'yellow' }];
  }
  if (attempt === undefined || state?.id !== 'between-turns') return filed;
  const { turnReason } = state;
  const known = runOf?.(run);
  const pause = known?.accounts.paused[accountOf(known.settings, attempt.agent)];
  const until = state.until ?? (turnReason.id === 'paused' ? pause?.until : undefined);
  const held = turnReason.id === 'paused' && troubleOf(turnReason.failure) === 'hold';
  if (held) return [...filed, ...withRemedy('paused', id, turnReason.failure, 'yellow')];
  const when = until === undefined || until <= at ? '' : ` ${again(until, at, offsetMin)}`;
  const verb = turnReason.id === 'paused' ? 'pauses' : turnVerbs[turnReason.id];
  return [
    ...filed,
    { verb, task: id, rest: `${turnReasonText(turnReason)}${when}`, paint: 'yellow' },
  ];
}

const turnVerbs = {
  returned: 'returned',
  silent: 'silent',
  claims: 'claims',
  answer: 'answered',
  review: 'changes',
  rejected: 'rejected',
  messages: 'message',
  attached: 'released',
  'tests-red': 'tests-red',
} as const;

function again(until: number, now: number, offsetMin: number): string {
  const soon = until - now < 60_000;
  const when = soon ? `in ${span(until - now)}` : untilText(until, { now, offsetMin });
  return `It continues automatically ${when.replace('until', 'at')}.`;
}

/** Tests that were written first must fail; other work must pass. */
function judgedLine(
  { id, gate, verdict, tests }: Extract<Event, { type: 'branch-judged' }>,
  context: ProgressContext,
): Line {
  if (tests?.id === 'red') {
    return { verb: 'tests', task: id, rest: redTestsText(tests.tests), paint: 'cyan' };
  }
  if (tests?.id === 'refused') return bad('returned', id, tests.failure, 'yellow');
  if (verdict.id === 'passed') {
    return passed(id, isNoGate(gate) ? 'no gate' : 'gate passed', context);
  }
  return bad(verdict.id === 'failed' ? 'returned' : 'not-run', id, verdict.failure, 'yellow');
}

/** Uses the task's current state as the verb; `failed` if it will be retried. */
function attemptEnd(task: TaskId, failure: Failure, record: TaskRecord | undefined): Line {
  if (failure.kind === 'superseded') return bad('superseded', task, failure, 'yellow');
  const status = record?.status;
  if (status !== undefined && 'failure' in status) {
    const person = status.failure.kind === 'blocked-by-person' || status.id === 'canceled';
    // What a person decided is the reason, not the signal that ended the agent.
    if (person) return bad(status.id, task, status.failure, 'yellow');
    return bad(status.id === 'blocked' ? 'stuck' : status.id, task, failure, 'red');
  }
  if (status?.id === 'skipped') return { verb: 'stopped', task, rest: 'skipped by a person' };
  return outcomeOf(failure) === 'interrupted'
    ? bad('stopped', task, failure, 'yellow')
    : bad('failed', task, failure);
}

function unignoredLine(paths: readonly string[]): Line {
  const names = paths.join(', ');
  const rest = `The setup leaves ${names}, which git does not ignore. It is kept out of the commits; add it to .gitignore.`;
  return { verb: 'warning', rest, paint: 'yellow', whole: true };
}

const callVerbs: Readonly<Record<CallKind, string>> = {
  review: 'review',
  critique: 'critique',
  improve: 'critique',
  choose: 'compare',
};

/** Lines for reviews of finished work and critiques of a task before work starts. */
function reviewLines(event: Event): Line[] {
  switch (event.type) {
    case 'call-started': {
      const verb = callVerbs[event.call.kind] ?? event.call.kind;
      return [{ verb, task: event.id, rest: textOf(event), paint: 'cyan' }];
    }
    case 'call-ended': {
      const { id, call, result } = event;
      if (!result.ok) return [bad('unclear', id, result.failure, 'yellow')];
      const rest = textOf(event);
      if (!('verdict' in result) || call.kind !== 'review') {
        return [{ verb: callVerbs[call.kind] ?? call.kind, task: id, rest }];
      }
      const good = result.verdict === 'approved';
      return [
        { verb: good ? 'approved' : 'changes', task: id, rest, paint: good ? 'green' : 'yellow' },
      ];
    }
    default:
      return [];
  }
}
