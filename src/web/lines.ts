import type { RunStep } from '../app/run-steps.ts';
import { type Event, runOf, tasksOf } from '../model/event.ts';
import { eventText } from '../report/progress/progress.ts';
import type { EventLine } from './contract.ts';

type Line = Omit<EventLine, 'at'> & { readonly at: number };

/** An event that was just read, with what was known right after it. */
export function eventLine({ event, records, entries, blamed }: RunStep): Line {
  const context = { record: records.task, run: records.run, entries: () => entries };
  return lineOf(event, eventText(event, { ...context, blamed }));
}

/** An event of the past: its text says only what the event itself says. */
export function pastLine(event: Event): Line {
  return lineOf(event, eventText(event));
}

function lineOf(event: Event, text: string): Line {
  const { seq, at, type, actor } = event;
  const known = { run: runOf(event), by: actor?.name, via: actor?.through };
  return { seq, at, type, tasks: tasksOf(event), text, ...known };
}
