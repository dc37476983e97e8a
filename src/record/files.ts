import { dirname, join } from 'node:path';
import type { Attempt } from '../model/attempt.ts';
import { type Event, runOf } from '../model/event.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import { given } from '../model/given.ts';
import type { Records } from '../model/records.ts';
import type { RunId } from '../model/run.ts';
import { endOf, type RunRecord, stopOf } from '../model/run-record.ts';
import type { TaskId } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { IncidentCount } from '../plan/incidents.ts';
import { Tally } from '../plan/tally.ts';
import { writeWhole } from '../process/whole-file.ts';
import {
  type AttemptFile,
  attemptFolder,
  fileSchema,
  type ManifestFile,
  type RunFile,
} from './run-file.ts';
import { Slots } from './slots.ts';

export interface RunFilesOptions {
  /** Parent of the run folders. */
  readonly dir: string;
  readonly now: () => number;
  /** Earlier events of resumed runs: they are counted, and nothing is written for them. */
  readonly past?: readonly Event[];
}

export interface RunFiles {
  /** Queues the files that an event changes. `records` include the event. Never waits and never throws. */
  on(event: Event, records: Records): void;
  /** Resolves when all queued files are written, with the first error since the last flush. */
  flush(): Promise<Result<void>>;
}

/**
 * Keeps the files of runs up to date with the events. They are copies for people: if one cannot be written the run
 * continues, and `flush` reports it.
 */
export function runFiles({ dir, now, past = [] }: RunFilesOptions): RunFiles {
  const slots = new Slots();
  const sums = new Sums();
  for (const event of past) {
    slots.on(event);
    sums.on(event);
  }
  const pages = new Pages();
  const on = (event: Event, records: Records): void => {
    const run = records.run(runOf(event) ?? '');
    if (run === undefined) return;
    const folder = join(dir, run.id);
    const sum = sums.on(event) ?? new RunSums();
    for (const { task, attempt } of attemptsOf(event)) {
      const file = join(folder, attemptFolder(task, attempt), 'attempt.json');
      const page = attemptPage(event, records.task(task), attempt, slots, sum.tally);
      if (page !== undefined) pages.put(file, page);
    }
    slots.on(event);
    pages.put(join(folder, 'run.json'), runPage(run, sum, now()));
    pages.put(join(folder, 'manifest.json'), manifestPage(run, slots));
  };
  return { on, flush: () => pages.flush() };
}

/** Usage and incidents of one run. */
class RunSums {
  readonly tally = new Tally();
  readonly incidents = new IncidentCount();
}

class Sums {
  readonly #runs = new Map<RunId, RunSums>();

  /** Adds an event to the sums of its run and returns them. */
  on(event: Event): RunSums | undefined {
    const run = runOf(event);
    if (run === undefined) return undefined;
    const sums = this.#runs.get(run) ?? new RunSums();
    this.#runs.set(run, sums);
    sums.tally.on(event);
    sums.incidents.on(event);
    return sums;
  }
}

function attemptsOf(event: Event): readonly { task: TaskId; attempt: number }[] {
  if ('entries' in event) return event.entries.map(({ id, attempt }) => ({ task: id, attempt }));
  return 'attempt' in event ? [{ task: event.id, attempt: event.attempt }] : [];
}

function runPage(run: RunRecord, { tally, incidents }: RunSums, now: number): RunFile {
  const { settings } = run;
  const spend = tally.spend();
  return {
    schema: fileSchema,
    id: run.id,
    startedAt: run.startedAt,
    lastUpdatedAt: now,
    ...given({ endedAt: endOf(run) }),
    jobs: settings.jobs,
    target: settings.target,
    base: run.base,
    agent: settings.agent,
    scope: settings.scope,
    starts: run.starts,
    landed: run.landed,
    ...given({ spend }),
    ...incidents.count(endOf(run) ?? now),
    ...pausesOf(run),
    gateRuns: run.gateRuns,
    ...given({ verified: run.verified, stop: stopOf(run) }),
  };
}

function pausesOf({ pausedAccounts: paused = {} }: RunRecord): Pick<RunFile, 'paused'> {
  const accounts = Object.entries(paused).map(([account, { until, failure }]) => [
    account,
    until === undefined ? { failure } : { until, failure },
  ]);
  return accounts.length === 0 ? {} : { paused: Object.fromEntries(accounts) };
}

function manifestPage(run: RunRecord, slots: Slots): ManifestFile {
  return {
    schema: fileSchema,
    run: run.id,
    jobs: run.settings.jobs,
    startedAt: run.startedAt,
    ...given({ completedAt: endOf(run) }),
    slots: slots.summary(run),
  };
}

function attemptPage(
  event: Event,
  record: TaskRecord | undefined,
  number: number,
  slots: Slots,
  tally: Tally,
): AttemptFile | undefined {
  const attempt = record?.attempt;
  if (record === undefined || attempt === undefined || attempt.number !== number) return undefined;
  const { state } = attempt;
  const occupancy = slots.occupancy(record.task.id, number);
  const slot = 'slot' in event ? event.slot : occupancy?.slot;
  const commit = event.type === 'work-captured' ? event.commit : occupancy?.commit;
  const outcome = outcomeOf(record, attempt);
  const failure = 'failure' in state ? state.failure : undefined;
  return {
    schema: fileSchema,
    task: record.task.id,
    attempt: number,
    run: attempt.run,
    slot: slot ?? ('slot' in state ? (state.slot ?? 0) : 0),
    agent: attempt.agent,
    branch: attempt.branch,
    ...given({ base: attempt.base, commit }),
    startedAt: attempt.startedAt,
    ...(outcome === 'unfinished' ? {} : { endedAt: event.at }),
    turns: attempt.turns,
    ...agentFacts(record.task.id, attempt, tally),
    outcome,
    ...given({ failure }),
  };
}

function outcomeOf({ status }: TaskRecord, { state }: Attempt): AttemptFile['outcome'] {
  if (state.id === 'planned' || state.id === 'failed') return state.id;
  if (status.id === 'delivered') return 'delivered';
  return state.id === 'landed' ? 'landed' : 'unfinished';
}

function agentFacts(
  task: TaskId,
  { number, reasoning, session, coClaims = [] }: Attempt,
  tally: Tally,
): Pick<AttemptFile, 'model' | 'reasoning' | 'session' | 'spend' | 'coClaims'> {
  const model = tally.modelOf(task, number);
  const spend = tally.ofAttempt(task, number);
  return {
    ...given({ model, reasoning, session, spend }),
    ...(coClaims.length === 0 ? {} : { coClaims }),
  };
}

/** Files waiting to be written. Only the newest content of each is written. */
class Pages {
  readonly #waiting = new Map<string, object>();
  #writing: Promise<void> | undefined;
  #trouble: Result<void> = ok(undefined);

  put(file: string, page: object): void {
    this.#waiting.set(file, page);
    this.#writing ??= this.#drain();
  }

  async flush(): Promise<Result<void>> {
    await this.#writing;
    const trouble = this.#trouble;
    this.#trouble = ok(undefined);
    return trouble;
  }

  async #drain(): Promise<void> {
    // Collects everything that the current tick queues.
    await Promise.resolve();
    for (;;) {
      const [next] = this.#waiting;
      if (next === undefined) break;
      const [file, page] = next;
      this.#waiting.delete(file);
      try {
        await writeWhole(file, `${JSON.stringify(page, undefined, 2)}\n`, { secret: true });
      } catch (error) {
        const cause = error instanceof Error ? error.message : String(error);
        const failure = { kind: 'state-unwritable', dir: dirname(file), cause } as const;
        if (this.#trouble.ok) this.#trouble = fail(failure);
      }
    }
    this.#writing = undefined;
  }
}
