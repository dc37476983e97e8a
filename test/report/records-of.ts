import { newAttempt } from '../../src/history/attempt-history.ts';
import type { Event } from '../../src/model/event.ts';
import type { AttemptRecord, Step } from '../../src/model/history.ts';
import { endOf, type RunRecord } from '../../src/model/run-record.ts';
import type { TaskRecord } from '../../src/model/task-record.ts';
import { fold } from '../../src/plan/fold.ts';
import { MemoryRecords } from '../../src/record/memory-records.ts';
import type { Drawing } from '../../src/report/graph/drawing.ts';
import { runDrawing } from '../../src/report/graph/run.ts';
import type { SummarySource } from '../../src/report/summary/summary.ts';
import { anAttempt, aRecord, aRun } from './fixtures.ts';

/**
 * Folds a story. Stories may leave out how their tasks were added, how attempts started and how branches got into the
 * merge queue; this is filled in.
 */
export function recordsOf(
  events: readonly Event[],
  records: MemoryRecords = new MemoryRecords(),
): MemoryRecords {
  for (const event of events) {
    if ('run' in event && event.type !== 'run-started' && records.run(event.run) === undefined) {
      records.putRun(aRun({ id: event.run, startedAt: event.at }));
    }
    if (event.type === 'candidate-built') queue(records, event);
    const isMissing =
      'attempt' in event &&
      event.type !== 'attempt-started' &&
      records.attempt(event.id, event.attempt) === undefined;
    if (isMissing) {
      records.putAttempt(newAttempt(event, event.at));
    }
    fold(records, event);
  }
  return records;
}

function queue(records: MemoryRecords, event: Extract<Event, { type: 'candidate-built' }>): void {
  const run = records.run(event.run);
  if (run !== undefined) records.putRun({ ...run, target: { ...run.target, tip: event.parent } });
  for (const { id, attempt: number, commit } of event.entries) {
    const state = { id: 'queued', commit, tree: 't', since: event.at } as const;
    const known = records.task(id);
    const attempt = anAttempt(state, { number, run: event.run });
    records.putTask({
      ...aRecord(id),
      ...known,
      status: { id: 'open' },
      attempts: number,
      attempt: known?.attempt?.number === number ? { ...known.attempt, state } : attempt,
    });
  }
}

export function attemptsIn(events: readonly Event[], run?: string): AttemptRecord[] {
  const all = [...recordsOf(events).attempts.values()];
  return run === undefined ? all : all.filter(({ runs }) => runs.includes(run));
}

export function stepsIn(events: readonly Event[], task: string): readonly Step[] {
  return recordsOf(events).steps.get(task) ?? [];
}

/** What a summary of the story's newest run is made of. */
export function sourceOf(
  events: readonly Event[],
  run?: RunRecord,
  tasks: readonly TaskRecord[] = [],
  flakes: SummarySource['flakes'] = [],
): SummarySource {
  const records = recordsOf(events);
  const told = run ?? [...records.runs.values()].at(-1) ?? aRun();
  const attempts = [...records.attempts.values()].filter(({ runs }) => runs.includes(told.id));
  const history = records.runHistory(told.id);
  const changes = [history, ...attempts].map((one) => one?.changedAt ?? told.startedAt);
  const log = `/repo/.git/yardmaster/runs/${told.id}`;
  return {
    run: told,
    hasDied: false,
    until: endOf(told) ?? Math.max(told.startedAt, ...changes),
    history,
    attempts,
    tasks,
    runs: [],
    flakes,
    log,
  };
}

/** The drawing of the story's newest run, or of `run`. */
export function drawnRun(events: readonly Event[], run?: RunRecord): Drawing {
  const source = sourceOf(events, run);
  return runDrawing(source.attempts, source.run);
}
