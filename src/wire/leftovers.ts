import type { Result } from '../model/failure.ts';
import { supervisor } from '../process/supervisor.ts';
import type { Store } from '../record/store.ts';
import { type Leftover, leftovers, type Pruned, prune } from '../worktree/prune.ts';
import { runsWithWork } from './old-files.ts';
import type { Project } from './project.ts';

export type { Leftover, Pruned };

/** What ended runs of this project left over. A run that may still be resumed counts as alive. */
export async function findLeftovers(
  project: Project,
  store: Store,
): Promise<Result<readonly Leftover[]>> {
  const { git, stateDir, id } = project;
  const held = await runsWithWork(store);
  if (!held.ok) return held;
  const processes = supervisor();
  const isAlive = async (run: string): Promise<boolean | undefined> => {
    const record = await store.run(run);
    // A run that the store does not know, or cannot tell of, is not ours to clean up.
    if (!record.ok || record.value === undefined) return undefined;
    if (held.value.has(run)) return true;
    return record.value.endedAt === undefined && processes.isAlive(record.value.owner);
  };
  return leftovers({ git, stateDir, project: id, isAlive });
}

/** `discard` also drops refs that alone hold some work. */
export function removeLeftovers(
  { git, stateDir, id }: Project,
  list: readonly Leftover[],
  discard = false,
): Promise<Pruned> {
  return prune({ git, stateDir, project: id, discard }, list);
}
