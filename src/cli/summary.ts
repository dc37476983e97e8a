import { recentFlakes } from '../app/flakes.ts';
import { runNamed } from '../app/lookup.ts';
import { ok, type Result, usage } from '../model/failure.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import type { Store } from '../port/store.ts';
import { type Summary, summaryOf } from '../report/summary/summary.ts';
import { summaryText } from '../report/summary/text.ts';
import { withStore } from './open.ts';
import type { Call } from './parse.ts';
import { print } from './screen.ts';

export function run(call: Call): Promise<number> {
  return withStore(call, 'read', async ({ store }) => {
    const run = await runNamed(store, call.args[0]);
    if (!run.ok) return run;
    if (run.value === undefined) return usage('there is no run yet', 'Start one with `ym run`.');
    const tasks = await store.tasks();
    if (!tasks.ok) return tasks;
    const summary = await readSummary(store, run.value, tasks.value);
    if (!summary.ok) return summary;
    return print(call, summary.value, ({ style, width }) =>
      summaryText(summary.value, style, width),
    );
  });
}

export async function readSummary(
  store: Store,
  run: RunRecord,
  tasks: readonly TaskRecord[],
): Promise<Result<Summary>> {
  const attempts = await store.attempts({ run: run.id });
  if (!attempts.ok) return attempts;
  const history = await store.runHistory(run.id);
  if (!history.ok) return history;
  const flakes = await recentFlakes(store, Date.now());
  if (!flakes.ok) return flakes;
  return ok(
    summaryOf({
      run,
      tasks,
      attempts: attempts.value,
      history: history.value,
      flakes: flakes.value,
    }),
  );
}
