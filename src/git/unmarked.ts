import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Unmarked } from '../model/attempt.ts';
import { ok, type Result } from '../model/failure.ts';
import { ifPresent } from './admin.ts';
import { own } from './checkout.ts';
import { nulSeparated, succeed } from './command.ts';
import type { Repo } from './repo.ts';

/** Blob ids of both sides of a conflicted file. */
interface Stages {
  readonly ours?: string;
  readonly theirs?: string;
}

/** Two git processes. Links and submodules are skipped. */
export async function unmarked(repo: Repo, dir: string): Promise<Result<readonly Unmarked[]>> {
  const found = await own(repo, dir);
  if (!found.ok) return found;
  const args = ['ls-files', '--unmerged', '-z'];
  const listed = await succeed(repo.run, { cwd: dir, args });
  if (!listed.ok) return listed;
  const stages = stagesIn(nulSeparated(listed.value.stdout));
  const paths: string[] = [];
  for (const path of stages.keys()) {
    const file = await ifPresent(lstat(join(dir, path)), undefined);
    if (file?.isFile()) paths.push(path);
  }
  if (paths.length === 0) return ok([]);
  const hashed = await succeed(repo.run, { cwd: dir, args: ['hash-object', '--', ...paths] });
  if (!hashed.ok) return hashed;
  const ids = hashed.value.stdout.toString('utf8').split('\n');
  return ok(paths.flatMap((path, at) => wholeSide(path, stages.get(path) ?? {}, ids[at])));
}

function wholeSide(path: string, { ours, theirs }: Stages, id: string | undefined): Unmarked[] {
  if (id === undefined || id !== (ours ?? theirs)) return [];
  if (ours === undefined) return [{ path, how: 'deleted-by-us' }];
  return [{ path, how: theirs === undefined ? 'deleted-by-them' : 'changed-by-both' }];
}

/** Parses `ls-files --unmerged` lines: `<mode> <blob> <stage>\t<path>`. */
function stagesIn(lines: readonly string[]): ReadonlyMap<string, Stages> {
  const stages = new Map<string, Stages>();
  for (const line of lines) {
    const [, mode = '', id = '', stage, path = ''] =
      /^(\d+) ([0-9a-f]+) ([123])\t([\s\S]+)$/.exec(line) ?? [];
    if (!mode.startsWith('100')) continue;
    const known = stages.get(path) ?? {};
    if (stage === '2') stages.set(path, { ...known, ours: id });
    else stages.set(path, stage === '3' ? { ...known, theirs: id } : known);
  }
  return stages;
}
