import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cloneOf } from '../model/branch.ts';
import { fail, ok, type Result } from '../model/failure.ts';
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
async function marksIn(own: Own): Promise<Result<Marks>> {
  const mayHold = (ref: string): boolean => /^refs\/(?:heads|tags|stash)(?:\/|$)/.test(ref);
  const found = isFolder(own.clone) ? await refFiles(own.clone, mayHold) : { marks: [] };
  if (found === undefined) {
    return fail({ kind: 'worktree-failed', cause: `the refs in ${own.clone} cannot be read` });
  }
  const stashes = await stashesIn(own.clone);
  return ok({
    ids: new Set([...found.marks.map(([, id]) => id), ...stashes].filter(isId)),
    tags: new Set(found.marks.filter(([ref]) => /^refs\/tags\//.test(ref)).map(([, id]) => id)),
  });
}

/**
 * Commits that were made in a worktree and that only other branches or the stash of its own git hold. They are in the
 * repository then.
 */
export async function strays(repo: Repo, own: Own): Promise<Result<readonly string[]>> {
  const found = await marksIn(own);
  if (!found.ok) return found;
  const { ids, tags } = found.value;
  const brought: string[] = [];
  for (const id of ids) {
    const known = await resolveCommit(repo, id);
    if (!known.ok) return known;
    const isMade = wasMadeIn(own.dir, id);
    if (!isMade && (known.value !== undefined || tags.has(id))) continue;
    const done = await bringIn(repo, own, id);
    if (!done.ok) return done;
    const commit = done.value ? await resolveCommit(repo, id) : ok(undefined);
    if (!commit.ok) return commit;
    if (commit.value === undefined) continue;
    const inside = await isAncestor(repo, commit.value, viewHead(own));
    if (!inside.ok) return inside;
    if (!inside.value) brought.push(commit.value);
  }
  return ok(brought);
}

/** Commits that were made in a worktree and that our HEAD of it does not contain. Nothing is brought in. */
export async function uncapturedCommits(repo: Repo, own: Own): Promise<Result<readonly string[]>> {
  const found = await marksIn(own);
  if (!found.ok) return found;
  const head = viewHead(own);
  const at = (await cloneHead(own)).commit;
  const commits: string[] = [];
  for (const id of new Set([...(at === undefined ? [] : [at]), ...found.value.ids])) {
    if (id === head || !wasMadeIn(own.dir, id)) continue;
    const known = await resolveCommit(repo, id);
    if (!known.ok) return known;
    const inside = known.value === undefined ? ok(false) : await isAncestor(repo, id, head);
    if (!inside.ok) return inside;
    if (!inside.value) commits.push(id);
  }
  return ok(commits);
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
