import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Unmarked } from '../model/attempt.ts';
import { Trouble } from '../model/trouble.ts';
import type { Merge } from '../port/git.ts';
import { clearLocks, exists, ifPresent, locksOf, operationIn, textOf } from './admin.ts';
import { own, status } from './checkout.ts';
import { inAgentIndex, inTree, runInTree, showInClone, viewHead } from './clone.ts';
import { gitFailed } from './command.ts';
import { merge } from './history.ts';
import { isAncestor, needCommit, type Repo } from './repo.ts';

/** Overrides options that the user's git config may change. */
const ARGS = [
  'merge',
  '--no-commit',
  '--no-ff',
  '--no-squash',
  '--no-autostash',
  '--no-verify-signatures',
  '--strategy=ort',
  '--no-stat',
  '-q',
];

/** Conflict markers include the common ancestor. */
const STYLE = ['-c', 'merge.conflictStyle=diff3'];

/**
 * At most four git processes. The result is computed before the merge starts, so a merge that cannot start leaves no
 * trace.
 */
export async function beginMerge(repo: Repo, dir: string, commit: string): Promise<Merge> {
  const found = await own(repo, dir);
  const { view } = found;
  const theirs = await needCommit(repo, commit);
  const mergeHead = async () => (await textOf(join(view, 'MERGE_HEAD')))?.trim();
  await clearLocks(locksOf(view));
  // An earlier call may have started this merge and crashed before it returned.
  if ((await mergeHead()) === theirs) {
    await showInClone(repo, found);
    return merge(repo, viewHead(found), theirs);
  }
  const now = await status(repo, dir);
  const ours = now.head;
  const inTheWay = await obstacle(view, now.dirty);
  if (inTheWay !== undefined) {
    throw new Trouble({ kind: 'worktree-failed', cause: `${dir} ${inTheWay}` });
  }
  const outcome = await merge(repo, ours, theirs);
  if (outcome.id === 'unrelated') return outcome;
  const known = await isAncestor(repo, theirs, ours);
  if (known) return outcome;
  const args = [...STYLE, ...ARGS, theirs];
  const done = await runInTree(repo, found, { args });
  const { exit, stderr, stdout } = done;
  if ((await mergeHead()) !== theirs) {
    throw new Trouble(gitFailed(ARGS, exit, stderr.trim() || stdout.toString('utf8')));
  }
  await showInClone(repo, found);
  return outcome;
}

async function obstacle(gitDir: string, dirty: boolean): Promise<string | undefined> {
  const operation = await operationIn(gitDir);
  if (operation !== undefined) return `is in the middle of a ${operation}`;
  if (dirty) return 'has uncommitted changes';
  return (await exists(join(gitDir, 'index'))) ? undefined : 'has no files yet';
}

/** Blob ids of both sides of a conflicted file. */
interface Stages {
  readonly ours?: string;
  readonly theirs?: string;
}

/** Two git processes. Reads the agent's index, in which it marks files as resolved. Links and submodules are skipped. */
export async function unmarked(repo: Repo, dir: string): Promise<readonly Unmarked[]> {
  const found = await own(repo, dir);
  const listed = await inAgentIndex(repo, found, ['--unmerged']);
  const stages = stagesIn(listed);
  const paths: string[] = [];
  for (const path of stages.keys()) {
    const file = await ifPresent(lstat(join(dir, path)), undefined);
    if (file?.isFile()) paths.push(path);
  }
  if (paths.length === 0) return [];
  const hashed = await inTree(repo, found, { args: ['hash-object', '--', ...paths] });
  const ids = hashed.stdout.toString('utf8').split('\n');
  return paths.flatMap((path, at) => wholeSide(path, stages.get(path) ?? {}, ids[at]));
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
