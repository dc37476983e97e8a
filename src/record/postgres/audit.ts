import { fold } from '../../plan/fold.ts';
import { columnDifferences, differences, shorten, taskColumns } from '../audit.ts';
import type { Row } from '../driver.ts';
import { MemoryRecords } from '../memory-records.ts';
import { runRecordOf, taskRecordOf } from '../stored.ts';
import {
  attemptRecordFrom,
  queueStepFrom,
  runHistoryFrom,
  stepFrom,
  verdictFrom,
} from '../stored-events.ts';
import { eventOf } from '../tables.ts';
import type { Session } from './session.ts';
import { claimOf, ownColumns } from './tables.ts';

/** Everything in the store, in the order of the names below. */
const TABLES = {
  events: 'SELECT seq, at, version, body FROM event ORDER BY seq',
  tasks: 'SELECT * FROM task ORDER BY ord',
  edges: 'SELECT parent, child FROM edge',
  runs: 'SELECT id, record FROM run',
  verdicts: 'SELECT tree, gate, body FROM verdict',
  claims: 'SELECT task AS id, run, fence, lease_until FROM claim',
  attempts: 'SELECT record FROM attempt',
  runHistories: 'SELECT run, record FROM run_history',
  steps: 'SELECT task AS key, body FROM step ORDER BY id',
  queueSteps: 'SELECT run AS key, body FROM queue_step ORDER BY id',
};

/** Folds the whole log again and lists differences to the tables. */
export async function auditTables(session: Session): Promise<readonly string[]> {
  const found = await readTables(session);
  const byLog = new MemoryRecords();
  for (const row of found.events) fold(byLog, eventOf(row));
  const verdicts = new Map(found.verdicts.map((row) => [`${row.tree} ${row.gate}`, row.body]));
  const steps = grouped(found.steps);
  const queueSteps = grouped(found.queueSteps);
  return shorten([
    ...differences(byLog, {
      tasks: found.tasks.map(taskRecordOf),
      runs: found.runs.map(runRecordOf),
      verdict: (tree, gate) => {
        const body = verdicts.get(`${tree} ${gate}`);
        return body === undefined ? undefined : verdictFrom(body);
      },
      claims: found.claims.map(claimOf),
      attempts: found.attempts.map(({ record }) => attemptRecordFrom(record)),
      runHistories: found.runHistories.map(({ run, record }) =>
        runHistoryFrom(String(run), record),
      ),
      steps: (task) => (steps.get(task) ?? []).map(stepFrom),
      queueSteps: (run) => (queueSteps.get(run) ?? []).map(queueStepFrom),
    }),
    ...columnDifferences(found.tasks, found.edges, (record) => ({
      ...taskColumns(record),
      ...ownColumns(record),
    })),
  ]);
}

async function readTables(session: Session) {
  const begin = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';
  const [, ...answers] = await session.batch([begin, ...Object.values(TABLES), 'COMMIT']);
  const names = Object.keys(TABLES);
  return Object.fromEntries(names.map((name, at) => [name, answers[at] ?? []])) as Record<
    keyof typeof TABLES,
    readonly Row[]
  >;
}

function grouped(rows: readonly Row[]): ReadonlyMap<string, readonly unknown[]> {
  const lists = new Map<string, unknown[]>();
  for (const { key, body } of rows) {
    const list = lists.get(String(key));
    if (list === undefined) lists.set(String(key), [body]);
    else list.push(body);
  }
  return lists;
}
