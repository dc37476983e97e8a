import { listRuns } from '../app/runs.ts';
import { runsSchema, runsText } from '../report/run/runs.ts';
import { withStore } from './open.ts';
import type { Call } from './parse.ts';
import { clockOffset, print } from './screen.ts';

export function run(call: Call): Promise<number> {
  return withStore(call, 'read', async (opened) => {
    const runs = await listRuns(opened, { all: call.options.flag('all') });
    if (!runs.ok) return runs;
    return print(call, { schema: runsSchema, runs: runs.value }, ({ style, width }) =>
      runsText(runs.value, style, width, clockOffset(), opened.clock.now()),
    );
  });
}
