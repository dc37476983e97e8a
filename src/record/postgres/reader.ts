import { type Event, isNoteEvent } from '../../model/event.ts';
import { ok, type Result } from '../../model/failure.ts';
import type { AttemptRecord, RunHistory, Step } from '../../model/history.ts';
import { limits } from '../../model/limits.ts';
import { type Note, notesOf } from '../../model/note.ts';
import type { QueueStep } from '../../model/queue-history.ts';
import type { RunId } from '../../model/run.ts';
import type { LeasedRun } from '../../model/run-record.ts';
import type { PostgresAddress } from '../../model/store-address.ts';
import type { TaskId } from '../../model/task.ts';
import type { TaskRecord, TaskState } from '../../model/task-record.ts';
import type { Verdict } from '../../model/verdict.ts';
import type {
  AttemptFilter,
  Choose,
  EventFilter,
  Flake,
  Holder,
  IdKind,
  StatusRecords,
} from '../../port/store.ts';
import type { Row } from '../driver.ts';
import { taskRecordOf } from '../stored.ts';
import {
  attemptRecordFrom,
  queueStepFrom,
  runHistoryFrom,
  stepFrom,
  verdictFrom,
} from '../stored-events.ts';
import { eventOf } from '../tables.ts';
import { auditTables } from './audit.ts';
import type { Connection } from './connection.ts';
import { holderOf, leasedRun, queries } from './queries.ts';
import type { Call, Session } from './session.ts';
import { readIds, readStatus } from './status.ts';

/** Name of the channel on which a store announces the number of its newest event. */
export const channelOf = ({ schema }: PostgresAddress): string => `yardmaster_${schema}`;

/** The methods of a store that change nothing. */
export class Reader {
  protected readonly connection: Connection;
  /** Set while a session listens: the number of the newest event. */
  #heard: { readonly on: Session; seq: number } | undefined;
  #asked = 0;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  holder(name: string): Promise<Result<Holder | undefined>> {
    return this.#read([queries.holder, name], (rows) => holderOf(name, rows));
  }

  async events(filter: EventFilter): Promise<Result<readonly Event[]>> {
    const { after = 0, run, limit = Number.MAX_SAFE_INTEGER } = filter;
    const events: Event[] = [];
    // In pages, so that a long log is not held in memory twice.
    for (let last = after; events.length < limit; ) {
      const size = Math.min(limits.eventPage, limit - events.length);
      const page = await this.#read<readonly Event[]>(
        run === undefined ? [queries.events, last, size] : [queries.events_of_run, last, size, run],
        (rows) => rows.map(eventOf),
      );
      if (!page.ok) return page;
      events.push(...page.value);
      if (page.value.length < size) break;
      last = events.at(-1)?.seq ?? last;
    }
    return ok(events);
  }

  /** After the first question the database tells every new number by itself, so that waiting needs no queries. */
  lastSeq(): Promise<Result<number>> {
    return this.connection.use(async (session) => {
      this.#asked += 1;
      if (this.#heard?.on === session) return ok(this.#heard.seq);
      if (this.#asked > 1) {
        const heard = { on: session, seq: 0 };
        const channel = channelOf(this.connection.address);
        session.onNotification((name, payload) => {
          if (name === channel) heard.seq = Math.max(heard.seq, Number(payload));
        });
        await session.batch([`LISTEN ${channel}`]);
        this.#heard = heard;
      }
      const [[row] = []] = await session.batch([[queries.last_seq]]);
      const seq = Number(row?.seq ?? 0);
      this.tell(seq);
      return ok(seq);
    });
  }

  protected tell(seq: number): void {
    if (this.#heard !== undefined) this.#heard.seq = Math.max(this.#heard.seq, seq);
  }

  task(id: TaskId): Promise<Result<TaskRecord | undefined>> {
    return this.#read([queries.task, id], ([row]) => row && taskRecordOf(row));
  }

  tasks(states?: readonly TaskState[]): Promise<Result<readonly TaskRecord[]>> {
    const call: Call = states === undefined ? [queries.tasks] : [queries.tasks_in, states];
    return this.#read(call, (rows) => rows.map(taskRecordOf));
  }

  live(): Promise<Result<readonly TaskRecord[]>> {
    return this.#read([queries.live], (rows) => rows.map(taskRecordOf));
  }

  ids(what: IdKind, most?: number): Promise<Result<readonly string[]>> {
    return this.connection.use(async (session) => ok(await readIds(session, what, most)));
  }

  status(choose?: Choose): Promise<Result<StatusRecords>> {
    return this.connection.use(async (session) => ok(await readStatus(session, choose)));
  }

  run(id: RunId): Promise<Result<LeasedRun | undefined>> {
    return this.#read([queries.run, id], ([row]) => row && leasedRun(row));
  }

  runs(limit: number): Promise<Result<readonly LeasedRun[]>> {
    return this.#read([queries.runs, limit], (rows) => rows.map(leasedRun));
  }

  verdict(tree: string, gate: string): Promise<Result<Verdict | undefined>> {
    return this.#read([queries.verdict, tree, gate], ([row]) => row && verdictFrom(row.body));
  }

  attempts(filter: AttemptFilter): Promise<Result<readonly AttemptRecord[]>> {
    const call = (): Call => {
      if ('task' in filter) return [queries.attempts_of_task, filter.task];
      if ('run' in filter) return [queries.attempts_of_run, filter.run];
      if ('live' in filter) return [queries.live_attempts];
      return [queries.newest_attempts, 'newest' in filter ? filter.newest : null];
    };
    return this.#read(call(), (rows) => rows.map(({ record }) => attemptRecordFrom(record)));
  }

  steps(task: TaskId): Promise<Result<readonly Step[]>> {
    return this.#read([queries.steps, task], (rows) => rows.map(({ body }) => stepFrom(body)));
  }

  runHistory(run: RunId): Promise<Result<RunHistory | undefined>> {
    return this.#read(
      [queries.run_history, run],
      ([row]) => row && runHistoryFrom(run, row.record),
    );
  }

  queueSteps(run: RunId): Promise<Result<readonly QueueStep[]>> {
    const call: Call = [queries.queue_steps, run];
    return this.#read(call, (rows) => rows.map(({ body }) => queueStepFrom(body)));
  }

  flakes(since: number): Promise<Result<readonly Flake[]>> {
    return this.#read([queries.flakes, since], (rows) =>
      rows
        .map(eventOf)
        .flatMap((event) =>
          event.type === 'check-flaked'
            ? [{ command: String(event.command), at: event.at, seq: event.seq }]
            : [],
        ),
    );
  }

  notes(until = Number.MAX_SAFE_INTEGER): Promise<Result<readonly Note[]>> {
    return this.#read([queries.notes, until], (rows) =>
      notesOf(rows.map(eventOf).filter(isNoteEvent)),
    );
  }

  audit(): Promise<Result<readonly string[]>> {
    return this.connection.use(async (session) => ok(await auditTables(session)));
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  #read<T>(call: Call, read: (rows: readonly Row[]) => T): Promise<Result<T>> {
    return this.connection.use(async (session) => {
      const [rows = []] = await session.batch([call]);
      return ok(read(rows));
    });
  }
}
