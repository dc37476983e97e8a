import type { Car, Event } from '../model/event.ts';
import type { Failure } from '../model/failure.ts';
import type { RunId } from '../model/run.ts';
import type { TaskId } from '../model/task.ts';
import { accountOf } from '../plan/accounts.ts';
import { volunteersOf } from '../plan/crew.ts';
import type { RunRecord, TaskRecord } from '../plan/record.ts';
import { troubleOf } from '../plan/retry.ts';
import { outcomeOf } from './attempts.ts';
import { explain } from './explain.ts';
import { isNoGate } from './gateless.ts';
import { cut, printable, wrap } from './printable.ts';
import { cueWords } from './standstill.ts';
import { plain, type Style } from './style.ts';
import { stopText } from './text.ts';
import { clockTime, shortCommit, span } from './time.ts';
import { callSays, takenBy } from './turnwords.ts';
import { untilText } from './waittext.ts';

export interface ProgressContext {
  /** The records of the event's tasks after it was folded in, or before where none is kept. */
  readonly record: (id: TaskId) => TaskRecord | undefined;
  /** The record of the event's run; without it nothing is said of how long an account is paused. */
  readonly run?: (id: RunId) => RunRecord | undefined;
  /** Who rides on a candidate, as far as known. */
  readonly cars?: (candidate: string) => readonly Car[];
  /** What `Date.getTimezoneOffset` says where the reader is. */
  readonly offsetMin?: number;
  readonly style?: Style;
  readonly width?: number;
}

interface Line {
  readonly verb: string;
  readonly task?: TaskId;
  readonly rest?: string;
  readonly paint?: keyof Style;
  /** What a person has to read to its end goes on in further lines; all else is cut. */
  readonly whole?: boolean;
}

const widthDefault = 160;
const verbWidth = 9;

/** One event as plain lines, for output without a terminal. Most events are steps nobody waits for, and give none. */
export function progressLines(event: Event, context: ProgressContext): string[] {
  const style = context.style ?? plain;
  const time = clockTime(event.at, context.offsetMin ?? 0);
  const room = Math.max(1, (context.width ?? widthDefault) - time.length - verbWidth - 2);
  return linesOf(event, context).flatMap(({ verb, task, rest, paint, whole }) => {
    const text = [task === undefined ? '' : printable(task), rest ?? ''].filter(Boolean).join('  ');
    const word = verb.padEnd(verbWidth);
    const painted = paint === undefined ? word : style[paint](word);
    const over = Math.max(0, word.length - verbWidth);
    const [first = '', ...further] = whole === true ? wrap(text, room) : [cut(text, room - over)];
    const indent = ' '.repeat(time.length + verbWidth + 2);
    return [
      `${style.dim(time)} ${painted} ${first}`.trimEnd(),
      ...further.map((line) => `${indent}${line}`),
    ];
  });
}

function linesOf(event: Event, context: ProgressContext): Line[] {
  switch (event.type) {
    case 'run-started': {
      const { target, jobs } = event.settings;
      const slots = `${jobs} ${jobs === 1 ? 'slot' : 'slots'}`;
      const rest = `${event.run}  ${slots} of ${volunteersOf(event.settings).join(', ')} → ${target}`;
      return [{ verb: 'run', rest, paint: 'bold' }];
    }
    case 'run-resumed':
      return [{ verb: 'resumed', rest: event.run, paint: 'bold' }];
    case 'stop-asked':
      return [{ verb: 'stopping', rest: `${event.how}, asked by ${printable(event.by)}` }];
    case 'run-troubled':
      return [bad('trouble', undefined, event.failure)];
    case 'run-ended': {
      const failure = event.stop.failure;
      const rest = `${event.run}  ${stopText(event.stop.reason)}`;
      const left = (event.left ?? []).map((one) => bad('left', one.dir, one.failure, 'yellow'));
      const end: Line = { verb: 'ended', rest, paint: 'bold' };
      const why = failure === undefined ? [] : withRemedy('because', undefined, failure, 'red');
      return [end, ...why, ...left];
    }
    case 'task-decided': {
      const { decision } = event;
      const reason = decision.kind === 'answer' ? decision.text : decision.reason;
      const { kind } = decision;
      const rest = reason === undefined ? 'by a person' : `by a person: ${printable(reason)}`;
      return [{ verb: kind, task: event.id, rest }];
    }
    case 'landed':
      return event.cars.flatMap((car) => [
        landed(car, event.commit, event.at, context),
        ...(car.riders ?? []).map((task) => rode(task, car, event.commit)),
      ]);
    case 'landing-waits':
      return withRemedy('waits', riders(event.candidate, context), event.failure, 'yellow');
    case 'candidate-dropped':
      return [{ verb: 'rebuild', rest: `target moved to ${shortCommit(event.found)}` }];
    case 'target-judged':
      return event.verdict.id === 'failed' ? [bad('red', undefined, event.verdict.failure)] : [];
    case 'candidate-judged':
      return event.verdict.id === 'passed'
        ? []
        : [bad('red', riders(event.candidate, context), event.verdict.failure, 'yellow')];
    default:
      return attemptLines(event, context);
  }
}

function riders(candidate: string, { cars }: ProgressContext): string | undefined {
  return cars?.(candidate)
    .map((car) => car.id)
    .join(', ');
}

function attemptLines(event: Event, context: ProgressContext): Line[] {
  const { record } = context;
  switch (event.type) {
    case 'attempt-started': {
      const rest = `attempt ${event.attempt}, slot ${event.slot}, ${printable(event.agent)}`;
      return [{ verb: 'started', task: event.id, rest, paint: 'cyan' }];
    }
    case 'turn-started':
      if (event.turn === 1 && event.agent === undefined) return [];
      return [
        {
          verb: 'turn',
          task: event.id,
          rest: `turn ${event.turn}${printable(takenBy(event))}`,
          paint: 'cyan',
        },
      ];
    case 'agent-said':
      if (event.call.id !== 'report') return [];
      return [{ verb: 'reports', task: event.id, rest: printable(callSays(event.call)) }];
    case 'turn-ended':
      return turnLines(event, context);
    case 'work-planned': {
      const filed = event.filed.map(printable).join(', ') || 'no task';
      return [{ verb: 'planned', task: event.id, rest: `filed ${filed}`, paint: 'green' }];
    }
    case 'branch-judged':
      if (event.verdict.id !== 'passed') {
        const verb = event.verdict.id === 'failed' ? 'returned' : 'not-run';
        return [bad(verb, event.id, event.verdict.failure, 'yellow')];
      }
      return [
        { verb: 'queued', task: event.id, rest: isNoGate(event.gate) ? 'no gate' : 'gate passed' },
      ];
    case 'coupling-refused':
      return [bad('returned', event.id, event.failure, 'yellow')];
    case 'attempt-failed':
      return [attemptEnd(event.id, event.failure, record(event.id))];
    default:
      return [];
  }
}

/** A turn after which the conversation goes on later, and what the agent found for others to do. */
function turnLines(
  { id, at, result, run }: Extract<Event, { readonly type: 'turn-ended' }>,
  { record, run: runOf, offsetMin = 0 }: ProgressContext,
): Line[] {
  const filed = (result.followUps ?? []).map(({ title }): Line => {
    return { verb: 'files', task: id, rest: printable(title) };
  });
  const attempt = record(id)?.attempt;
  const state = attempt?.state;
  if (state?.id === 'asking') {
    const failure = { kind: 'question-open', question: state.question } as const;
    return [...filed, ...withRemedy('asks', id, failure, 'yellow')];
  }
  if (attempt === undefined || state?.id !== 'resting') return filed;
  const { cue } = state;
  const known = runOf?.(run);
  const pause = known?.paused?.[accountOf(known.settings, attempt.agent)];
  const until = state.until ?? (cue.id === 'paused' ? pause?.until : undefined);
  const held = cue.id === 'paused' && troubleOf(cue.failure) === 'hold';
  if (held) return [...filed, ...withRemedy('paused', id, cue.failure, 'yellow')];
  const when = until === undefined || until <= at ? '' : ` ${again(until, at, offsetMin)}`;
  const verb = cue.id === 'paused' ? 'rests' : restVerbs[cue.id];
  return [...filed, { verb, task: id, rest: `${cueWords(cue)}${when}`, paint: 'yellow' }];
}

const restVerbs = {
  returned: 'returned',
  silent: 'silent',
  claims: 'claims',
  answer: 'answered',
} as const;

function again(until: number, now: number, offsetMin: number): string {
  const soon = until - now < 60_000;
  const when = soon ? `in ${span(until - now)}` : untilText(until, { now, offsetMin });
  return `It goes on by itself ${when.replace('until', 'at')}.`;
}

/** In the word of the state the task is in now; one that is tried again has none that tells of its failure. */
function attemptEnd(task: TaskId, failure: Failure, record: TaskRecord | undefined): Line {
  const standing = record?.standing;
  if (standing !== undefined && 'failure' in standing) {
    const person = standing.failure.kind === 'blocked-by-person' || standing.id === 'cancelled';
    // What a person decided is the reason, not the signal that ended the agent.
    return bad(standing.id, task, person ? standing.failure : failure, person ? 'yellow' : 'red');
  }
  if (standing?.id === 'skipped') return { verb: 'stopped', task, rest: 'skipped by a person' };
  return outcomeOf(failure) === 'interrupted'
    ? bad('stopped', task, failure, 'yellow')
    : bad('failed', task, failure);
}

function landed(car: Car, commit: string, at: number, { record }: ProgressContext): Line {
  const attempt = record(car.id)?.attempt;
  const took =
    attempt?.number === car.attempt ? `, ${span(Math.max(0, at - attempt.startedAt))}` : '';
  const rest = `${shortCommit(commit)}  (attempt ${car.attempt}${took})`;
  return { verb: 'landed', task: car.id, rest, paint: 'green' };
}

function rode(task: TaskId, { id }: Car, commit: string): Line {
  const rest = `${shortCommit(commit)}  (with ${printable(id)})`;
  return { verb: 'landed', task, rest, paint: 'green' };
}

function bad(
  verb: string,
  task: TaskId | undefined,
  failure: Failure,
  paint: keyof Style = 'red',
): Line {
  const rest = explain(failure, task).what;
  return task === undefined ? { verb, rest, paint } : { verb, task, rest, paint };
}

/** With what to do about it, for what a person has to see to. */
function withRemedy(
  verb: string,
  task: TaskId | undefined,
  failure: Failure,
  paint: keyof Style,
): Line[] {
  const remedy: Line = { verb: 'do', rest: explain(failure, task).do, whole: true };
  return [{ ...bad(verb, task, failure, paint), whole: true }, remedy];
}
