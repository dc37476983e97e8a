import { knownWorkers } from '../app/known-workers.ts';
import { workerLines } from '../report/status/workers.ts';
import { version } from '../wire/version.ts';
import { withStore } from './open.ts';
import type { Call } from './parse.ts';
import { print } from './screen.ts';

export function run(call: Call): Promise<number> {
  return withStore(call, 'read', async (opened) => {
    const workers = await knownWorkers(opened);
    if (!workers.ok) return workers;
    return print(call, { workers: workers.value }, ({ style, width }) => {
      const lines = workerLines(workers.value, version(), style, width);
      return lines.length > 0 ? lines : ['No worker has joined yet. Start one with `ym worker`.'];
    });
  });
}
