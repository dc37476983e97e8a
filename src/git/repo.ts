import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { CommitInfo } from '../port/git.ts';
import type { ObjectReader } from './batch.ts';
import { gitFailed, type Output, type Run, succeed } from './command.ts';
import type { RefWriter } from './ref-writer.ts';

/** Dependencies shared by all git operations. */
export interface Repo {
  readonly run: Run;
  /** Environment of our git processes. */
  readonly env: Readonly<Record<string, string>>;
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
  return succeed(repo.run, { cwd: place.value.root, args, input });
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

/** One git process for any number of commits. */
export function missing(
  repo: Repo,
  tip: string,
  commits: readonly string[],
): Promise<Result<readonly string[]>> {
  return outside(repo, commits, async () => ok([tip]));
}

/** Two git processes for any number of commits. */
export function neverIn(
  repo: Repo,
  branch: string,
  commits: readonly string[],
): Promise<Result<readonly string[]>> {
  return outside(repo, commits, async () => {
    const logged = await inRepo(repo, ['log', '-g', '--format=%H', `refs/heads/${branch}`, '--']);
    if (!logged.ok) return logged;
    const past = logged.value.stdout.toString().split('\n').filter(Boolean);
    return ok(past.length === 0 ? undefined : [...new Set(past)]);
  });
}

/** Commits that none of the tips contains; those that are not here if there are no tips. */
async function outside(
  repo: Repo,
  commits: readonly string[],
  tipsOf: () => Promise<Result<readonly string[] | undefined>>,
): Promise<Result<readonly string[]>> {
  const present = new Set<string>();
  for (const commit of commits) {
    const found = await resolveCommit(repo, commit);
    if (!found.ok) return found;
    if (found.value !== undefined) present.add(commit);
  }
  if (present.size === 0) return ok(commits);
  const tips = await tipsOf();
  if (!tips.ok) return tips;
  if (tips.value === undefined) return ok(commits.filter((commit) => !present.has(commit)));
  const input = [...tips.value.map((tip) => `^${tip}`), ...present, ''].join('\n');
  // The reflog may name commits that were pruned.
  const ignore = tips.value.length > 1 ? ['--ignore-missing'] : [];
  const listed = await inRepo(repo, ['rev-list', ...ignore, '--stdin'], input);
  if (!listed.ok) return listed;
  const beyond = new Set(listed.value.stdout.toString().split('\n'));
  return ok(commits.filter((commit) => !present.has(commit) || beyond.has(commit)));
}

/** Absolute paths of a repository, without symbolic links. */
export interface Place {
  /** Root of the checkout we were started in; for a bare repository its own folder. */
  readonly root: string;
  readonly gitDir: string;
  readonly commonDir: string;
  readonly bare: boolean;
  readonly shallow: boolean;
  /** Root of the main checkout, if there is one. */
  readonly mainRoot?: string;
  /** True if refs are stored in a reftable, so only git can read them. */
  readonly reftable: boolean;
}

const ARGS = [
  'rev-parse',
  '--path-format=absolute',
  '--is-bare-repository',
  '--is-shallow-repository',
  '--git-common-dir',
  '--git-dir',
  // Last, because it fails without a checkout after the others were printed.
  '--show-toplevel',
];

/** One git process. */
export async function locate(run: Run, dir: string): Promise<Result<Place>> {
  if (!existsSync(dir)) return fail({ kind: 'not-a-repository', dir, missing: true });
  const done = await run({ cwd: dir, args: ARGS });
  if (!done.ok) return done;
  const [bareWord, shallowWord, commonDir, gitDir, top] = done.value.stdout.toString().split('\n');
  if (!commonDir || !gitDir) {
    if (/not a git repository/.test(done.value.stderr))
      return fail({ kind: 'not-a-repository', dir });
    return fail(gitFailed(ARGS, done.value.exit, done.value.stderr));
  }
  const bare = bareWord === 'true';
  const root = top || (bare ? gitDir : undefined);
  // Inside a `.git` folder there is no checkout.
  if (root === undefined) return fail({ kind: 'not-a-repository', dir });
  const mainRoot = mainRootOf({ bare, root, gitDir, commonDir });
  return ok({
    root,
    gitDir,
    commonDir,
    bare,
    shallow: shallowWord === 'true',
    reftable: existsSync(join(commonDir, 'reftable')),
    mainRoot,
  });
}

function mainRootOf(found: {
  readonly bare: boolean;
  readonly root: string;
  readonly gitDir: string;
  readonly commonDir: string;
}): string | undefined {
  if (found.bare) return undefined;
  if (found.gitDir === found.commonDir) return found.root;
  // This is a linked worktree; its repository may be bare.
  if (basename(found.commonDir) !== '.git' || hasBareSetting(found.commonDir)) return undefined;
  return dirname(found.commonDir);
}

function hasBareSetting(commonDir: string): boolean {
  const file = join(commonDir, 'config');
  return existsSync(file) && /^\s*bare\s*=\s*true\s*$/im.test(readFileSync(file, 'utf8'));
}
