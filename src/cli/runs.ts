import { limits } from '../model/limits.ts';
import { runRows, runsSchema, runsText } from '../report/run/runs.ts';
import { elsewhereOf, isUnderWay } from '../wire/driven.ts';
import { withStore } from './open.ts';
import type { Call } from './parse.ts';
import { clockOffset, print } from './screen.ts';

export function run(call: Call): Promise<number> {
  return withStore(call, 'read', async ({ store }) => {
    const runs = await store.runs(call.options.flag('all') ? limits.runsNamed : limits.runsListed);
    if (!runs.ok) return runs;
    const tasks = await store.tasks();
    if (!tasks.ok) return tasks;
    const now = Date.now();
    const rows = runRows(runs.value, tasks.value, { isUnderWay, elsewhereOf }, now);
    return print(call, { schema: runsSchema, runs: rows }, ({ style, width }) =>
      runsText(rows, style, width, clockOffset(), now),
    );
  });
}
