import type { RunId } from '../model/run.ts';
import type { TaskId } from '../model/task.ts';
import type { Claim, Claims } from './ledger.ts';
import type { Tables } from './tables.ts';
import { BadRow } from './trouble.ts';

/** Claims as rows of the store. The caller opens transactions. */
export class ClaimTable implements Claims {
  readonly #tables: Tables;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  of(task: TaskId): Claim | undefined {
    const row = this.#tables
      .sql('SELECT run, fence, lease_until FROM claim WHERE task = ?')
      .get(task);
    if (row === undefined) return undefined;
    return {
      task,
      run: String(row.run),
      fence: Number(row.fence),
      leaseUntil: Number(row.lease_until),
    };
  }

  put({ task, run, fence, leaseUntil }: Claim): void {
    this.#tables
      .sql('INSERT OR REPLACE INTO claim (task, run, fence, lease_until) VALUES (?, ?, ?, ?)')
      .run(task, run, fence, leaseUntil);
  }

  drop(task: TaskId): void {
    this.#tables.sql('DELETE FROM claim WHERE task = ?').run(task);
  }

  nextFence(): number {
    const text = "UPDATE meta SET value = value + 1 WHERE name = 'fence' RETURNING value";
    const value = this.#tables.sql(text).get()?.value;
    if (typeof value !== 'number') throw new BadRow('The counter of claims is missing');
    return value;
  }

  /** Never shortens a claim. */
  renew(run: RunId, leaseUntil: number): void {
    this.#tables
      .sql('UPDATE claim SET lease_until = max(lease_until, ?) WHERE run = ?')
      .run(leaseUntil, run);
  }

  all(): readonly Claim[] {
    return this.#tables
      .sql('SELECT task FROM claim ORDER BY task')
      .all()
      .map((row) => this.of(String(row.task)))
      .filter((claim) => claim !== undefined);
  }
}
