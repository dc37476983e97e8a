import { stopRuns } from '../app/runs.ts';
import { withStore } from './open.ts';
import type { Call } from './parse.ts';
import { confirm } from './screen.ts';

export function run(call: Call): Promise<number> {
  return withStore(call, 'write', async (opened) => {
    const how = call.options.flag('now') ? 'now' : 'finish';
    const asked = await stopRuns(opened, how, '`ym stop`');
    if (!asked.ok) return asked;
    const effect = how === 'now' ? 'stops its agents now' : 'starts nothing new and ends';
    return confirm(
      call,
      asked.value.map(({ id }) => `Run ${id} ${effect}.`),
    );
  });
}
