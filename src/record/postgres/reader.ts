import { type Event, isNoteEvent } from '../../model/event.ts';
import { ok, type Result } from '../../model/failure.ts';
import type { AttemptRecord, RunHistory, Step } from '../../model/history.ts';
import { limits } from '../../model/limits.ts';
import { type Note, notesOf } from '../../model/note.ts';
import type { QueueStep } from '../../model/queue-history.ts';
import type { RunId } from '../../model/run.ts';
import type { LeasedRun, RunRecord } from '../../model/run-record.ts';
import type { PostgresAddress } from '../../model/store-address.ts';
import type { TaskId } from '../../model/task.ts';
import {
  type StateCounts,
  type TaskRecord,
  type TaskState,
  unfinishedIn,
} from '../../model/task-record.ts';
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
import { countedScope, originTexts, scopedIds, scopeSigns } from '../../task/scope.ts';
import type { Row } from '../driver.ts';
import { idsOutside, newest, troubledStates, withHeldUp } from '../status.ts';
import { scopedTaskOf, taskRecordOf } from '../stored.ts';
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
import type { Parameter } from './literal.ts';
import { holderOf, leasedRun, queries, RUN } from './queries.ts';
import { type Call, type Session, statements } from './session.ts';

/** All tasks, or those of the first list, without those of the second. */
const AMONG = '($1::text[] IS NULL OR id = ANY ($1::text[])) AND id <> ALL ($2::text[])';

const sql = statements('status', {
  /** The newest run, followed by the others that have not ended. */
  runs: `${RUN} WHERE ended_at IS NULL
      OR run.id = (SELECT id FROM run ORDER BY started_at DESC, number DESC LIMIT 1)
    ORDER BY started_at DESC, number DESC LIMIT $1::bigint`,
  active: `SELECT id, record, task FROM task WHERE live = 1 OR state = 'comparing' ORDER BY ord`,
  seq: 'SELECT max(seq) AS seq FROM event',
  counts: `SELECT state, count(*) AS number FROM task WHERE counted = 1 AND ${AMONG} GROUP BY state`,
  /** Open tasks behind a stuck one, which need not be listed itself. */
  held_up: `WITH RECURSIVE held_up (id) AS (
      SELECT child.id FROM task JOIN edge ON edge.parent = task.id JOIN task AS child ON child.id = edge.child
      WHERE task.stuck = 1 AND child.state = 'open'
      UNION
      SELECT child.id FROM held_up JOIN edge ON edge.parent = held_up.id JOIN task AS child ON child.id = edge.child
      WHERE child.state = 'open')
    SELECT count(*) AS number FROM held_up JOIN task USING (id) WHERE counted = 1 AND ${AMONG}`,
  blocked: `SELECT cause, count(*) AS number FROM task
    WHERE state = 'blocked' AND counted = 1 AND ${AMONG} GROUP BY cause ORDER BY cause COLLATE "C"`,
  troubled: `SELECT id, record, task FROM task WHERE state = ANY ($1::text[]) AND variant = 0
    ORDER BY ord LIMIT $2::bigint`,
  /** Fields that a scope reads, of tasks with one of the ids or, in their JSON, one of the texts. */
  scoped: `SELECT id, json_strip_nulls(json_build_object('id', id, 'type', task::json -> 'type', 'labels',
      task::json -> 'labels', 'parent', task::json -> 'parent', 'variantOf', task::json -> 'variantOf'))::text AS scoped
    FROM task WHERE id = ANY ($1::text[])
      OR EXISTS (SELECT 1 FROM unnest($2::text[]) AS sign WHERE strpos(task, sign) > 0)
    ORDER BY ord`,
  task_ids: 'SELECT id FROM task ORDER BY ord LIMIT $1::bigint',
  run_ids: 'SELECT id FROM run ORDER BY started_at DESC, number DESC LIMIT $1::bigint',
});

/** Returns ids of tasks in order of arrival, or of runs, newest first. */
async function readIds(session: Session, what: IdKind, most?: number): Promise<readonly string[]> {
  const statement = what === 'tasks' ? sql.task_ids : sql.run_ids;
  const [rows = []] = await session.batch([[statement, most ?? null]]);
  return rows.map(({ id }) => String(id));
}

/** Reads a short status of one moment, in two round trips; in three for a run with a scope. */
async function readStatus(session: Session, choose: Choose = newest): Promise<StatusRecords> {
  const [, runRows = [], activeRows = [], [last] = []] = await session.batch([
    'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
    [sql.runs, limits.runsListed],
    [sql.active],
    [sql.seq],
  ]);
  const active = activeRows.map(taskRecordOf);
  const run = choose(runRows.map(leasedRun), active);
  const scoped = await countedIn(session, run);
  const ids = scoped?.ids ?? [];
  const among: readonly Parameter[] = scoped?.are === 'inside' ? [ids, []] : [null, ids];
  const [allRows = [], countRows = [], [heldUp] = [], blockedRows = [], troubled = []] =
    await session.batch([
      [sql.counts, null, []],
      [sql.counts, ...among],
      [sql.held_up, ...among],
      [sql.blocked, ...among],
      [sql.troubled, troubledStates, limits.troubledShown],
      'COMMIT',
    ]);
  const counts = withHeldUp(countsOf(countRows), Number(heldUp?.number ?? 0));
  return {
    counts,
    blocked: blockedBy(counts, blockedRows),
    outside: unfinishedIn(Object.fromEntries(countsOf(allRows))) - unfinishedIn(counts),
    activeOutside: idsOutside(scoped, active),
    run,
    active,
    troubled: troubled.map(taskRecordOf),
    lastSeq: Number(last?.seq ?? 0),
  };
}

/** Tasks that the counts cover; undefined stands for all. */
async function countedIn(session: Session, run: RunRecord | undefined) {
  const scope = countedScope(run);
  if (scope === undefined) return undefined;
  const { ids, texts } = scopeSigns(scope);
  const [rows = []] = await session.batch([[sql.scoped, ids, [...originTexts, ...texts]]]);
  return scopedIds(scope, rows.map(scopedTaskOf));
}

function countsOf(rows: readonly Row[]): Map<TaskState, number> {
  return new Map(rows.map(({ state, number }) => [state as TaskState, Number(number)]));
}

function blockedBy(counts: StateCounts, rows: readonly Row[]): StatusRecords['blocked'] {
  const own = rows.map(({ cause, number }) => [String(cause), Number(number)] as const);
  const heldUp = own.reduce((left, [, count]) => left - count, counts.blocked ?? 0);
  return heldUp > 0 ? [...own, ['parent-stuck', heldUp]] : own;
}

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
