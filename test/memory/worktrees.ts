import { ok, type Result } from '../../src/model/failure.ts';
import type { Git } from '../../src/port/git.ts';
import { idOf, type OwnerFiles, type OwnerRecord } from '../../src/worktree/owner.ts';
import { openPool, type Pool } from '../../src/worktree/pool.ts';

/** State on disk: it outlives the pool, so a second pool on it recovers the first. */
export type PoolDisk = Map<string, OwnerRecord>;

export interface MemoryPoolOptions {
  readonly git: Git;
  readonly run: string;
  readonly disk?: PoolDisk;
  readonly now?: () => number;
}

/** The same pool with its records in a map. */
export function memoryPool(options: MemoryPoolOptions): Promise<Result<Pool>> {
  const { git, disk = new Map(), now = () => 0 } = options;
  const { run } = options;
  return openPool({ git, files: (of) => filesIn(disk, of), project: 'memory', run, now });
}

function filesIn(disk: PoolDisk, run: string): OwnerFiles {
  return {
    list: async () => ok([...disk.values()].filter((record) => record.run === run)),
    put: async (record) => {
      disk.set(idOf(run, record.n), record);
      return ok(undefined);
    },
    remove: async (n) => {
      disk.delete(idOf(run, n));
      return ok(undefined);
    },
    removeFolder: async () => {},
    dirOf: (n) => `/pool/${run}/${idOf(run, n)}`,
  };
}
