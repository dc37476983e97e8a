import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Failure, unwritable } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { outcomeOf, Trouble } from '../model/trouble.ts';

/** A folder that a run writes to. */
interface WrittenPlace {
  /** `worktrees`, `objects`, `git`, `store` or `temp`. */
  readonly name: string;
  readonly dir: string;
}

/** Every place that a run writes to. Each may be on a disk of its own. */
export function writtenPlaces(project: {
  readonly stateDir: string;
  readonly commonDir: string;
  readonly dir: string;
}): readonly WrittenPlace[] {
  return [
    { name: 'worktrees', dir: project.stateDir },
    { name: 'objects', dir: join(project.commonDir, 'objects') },
    { name: 'git', dir: project.commonDir },
    { name: 'store', dir: project.dir },
    { name: 'temp', dir: tmpdir() },
  ];
}

export interface Space {
  readonly freeBytes: number;
  /** Present if too little is left for new work. */
  readonly low?: Failure;
}

/** Free space of a folder; of its nearest parent if it does not exist yet. */
export async function spaceOf(dir: string): Promise<Space> {
  for (let at = dir; ; at = dirname(at)) {
    try {
      const { bavail, blocks, bsize, files, ffree } = await statfs(at);
      const freeBytes = bavail * bsize;
      const share = Math.floor((blocks * bsize) / limits.spaceShare);
      const bytes = Math.min(limits.spaceBytes, Math.max(limits.spaceLeast, share));
      const inodes = Math.min(limits.spaceFiles, Math.floor(files / limits.spaceShare));
      const low = { kind: 'no-space', dir } as const;
      if (freeBytes < bytes) {
        return { freeBytes, low: { ...low, unit: 'bytes', free: freeBytes, needed: bytes } };
      }
      if (ffree < inodes) {
        return { freeBytes, low: { ...low, unit: 'files', free: ffree, needed: inodes } };
      }
      return { freeBytes };
    } catch (error) {
      const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      if (!isMissing || at === dirname(at)) throw new Trouble(unwritable(dir, error));
    }
  }
}

/** The first place that has too little space for new work. One that cannot be asked does not count. */
export async function lowSpace(places: readonly WrittenPlace[]): Promise<Failure | undefined> {
  for (const { dir } of places) {
    const space = await outcomeOf(spaceOf(dir));
    if (space.ok && space.value.low !== undefined) return space.value.low;
  }
  return undefined;
}
