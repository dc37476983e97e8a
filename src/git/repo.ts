import { fail, ok, type Result } from '../model/failure.ts';
import { given } from '../model/given.ts';
import { limits } from '../model/limits.ts';
import type { CommitInfo } from '../port/git.ts';
import type { ObjectReader } from './batch.ts';
import { gitFailed, type Output, type Run, succeed } from './command.ts';
import type { Place } from './place.ts';
import type { RefWriter } from './ref-writer.ts';

/** Dependencies shared by all git operations. */
export interface Repo {
  readonly run: Run;
  readonly reader: ObjectReader;
  /** Cached after the first success. */
  place(): Promise<Result<Place>>;
  readonly refs: RefWriter;
}

/** Runs git in the root checkout; a nonzero exit status is a failure. */
export async function inRepo(
  repo: Repo,
  args: readonly string[],
  input?: string,
): Promise<Result<Output>> {
  const place = await repo.place();
  if (!place.ok) return place;
  return succeed(repo.run, given({ cwd: place.value.root, args, input }));
}

/** Runs git in the root checkout, whatever its exit status. */
export async function runInRepo(repo: Repo, args: readonly string[]): Promise<Result<Output>> {
  const place = await repo.place();
  return place.ok ? repo.run({ cwd: place.value.root, args }) : place;
}

export async function resolveCommit(
  repo: Repo,
  revision: string,
): Promise<Result<string | undefined>> {
  const found = await repo.reader.info(`${revision}^{commit}`);
  return found.ok ? ok(found.value?.id) : found;
}

/** Like `resolveCommit`, but a missing commit is a failure. */
export async function needCommit(repo: Repo, revision: string): Promise<Result<string>> {
  const found = await resolveCommit(repo, revision);
  if (!found.ok) return found;
  if (found.value !== undefined) return ok(found.value);
  return fail(gitFailed(['cat-file', revision], 1, `${revision} names no commit`));
}

export async function readCommit(repo: Repo, id: string): Promise<Result<CommitInfo>> {
  const found = await repo.reader.contents(`${id}^{commit}`);
  if (!found.ok) return found;
  if (found.value === undefined) {
    return fail(gitFailed(['cat-file', 'commit', id], 1, `${id} names no commit`));
  }
  const { body } = found.value;
  const end = body.indexOf('\n\n');
  const head = body.toString('latin1', 0, end + 1);
  const message = body.toString('utf8', end + 2);
  const tree = /^tree ([0-9a-f]+)$/m.exec(head)?.[1] ?? '';
  const parents = [...head.matchAll(/^parent ([0-9a-f]+)$/gm)].map((match) => match[1] ?? '');
  return ok({ commit: found.value.id, tree, parents, message });
}

/** Walks a few first parents through the object reader before it asks git: usually the answer is near. */
export async function isAncestor(
  repo: Repo,
  ancestor: string,
  descendant: string,
): Promise<Result<boolean>> {
  const older = await needCommit(repo, ancestor);
  if (!older.ok) return older;
  const newer = await readCommit(repo, descendant);
  if (!newer.ok) return newer;
  const { commit } = newer.value;
  let at = newer.value;
  for (let steps = 0; steps < limits.trainBatchMax; steps += 1) {
    if (at.commit === older.value || at.parents.includes(older.value)) return ok(true);
    const [first] = at.parents;
    if (first === undefined) break;
    const next = await readCommit(repo, first);
    if (!next.ok) break;
    at = next.value;
  }
  const args = ['merge-base', '--is-ancestor', older.value, commit];
  const done = await runInRepo(repo, args);
  if (!done.ok) return done;
  if (done.value.exit <= 1 && done.value.exit >= 0) return ok(done.value.exit === 0);
  return fail(gitFailed(args, done.value.exit, done.value.stderr));
}
