import { fail, ok, type Result } from '../model/failure.ts';
import type { Store } from '../record/store.ts';
import { type Summary, summaryOf } from '../report/summary/summary.ts';
import { summaryText } from '../report/summary/text.ts';
import { flakesLately } from './flakes.ts';
import { runNamed, withStore } from './open.ts';
import type { Call } from './parse.ts';
import { screenOf } from './screen.ts';

export function run(call: Call): Promise<number> {
  return withStore(call, 'read', async ({ store }) => {
    const run = await runNamed(store, call.args[0]);
    if (!run.ok) return run;
    if (run.value === undefined) {
      return fail({
        kind: 'usage',
        problem: 'there is no run yet',
        remedy: 'Start one: `ym run`.',
      });
    }
    const summary = await readSummary(store, run.value.id);
    if (!summary.ok) return summary;
    const screen = screenOf(call);
    if (call.options.flag('json')) screen.json(summary.value);
    else screen.lines(summaryText(summary.value, screen.style, screen.width));
    return ok(0);
  });
}

export async function readSummary(store: Store, id: string): Promise<Result<Summary>> {
  const run = await store.run(id);
  if (!run.ok) return run;
  const events = await store.events({ run: id });
  if (!events.ok) return events;
  const flakes = await flakesLately(store, Date.now());
  if (!flakes.ok) return flakes;
  const tasks = await store.tasks();
  if (!tasks.ok) return tasks;
  return ok(summaryOf(events.value, run.value, tasks.value, flakes.value));
}
