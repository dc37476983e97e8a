import { type Failure, fail, ok } from '../model/failure.ts';
import { limits } from '../plan/limits.ts';
import type { RunRecord } from '../plan/record.ts';
import { isUnderWay } from '../wire/driven.ts';
import { withStore } from './open.ts';
import type { Call } from './parse.ts';
import { screenOf } from './screen.ts';

export function run(call: Call): Promise<number> {
  return withStore(call, 'write', async ({ store }) => {
    const runs = await store.runs(limits.runsListed);
    if (!runs.ok) return runs;
    const open = runs.value.filter(isUnderWay);
    if (open.length === 0) return fail(nothingToStop(runs.value));
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

/** A run whose process is gone has nobody who would hear the wish. */
function nothingToStop(runs: readonly RunRecord[]): Failure {
  const left = runs.find(({ endedAt }) => endedAt === undefined);
  if (left === undefined) {
    const problem = 'no run is under way here';
    return { kind: 'usage', problem, remedy: 'See `ym status` for the newest run.' };
  }
  const problem = `run ${left.id} is not driven by anybody: its process is gone`;
  return { kind: 'usage', problem, remedy: 'Type `ym resume` to go on with it.' };
}
