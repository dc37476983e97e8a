import { runNamed } from '../app/lookup.ts';
import { readSummary } from '../app/summary.ts';
import { usage } from '../model/failure.ts';
import { summaryText } from '../report/summary/text.ts';
import { withStore } from './open.ts';
import type { Call } from './parse.ts';
import { print } from './screen.ts';

export function run(call: Call): Promise<number> {
  return withStore(call, 'read', async (opened) => {
    const { store } = opened;
    const run = await runNamed(store, call.args[0]);
    if (!run.ok) return run;
    if (run.value === undefined) return usage('there is no run yet', 'Start one with `ym run`.');
    const tasks = await store.tasks();
    if (!tasks.ok) return tasks;
    const summary = await readSummary(opened, run.value, tasks.value);
    if (!summary.ok) return summary;
    return print(call, summary.value, ({ style, width }) =>
      summaryText(summary.value, style, width),
    );
  });
}
