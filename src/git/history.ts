import { limits } from '../model/limits.ts';
import { Trouble } from '../model/trouble.ts';
import type { CommitInfo, Merge } from '../port/git.ts';
import { gitFailed, nulSeparated, withoutNul } from './command.ts';
import { inRepo, needCommit, type Repo, readCommit, runInRepo } from './repo.ts';

/** One git process. Writes only objects. */
export async function merge(repo: Repo, ours: string, theirs: string): Promise<Merge> {
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ours, theirs];
  const done = await runInRepo(repo, args);
  const { exit, stdout, stderr } = done;
  const [tree, ...files] = nulSeparated(stdout);
  if (exit === 0 && tree !== undefined) return { id: 'clean', tree };
  const named = [
    ...new Set(files.filter(Boolean).map((file) => withoutSide(file, [ours, theirs]))),
  ];
  if (exit === 1 && named.length > 0) return { id: 'conflict', files: named };
  if (/unrelated histories/.test(stderr)) return { id: 'unrelated' };
  throw new Trouble(gitFailed(args, exit, stderr));
}

/** Strips the `~side` suffix that git adds when a link or folder conflicts with a file. */
function withoutSide(file: string, sides: readonly string[]): string {
  const ends = sides.map((side) => `~${side.replaceAll('/', '_')}`);
  const end = ends.find((suffix) => file.endsWith(suffix));
  return end === undefined ? file : file.slice(0, -end.length);
}

/** One git process. */
export async function commitTree(
  repo: Repo,
  tree: string,
  parents: readonly string[],
  message: string,
): Promise<string> {
  const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-'];
  const done = await inRepo(repo, args, withoutNul(message));
  return done.stdout.toString().trim();
}

/** Checks the two commits and their parents first; otherwise one git process. */
export async function mergeBase(repo: Repo, a: string, b: string): Promise<string | undefined> {
  const [left, right] = await Promise.all([readCommit(repo, a), readCommit(repo, b)]);
  if (left.commit === right.commit || right.parents.includes(left.commit)) return left.commit;
  if (left.parents.includes(right.commit)) return right.commit;
  const args = ['merge-base', left.commit, right.commit];
  const done = await runInRepo(repo, args);
  const { exit, stdout, stderr } = done;
  if (exit === 0) return stdout.toString().trim();
  if (exit === 1) return undefined;
  throw new Trouble(gitFailed(args, exit, stderr));
}

/** One git process. */
export async function log(
  repo: Repo,
  from: string,
  to: string,
  lines: number,
  files?: readonly string[],
): Promise<string> {
  const [older, newer] = await Promise.all([needCommit(repo, from), needCommit(repo, to)]);
  if (files?.length === 0) return '';
  const shape = ['--no-commit-header', '--format=%h %s', '--abbrev=7', '--encoding=UTF-8'];
  const paths = files?.map((file) => `:(top,literal)${file}`) ?? [];
  const which = files === undefined ? [] : ['--no-merges'];
  const range = ['--topo-order', ...which, newer, `^${older}`, '--', ...paths];
  const done = await inRepo(repo, [
    'rev-list',
    ...shape,
    `--max-count=${Math.max(0, lines)}`,
    ...range,
  ]);
  const found = done.stdout.toString('utf8').split('\n').filter(Boolean);
  return found.map((line) => `${line.slice(0, limits.logLineChars)}\n`).join('');
}

/** Marks the beginning of a commit in the list of files; git prints it in front of them. */
const MARK = '\u0001';

/** One git process. */
export async function changedTogether(
  repo: Repo,
  tip: string,
  most: number,
): Promise<readonly (readonly string[])[]> {
  const found = await needCommit(repo, tip);
  const shape = ['--no-merges', '--name-only', '--no-renames', '-z', '--format=tformat:%x01'];
  const done = await inRepo(repo, ['log', ...shape, `--max-count=${most}`, found, '--']);
  const [, ...commits] = done.stdout.toString('utf8').split(MARK);
  return commits.map((one) =>
    one
      .replace(/^\0?\n?/, '')
      .split('\0')
      .filter(Boolean)
      .sort(),
  );
}

export const PLAIN = ['--no-color', '--no-ext-diff', '--no-textconv', '--no-relative'];

/** One git process. */
export async function stat(repo: Repo, from: string, to: string): Promise<string> {
  const width = `--stat=${limits.statChars}`;
  const count = `--stat-count=${limits.statFiles}`;
  const done = await inRepo(repo, ['diff', ...PLAIN, width, count, from, to, '--']);
  return done.stdout.toString('utf8');
}

/** One git process. A diff over the size limit is cut and says so at its end. */
export async function diff(repo: Repo, from: string, to: string): Promise<string> {
  const args = ['diff', ...PLAIN, from, to, '--'];
  const done = await runInRepo(repo, args);
  const { exit, stdout, stderr, cut } = done;
  if (cut) return `${stdout.toString('utf8')}\n(the rest was left out)\n`;
  if (exit !== 0) throw new Trouble(gitFailed(args, exit, stderr));
  return stdout.toString('utf8');
}

/**
 * Starts no process if one side is unchanged. Otherwise merges with a temporary commit of `onto`'s tree on the parent
 * of `commit`, so the merge base is where the change began.
 */
export async function pick(repo: Repo, onto: string, commit: string): Promise<Merge> {
  const [base, change] = await Promise.all([readCommit(repo, onto), readCommit(repo, commit)]);
  const [parent] = change.parents;
  if (parent === undefined) return pickRoot(repo, base, change);
  const before = await readCommit(repo, parent);
  if (before.tree === base.tree) return { id: 'clean', tree: change.tree };
  if (before.tree === change.tree) return { id: 'clean', tree: base.tree };
  const ours = await temporaryCommit(repo, base.tree, [parent]);
  return merge(repo, ours, change.commit);
}

/** Root commit: the change is its whole tree, so both sides get an empty common parent. */
async function pickRoot(repo: Repo, base: CommitInfo, change: CommitInfo): Promise<Merge> {
  const empty = await inRepo(repo, ['mktree']);
  const nothing = await temporaryCommit(repo, empty.stdout.toString().trim(), []);
  const ours = await temporaryCommit(repo, base.tree, [nothing]);
  const theirs = await temporaryCommit(repo, change.tree, [nothing]);
  return merge(repo, ours, theirs);
}

function temporaryCommit(repo: Repo, tree: string, parents: readonly string[]): Promise<string> {
  return commitTree(repo, tree, parents, 'temporary commit for a merge\n');
}
