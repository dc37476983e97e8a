import { type Event, EventBody } from '../model/event.ts';
import type { AttemptRecord, RunHistory, Step } from '../model/history.ts';
import { Verdict } from '../model/verdict.ts';
import { need, parse, shaped } from './stored.ts';

/*
 * Reads rows of events, verdicts and history. The short status needs none of them and starts sooner without their shapes.
 */

export function verdictFrom(text: unknown): Verdict {
  return shaped(Verdict, parse(text, 'A verdict'), 'A verdict');
}

/** Reads an event, whose type this version may not know. */
export function eventFrom(
  envelope: { readonly seq: number; readonly at: number; readonly version: number },
  text: unknown,
): Event {
  const what = `Event ${envelope.seq}`;
  return { ...shaped(EventBody, parse(text, what), what), ...envelope } as Event;
}

export function attemptRecordFrom(text: unknown): AttemptRecord {
  const stored = parse(text, 'The history of an attempt');
  need(stored, `The history of ${stored.task}`, 'turns', 'calls', 'captures', 'prefixes', 'end');
  return stored as unknown as AttemptRecord;
}

export function runHistoryFrom(run: string, text: unknown): RunHistory {
  const stored = parse(text, `The history of the run ${run}`);
  need(stored, `The history of the run ${run}`, 'gates', 'flakes', 'quarantined', 'pauses');
  return stored as unknown as RunHistory;
}

export function stepFrom(text: unknown): Step {
  const stored = parse(text, 'A step');
  need(stored, 'A step', 'what');
  return stored as unknown as Step;
}
