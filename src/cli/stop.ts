import { type Result, usage } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { RunRecord } from '../model/run-record.ts';
import { isUnderWay } from '../wire/driven.ts';
import { withStore } from './open.ts';
import type { Call } from './parse.ts';
import { confirm } from './screen.ts';

export function run(call: Call): Promise<number> {
  return withStore(call, 'write', async ({ store }) => {
    const runs = await store.runs(limits.runsListed);
    if (!runs.ok) return runs;
    const open = runs.value.filter(isUnderWay);
    if (open.length === 0) return nothingToStop(runs.value);
    const how = call.options.flag('now') ? 'now' : 'finish';
    const events = open.map(
      ({ id }) => ({ type: 'stop-asked', run: id, how, by: '`ym stop`' }) as const,
    );
    const asked = await store.append(Date.now(), events);
    if (!asked.ok) return asked;
    const effect = how === 'now' ? 'stops its agents now' : 'starts nothing new and ends';
    return confirm(
      call,
      open.map(({ id }) => `Run ${id} ${effect}.`),
    );
  });
}

function nothingToStop(runs: readonly RunRecord[]): Result<never> {
  const left = runs.find(({ endedAt }) => endedAt === undefined);
  return left === undefined
    ? usage('no run is active here', 'See `ym status` for the newest run.')
    : usage(`the process of run ${left.id} is gone`, 'Continue the run with `ym resume`.');
}
