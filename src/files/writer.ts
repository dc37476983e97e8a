import { dirname, join } from 'node:path';
import { partIn } from '../history/attempt-history.ts';
import { modelOf, plannerCalls, RunTotals, spendOf, withPlanner } from '../history/totals.ts';
import type { TaskBatch } from '../model/batch.ts';
import { type Event, runOf } from '../model/event.ts';
import { unwritable } from '../model/failure.ts';
import { type AttemptRecord, endedAt, gateRunsIn, type RunHistory } from '../model/history.ts';
import type { Records } from '../model/records.ts';
import type { RunId } from '../model/run.ts';
import { endOf, type RunRecord, stopOf } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { Trouble } from '../model/trouble.ts';
import { visibleJson } from '../model/visible.ts';
import { writeWhole } from '../process/whole-file.ts';
import { attemptFolder, batchFileName } from './layout.ts';
import {
  type AttemptFile,
  type BatchFile,
  fileSchema,
  type ManifestFile,
  type RunFile,
  type SlotSummary,
} from './run-file.ts';

interface RunFilesOptions {
  /** Parent of the run folders. */
  readonly dir: string;
  readonly now: () => number;
  /** Attempts of resumed runs: they are counted, and nothing is written for them. */
  readonly past?: readonly AttemptRecord[];
}

export interface RunFiles {
  /** Queues the files that an event changes. `records` include the event. Never waits and never throws. */
  on(event: Event, records: Records): void;
  /** Writes what is queued, and once more what could not be written. Returns the first error of a file that is still old. */
  flush(): Promise<void>;
}

/**
 * Keeps the files of runs up to date with the records. They are copies for people: if one cannot be written the run
 * continues, and `flush` reports it.
 */
export function runFiles({ dir, now, past = [] }: RunFilesOptions): RunFiles {
  const sums = new Sums();
  for (const attempt of past) for (const run of attempt.runs) sums.count(run, attempt);
  const pages = new Pages();
  /** The newest batch of each run that was written. */
  const batches = new Map<RunId, number>();
  const on = (event: Event, records: Records): void => {
    const run = records.run(runOf(event) ?? '');
    if (run === undefined) return;
    const folder = join(dir, run.id);
    for (const attempt of changedBy(event, records)) {
      sums.count(run.id, attempt);
      const page = attemptPage(attempt, records.task(attempt.task));
      pages.put(join(folder, attemptFolder(attempt.task, attempt.number), 'attempt.json'), page);
    }
    const totals = sums.of(run.id);
    pages.put(join(folder, 'run.json'), runPage(run, records.runHistory(run.id), totals, now()));
    pages.put(join(folder, 'manifest.json'), manifestPage(run, totals));
    const batch = run.batches?.current;
    if (batch === undefined || batches.get(run.id) === batch.number) return;
    batches.set(run.id, batch.number);
    pages.put(join(folder, batchFileName(batch.number)), batchPage(run.id, batch));
  };
  return { on, flush: () => pages.flush() };
}

/** Sums of each run over its attempts. */
class Sums {
  readonly #runs = new Map<RunId, RunTotals>();
  readonly #counted = new Map<string, AttemptRecord>();

  of(run: RunId): RunTotals {
    const known = this.#runs.get(run) ?? new RunTotals();
    this.#runs.set(run, known);
    return known;
  }

  count(run: RunId, attempt: AttemptRecord): void {
    const key = `${run} ${attempt.task} ${attempt.number}`;
    const part = partIn(attempt, run);
    this.of(run).replace(this.#counted.get(key), part);
    this.#counted.set(key, part);
  }
}

/** Attempts that an event changed. `records` include the event. */
export function changedBy(event: Event, records: Records): readonly AttemptRecord[] {
  const entries = 'entries' in event ? event.entries : 'attempt' in event ? [event] : [];
  return entries.flatMap(({ id, attempt }) => records.attempt(id, attempt) ?? []);
}

function runPage(
  run: RunRecord,
  history: RunHistory | undefined,
  totals: RunTotals,
  now: number,
): RunFile {
  const { settings } = run;
  return {
    schema: fileSchema,
    id: run.id,
    startedAt: run.startedAt,
    lastUpdatedAt: now,
    endedAt: endOf(run),
    jobs: settings.jobs,
    target: settings.target,
    base: run.base,
    agent: settings.agent,
    scope: settings.scope,
    starts: run.spent.starts,
    landed: run.train.landed,
    spend: withPlanner(totals.spend(), plannerCalls(run)),
    ...totals.incidents(history, endOf(run) ?? now),
    ...pausesOf(run),
    gateRuns: gateRunsIn(history),
    verified: run.target.verified,
    stop: stopOf(run),
  };
}

function batchPage(run: RunId, batch: TaskBatch): BatchFile {
  const { number, at: createdAt, after } = batch;
  const of = { schema: fileSchema, run, number, createdAt, after } as const;
  switch (batch.source) {
    case 'agent':
      return { ...of, source: 'agent', tasks: batch.ids };
    case 'planner':
      return {
        ...of,
        source: 'planner',
        tasks: batch.ids,
        plannerTokens: batch.tokens,
      };
    case 'skipped': {
      const { reason, failure } = batch;
      return { ...of, source: 'skipped', reason, failure };
    }
  }
}

function pausesOf({ accounts: { paused } }: RunRecord): Pick<RunFile, 'paused'> {
  const accounts = Object.entries(paused).map(([account, { until, failure }]) => [
    account,
    until === undefined ? { failure } : { until, failure },
  ]);
  return accounts.length === 0 ? {} : { paused: Object.fromEntries(accounts) };
}

function manifestPage(run: RunRecord, totals: RunTotals): ManifestFile {
  return {
    schema: fileSchema,
    run: run.id,
    jobs: run.settings.jobs,
    startedAt: run.startedAt,
    completedAt: endOf(run),
    slots: run.slots.map((_, index) => slotSummary(run, totals, index)),
  };
}

function slotSummary(run: RunRecord, totals: RunTotals, index: number): SlotSummary {
  const slot = index + 1;
  const { attempts, landed, delivered, failed, busyMs: ms } = totals.slot(slot);
  const errors = run.slots[index]?.errors ?? 0;
  const stop = errors >= run.settings.slotErrors ? 'slot-errors' : stopOf(run)?.reason;
  // For a slot, a delivery counts like a landing.
  return { slot, attempts, landed: landed + delivered, failed, ms, stop };
}

function attemptPage(record: AttemptRecord, task: TaskRecord | undefined): AttemptFile {
  const { turns, end } = record;
  const state = task?.attempt?.number === record.number ? task.attempt : undefined;
  const last = turns.at(-1);
  const failure = state !== undefined && 'failure' in state.state ? state.state.failure : undefined;
  return {
    schema: fileSchema,
    task: record.task,
    attempt: record.number,
    run: record.runs.at(-1) ?? '',
    slot: record.slot,
    agent: record.agent,
    branch: record.branch,
    base: record.base,
    commit: record.captures.at(-1)?.commit,
    startedAt: record.startedAt,
    endedAt: endedAt(record),
    turns: turns.length,
    model: last === undefined ? undefined : (modelOf(last) ?? undefined),
    reasoning: state?.conversation.reasoning,
    session: state?.conversation.session?.id,
    spend: spendOf(record),
    coClaims: state?.coClaims.length ? state.coClaims : undefined,
    outcome: end.id === 'live' || end.id === 'giving-up' ? 'unfinished' : end.id,
    failure,
  };
}

/** Files waiting to be written. Only the newest content of each is written. */
export class Pages {
  readonly #waiting = new Map<string, object>();
  readonly #failed = new Map<string, { readonly page: object; readonly error: unknown }>();
  #writing: Promise<void> | undefined;

  put(file: string, page: object): void {
    this.#waiting.set(file, page);
    this.#writing ??= this.#drain();
  }

  async flush(): Promise<void> {
    await this.#writing;
    // The cause may be gone by now, such as a full disk.
    for (const [file, { page }] of this.#failed) this.put(file, page);
    await this.#writing;
    const [first] = this.#failed;
    this.#failed.clear();
    if (first !== undefined) throw new Trouble(unwritable(dirname(first[0]), first[1].error));
  }

  async #drain(): Promise<void> {
    // Collects everything that the current tick queues.
    await Promise.resolve();
    for (;;) {
      const [next] = this.#waiting;
      if (next === undefined) break;
      const [file, page] = next;
      this.#waiting.delete(file);
      this.#failed.delete(file);
      try {
        await writeWhole(file, `${visibleJson(JSON.stringify(page, undefined, 2))}\n`, {
          secret: true,
        });
      } catch (error) {
        this.#failed.set(file, { page, error });
      }
    }
    this.#writing = undefined;
  }
}
