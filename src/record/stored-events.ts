import { Actor } from '../model/actor.ts';
import { type Event, EventBody } from '../model/event.ts';
import { AttemptRecord, RunHistory, Step } from '../model/history.ts';
import { QueueStep } from '../model/queue-history.ts';
import { Verdict } from '../model/verdict.ts';
import { rowOf, shaped } from './stored.ts';

/*
 * Reads rows of events, verdicts and history. The short status needs none of them and starts sooner without their
 * shapes.
 */

export function verdictFrom(text: unknown): Verdict {
  return rowOf(Verdict, text, 'A verdict');
}

/** Reads an event, whose type this version may not know. */
export function eventFrom(
  envelope: { readonly seq: number; readonly at: number; readonly version: number },
  text: unknown,
): Event {
  const what = `Event ${envelope.seq}`;
  const body: EventBody & { readonly actor?: unknown } = rowOf(EventBody, text, what);
  if (body.actor !== undefined) shaped(Actor, body.actor, what);
  return { ...body, ...envelope } as Event;
}

export function attemptRecordFrom(text: unknown): AttemptRecord {
  const what = 'The history of an attempt';
  return rowOf(AttemptRecord, text, what);
}

export function runHistoryFrom(run: string, text: unknown): RunHistory {
  const what = `The history of the run ${run}`;
  return rowOf(RunHistory, text, what);
}

export function stepFrom(text: unknown): Step {
  return rowOf(Step, text, 'A step');
}

export function queueStepFrom(text: unknown): QueueStep {
  return rowOf(QueueStep, text, 'A step of the merge queue');
}
