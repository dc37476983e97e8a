import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { limits } from '../model/limits.ts';
import { outcomeOf, Trouble } from '../model/trouble.ts';
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
  place(): Promise<Place>;
  readonly refs: RefWriter;
}

/** Runs git in the root checkout; a nonzero exit status is a failure. */
export async function inRepo(repo: Repo, args: readonly string[], input?: string): Promise<Output> {
  const place = await repo.place();
  return succeed(repo.run, { cwd: place.root, args, input });
}

/** Runs git in the root checkout, whatever its exit status. */
export async function runInRepo(repo: Repo, args: readonly string[]): Promise<Output> {
  const place = await repo.place();
  return repo.run({ cwd: place.root, args });
}

export async function resolveCommit(repo: Repo, revision: string): Promise<string | undefined> {
  const found = await repo.reader.info(`${revision}^{commit}`);
  return found?.id;
}

/** Like `resolveCommit`, but a missing commit is a failure. */
export async function needCommit(repo: Repo, revision: string): Promise<string> {
  const found = await resolveCommit(repo, revision);
  if (found !== undefined) return found;
  throw new Trouble(gitFailed(['cat-file', revision], 1, `${revision} names no commit`));
}

export async function readCommit(repo: Repo, id: string): Promise<CommitInfo> {
  const found = await repo.reader.contents(`${id}^{commit}`);
  if (found === undefined) {
    throw new Trouble(gitFailed(['cat-file', 'commit', id], 1, `${id} names no commit`));
  }
  const { body } = found;
  const end = body.indexOf('\n\n');
  const head = body.toString('latin1', 0, end + 1);
  const message = body.toString('utf8', end + 2);
  const tree = /^tree ([0-9a-f]+)$/m.exec(head)?.[1] ?? '';
  const parents = [...head.matchAll(/^parent ([0-9a-f]+)$/gm)].map((match) => match[1] ?? '');
  return { commit: found.id, tree, parents, message };
}

/** Walks a few first parents through the object reader before it asks git: usually the answer is near. */
export async function isAncestor(
  repo: Repo,
  ancestor: string,
  descendant: string,
): Promise<boolean> {
  const older = await needCommit(repo, ancestor);
  const newer = await readCommit(repo, descendant);
  const { commit } = newer;
  let at = newer;
  for (let steps = 0; steps < limits.trainBatchMax; steps += 1) {
    if (at.commit === older || at.parents.includes(older)) return true;
    const [first] = at.parents;
    if (first === undefined) break;
    const next = await outcomeOf(readCommit(repo, first));
    if (!next.ok) break;
    at = next.value;
  }
  const args = ['merge-base', '--is-ancestor', older, commit];
  const done = await runInRepo(repo, args);
  if (done.exit <= 1 && done.exit >= 0) return done.exit === 0;
  throw new Trouble(gitFailed(args, done.exit, done.stderr));
}

/** One git process for any number of commits. */
export function missing(
  repo: Repo,
  tip: string,
  commits: readonly string[],
): Promise<readonly string[]> {
  return outside(repo, commits, async () => [tip]);
}

/** Two git processes for any number of commits. */
export function neverIn(
  repo: Repo,
  branch: string,
  commits: readonly string[],
): Promise<readonly string[]> {
  return outside(repo, commits, async () => {
    const logged = await inRepo(repo, ['log', '-g', '--format=%H', `refs/heads/${branch}`, '--']);
    const past = logged.stdout.toString().split('\n').filter(Boolean);
    return past.length === 0 ? undefined : [...new Set(past)];
  });
}

/** Commits that none of the tips contains; those that are not here if there are no tips. */
async function outside(
  repo: Repo,
  commits: readonly string[],
  tipsOf: () => Promise<readonly string[] | undefined>,
): Promise<readonly string[]> {
  const present = new Set<string>();
  for (const commit of commits) {
    const found = await resolveCommit(repo, commit);
    if (found !== undefined) present.add(commit);
  }
  if (present.size === 0) return commits;
  const tips = await tipsOf();
  if (tips === undefined) return commits.filter((commit) => !present.has(commit));
  const input = [...tips.map((tip) => `^${tip}`), ...present, ''].join('\n');
  // The reflog may name commits that were pruned.
  const ignore = tips.length > 1 ? ['--ignore-missing'] : [];
  const listed = await inRepo(repo, ['rev-list', ...ignore, '--stdin'], input);
  const beyond = new Set(listed.stdout.toString().split('\n'));
  return commits.filter((commit) => !present.has(commit) || beyond.has(commit));
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
export async function locate(run: Run, dir: string): Promise<Place> {
  if (!existsSync(dir)) throw new Trouble({ kind: 'not-a-repository', dir, missing: true });
  const done = await run({ cwd: dir, args: ARGS });
  const [bareWord, shallowWord, commonDir, gitDir, top] = done.stdout.toString().split('\n');
  if (!commonDir || !gitDir) {
    if (/not a git repository/.test(done.stderr))
      throw new Trouble({ kind: 'not-a-repository', dir });
    throw new Trouble(gitFailed(ARGS, done.exit, done.stderr));
  }
  const bare = bareWord === 'true';
  const root = top || (bare ? gitDir : undefined);
  // Inside a `.git` folder there is no checkout.
  if (root === undefined) throw new Trouble({ kind: 'not-a-repository', dir });
  const mainRoot = mainRootOf({ bare, root, gitDir, commonDir });
  return {
    root,
    gitDir,
    commonDir,
    bare,
    shallow: shallowWord === 'true',
    reftable: existsSync(join(commonDir, 'reftable')),
    mainRoot,
  };
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
