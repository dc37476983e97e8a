import { fail, ok } from '../model/failure.ts';
import { withStore } from './open.ts';
import type { Call } from './parse.ts';
import { screenOf } from './screen.ts';

export function run(call: Call): Promise<number> {
  return withStore(call, 'write', async ({ store }) => {
    const runs = await store.runs(10);
    if (!runs.ok) return runs;
    const open = runs.value.filter((run) => run.endedAt === undefined);
    if (open.length === 0) {
      const problem = 'no run is under way here';
      return fail({ kind: 'usage', problem, remedy: 'See `ym status` for the newest run.' });
    }
    const how = call.options.flag('now') ? 'now' : 'finish';
    const events = open.map(
      ({ id }) => ({ type: 'stop-asked', run: id, how, by: '`ym stop`' }) as const,
    );
    const asked = await store.append(Date.now(), events);
    if (!asked.ok) return asked;
    const says = how === 'now' ? 'ends its agents now' : 'starts nothing new and ends';
    if (!call.global.quiet) screenOf(call).lines(open.map(({ id }) => `Run ${id} ${says}.`));
    return ok(0);
  });
}
