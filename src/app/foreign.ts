import { foreignRuns } from '../foreign/open.ts';
import { ok, type Result, usage } from '../model/failure.ts';
import type { ForeignRun } from '../model/foreign-run.ts';
import { firstOf, runIn } from './lookup.ts';

/** The named run of another program below a path, or its newest. */
export async function foreignRun(
  path: string,
  name: string | undefined,
): Promise<Result<ForeignRun>> {
  const runs = await foreignRuns(path);
  if (!runs.ok) return runs;
  const run = runIn(runs.value, name, 'ym runs --from DIR');
  if (run.ok && run.value !== undefined) return ok(run.value);
  if (!run.ok && run.failure.kind !== 'unknown-run') return run;
  const known = firstOf(runs.value.map(({ id }) => id));
  return usage(`${path} contains no run "${name}"`, `It contains ${known}.`);
}

export { foreignRuns };
