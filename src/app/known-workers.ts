import { fail, ok, type Result } from '../model/failure.ts';
import type { ListedWorker } from '../report/status/workers.ts';
import { activeRun } from './lookup.ts';
import type { Failures, Liveness, Opened } from './ports.ts';
import { runConfig } from './target.ts';

/** Workers that have ever joined runs of the project. */
export async function knownWorkers(
  project: Liveness & Pick<Opened, 'git' | 'root' | 'env' | 'elsewhere' | 'store'>,
): Promise<Result<readonly ListedWorker[], Failures>> {
  const config = await runConfig(project);
  if (!config.ok) return config;
  const elsewhere = await project.elsewhere(config.value.config, '');
  if (!elsewhere.ok) return fail([elsewhere.failure]);
  if (elsewhere.value === undefined) {
    const problem = 'no worker can join a run here';
    const remedy = 'Set `workers.remote` to a git repository that all machines reach.';
    return fail([{ kind: 'usage', problem, remedy }]);
  }
  const workers = await elsewhere.value.dispatch.workers();
  await elsewhere.value.dispatch.close();
  await elsewhere.value.files.close();
  if (!workers.ok) return fail([workers.failure]);
  const active = await activeRun(project);
  if (!active.ok) return fail([active.failure]);
  const run = active.value;
  return ok(
    workers.value.map((worker) =>
      run?.workers?.[worker.id]?.state === 'refused' ? { ...worker, refusedBy: run.id } : worker,
    ),
  );
}
