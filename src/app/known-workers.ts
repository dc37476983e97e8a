import { fail, type Result } from '../model/failure.ts';
import type { KnownWorker } from '../model/job.ts';
import type { Failures, Opened } from './ports.ts';
import { runConfig } from './target.ts';

/** Workers that have ever joined runs of the project. */
export async function knownWorkers(
  project: Pick<Opened, 'git' | 'root' | 'env' | 'elsewhere'>,
): Promise<Result<readonly KnownWorker[], Failures>> {
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
  return workers.ok ? workers : fail([workers.failure]);
}
