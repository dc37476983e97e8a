import type { LogRow } from '../../port/store-copy.ts';
import { CopiedLog } from '../copied-changes.ts';
import { queries } from './queries.ts';
import type { Session } from './session.ts';
import { writing } from './tables.ts';

/** Fewer than in SQLite: all rows of a page travel as one text. */
export const pageRows = 1_000;

const FOLDED = 'task, edge, run, verdict, attempt, attempt_run, step, queue_step, run_history';

/** Events after a number, as they are stored. */
export async function logPage(session: Session, after: number): Promise<readonly LogRow[]> {
  const [rows = []] = await session.batch([[queries.events, after, pageRows]]);
  return rows.map(({ seq, at, version, body }) => {
    return { seq: Number(seq), at: Number(at), version: Number(version), body: String(body) };
  });
}

/** Folds the whole log again, into empty tables. The caller opens the transaction and holds the lock of all writers. */
export async function refold(session: Session): Promise<void> {
  const log = new CopiedLog();
  for (let last = 0; ; ) {
    const page = await logPage(session, last);
    if (page.length === 0) break;
    for (const row of page) log.add(row);
    last = page.at(-1)?.seq ?? last;
  }
  await session.batch([`TRUNCATE ${FOLDED}`]);
  for (const part of log.parts(pageRows)) await session.batch(writing(part));
}
