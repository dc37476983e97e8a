import type { Git } from '../git/git.ts';
import { ok, type Result } from '../model/failure.ts';
import { idOf, type OwnerFiles, type OwnerRecord } from './owner.ts';
import { openPool, type Pool } from './pool.ts';

/** What would be on disk: it outlives the pool, so a second pool on it is the recovery of the first. */
export type PoolDisk = Map<number, OwnerRecord>;

export interface MemoryPoolOptions {
  readonly git: Git;
  readonly run: string;
  readonly disk?: PoolDisk;
  readonly now?: () => number;
}

/** The same pool with its records in a map. */
export function memoryPool(options: MemoryPoolOptions): Promise<Result<Pool>> {
  const { git, run, disk = new Map() } = options;
  const files: OwnerFiles = {
    list: async () => ok([...disk.values()]),
    put: async (record) => {
      disk.set(record.n, record);
      return ok(undefined);
    },
    remove: async (n) => {
      disk.delete(n);
      return ok(undefined);
    },
    removeFolder: async () => {},
    dirOf: (n) => `/pool/${run}/${idOf(run, n)}`,
    present: () => true,
  };
  return openPool({ git, files, project: 'memory', run, now: options.now ?? (() => 0) });
}
