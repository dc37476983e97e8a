import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cloneOf } from '../model/branch.ts';
import { Trouble } from '../model/trouble.ts';
import { bringIn, cloneHead, isFolder, isId, type Own, smallText, viewHead } from './clone.ts';
import { refFiles } from './ref-files.ts';
import { isAncestor, type Repo, resolveCommit } from './repo.ts';

const LOG_BYTES = 1024 * 1024;

/** Names of commits in a worktree's own git. */
interface Marks {
  readonly ids: ReadonlySet<string>;
  /** Those of tags, which may have been fetched. */
  readonly tags: ReadonlySet<string>;
}

/** Ids that branches, tags and the stash of the worktree's own git name. Reads files only. */
async function marksIn(own: Own): Promise<Marks> {
  const mayHold = (ref: string): boolean => /^refs\/(?:heads|tags|stash)(?:\/|$)/.test(ref);
  const found = isFolder(own.clone) ? await refFiles(own.clone, mayHold) : { marks: [] };
  if (found === undefined) {
    throw new Trouble({
      kind: 'worktree-failed',
      cause: `the refs in ${own.clone} cannot be read`,
    });
  }
  const stashes = await stashesIn(own.clone);
  return {
    ids: new Set([...found.marks.map(([, id]) => id), ...stashes].filter(isId)),
    tags: new Set(found.marks.filter(([ref]) => /^refs\/tags\//.test(ref)).map(([, id]) => id)),
  };
}

/**
 * Commits that were made in a worktree and that only other branches or the stash of its own git hold. They are in the
 * repository then.
 */
export async function strays(repo: Repo, own: Own): Promise<readonly string[]> {
  const found = await marksIn(own);
  const { ids, tags } = found;
  const brought: string[] = [];
  for (const id of ids) {
    const known = await resolveCommit(repo, id);
    const isMade = wasMadeIn(own.dir, id);
    if (!isMade && (known !== undefined || tags.has(id))) continue;
    const done = await bringIn(repo, own, id);
    const commit = done ? await resolveCommit(repo, id) : undefined;
    if (commit === undefined) continue;
    const inside = await isAncestor(repo, commit, viewHead(own));
    if (!inside) brought.push(commit);
  }
  return brought;
}

/** Commits that were made in a worktree and that our HEAD of it does not contain. Nothing is brought in. */
export async function uncapturedCommits(repo: Repo, own: Own): Promise<readonly string[]> {
  const found = await marksIn(own);
  const head = viewHead(own);
  const at = (await cloneHead(own)).commit;
  const commits: string[] = [];
  for (const id of new Set([...(at === undefined ? [] : [at]), ...found.ids])) {
    if (id === head || !wasMadeIn(own.dir, id)) continue;
    const known = await resolveCommit(repo, id);
    const inside = known === undefined ? false : await isAncestor(repo, id, head);
    if (!inside) commits.push(id);
  }
  return commits;
}

/** Stash entries; only the newest one has a ref. */
async function stashesIn(clone: string): Promise<readonly string[]> {
  const log = (await smallText(join(clone, 'logs', 'refs', 'stash'), LOG_BYTES)) ?? '';
  return log.split('\n').map((line) => line.split(' ')[1] ?? '');
}

/** True if the commit was made in the worktree's own git: the repository's objects are not copied into it. */
export function wasMadeIn(dir: string, commit: string): boolean {
  return existsSync(join(cloneOf(dir), 'objects', commit.slice(0, 2), commit.slice(2)));
}
