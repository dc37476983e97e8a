import { fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { CommitInfo, Merge } from '../port/git.ts';
import { gitFailed, nulSeparated, withoutNul } from './command.ts';
import { inRepo, needCommit, type Repo, readCommit, runInRepo } from './repo.ts';

/** One git process. Writes only objects. */
export async function merge(repo: Repo, ours: string, theirs: string): Promise<Result<Merge>> {
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ours, theirs];
  const done = await runInRepo(repo, args);
  if (!done.ok) return done;
  const { exit, stdout, stderr } = done.value;
  const [tree, ...files] = nulSeparated(stdout);
  if (exit === 0 && tree !== undefined) return ok({ id: 'clean', tree });
  const named = [
    ...new Set(files.filter(Boolean).map((file) => withoutSide(file, [ours, theirs]))),
  ];
  if (exit === 1 && named.length > 0) return ok({ id: 'conflict', files: named });
  if (/unrelated histories/.test(stderr)) return ok({ id: 'unrelated' });
  return fail(gitFailed(args, exit, stderr));
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
): Promise<Result<string>> {
  const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-'];
  const done = await inRepo(repo, args, withoutNul(message));
  return done.ok ? ok(done.value.stdout.toString().trim()) : done;
}

/** Checks the two commits and their parents first; otherwise one git process. */
export async function mergeBase(
  repo: Repo,
  a: string,
  b: string,
): Promise<Result<string | undefined>> {
  const [one, two] = await Promise.all([readCommit(repo, a), readCommit(repo, b)]);
  if (!one.ok) return one;
  if (!two.ok) return two;
  const [left, right] = [one.value, two.value];
  if (left.commit === right.commit || right.parents.includes(left.commit)) return ok(left.commit);
  if (left.parents.includes(right.commit)) return ok(right.commit);
  const args = ['merge-base', left.commit, right.commit];
  const done = await runInRepo(repo, args);
  if (!done.ok) return done;
  const { exit, stdout, stderr } = done.value;
  if (exit === 0) return ok(stdout.toString().trim());
  return exit === 1 ? ok(undefined) : fail(gitFailed(args, exit, stderr));
}

/** One git process. */
export async function log(
  repo: Repo,
  from: string,
  to: string,
  lines: number,
  files?: readonly string[],
): Promise<Result<string>> {
  const [older, newer] = await Promise.all([needCommit(repo, from), needCommit(repo, to)]);
  if (!older.ok) return older;
  if (!newer.ok) return newer;
  if (files?.length === 0) return ok('');
  const shape = ['--no-commit-header', '--format=%h %s', '--abbrev=7', '--encoding=UTF-8'];
  const paths = files?.map((file) => `:(top,literal)${file}`) ?? [];
  const which = files === undefined ? [] : ['--no-merges'];
  const range = ['--topo-order', ...which, newer.value, `^${older.value}`, '--', ...paths];
  const done = await inRepo(repo, [
    'rev-list',
    ...shape,
    `--max-count=${Math.max(0, lines)}`,
    ...range,
  ]);
  if (!done.ok) return done;
  const found = done.value.stdout.toString('utf8').split('\n').filter(Boolean);
  return ok(found.map((line) => `${line.slice(0, limits.logLineChars)}\n`).join(''));
}

/** Marks the beginning of a commit in the list of files; git prints it in front of them. */
const MARK = '\u0001';

/** One git process. */
export async function changedTogether(
  repo: Repo,
  tip: string,
  most: number,
): Promise<Result<readonly (readonly string[])[]>> {
  const found = await needCommit(repo, tip);
  if (!found.ok) return found;
  const shape = ['--no-merges', '--name-only', '--no-renames', '-z', '--format=tformat:%x01'];
  const done = await inRepo(repo, ['log', ...shape, `--max-count=${most}`, found.value, '--']);
  if (!done.ok) return done;
  const [, ...commits] = done.value.stdout.toString('utf8').split(MARK);
  return ok(
    commits.map((one) =>
      one
        .replace(/^\0?\n?/, '')
        .split('\0')
        .filter(Boolean)
        .sort(),
    ),
  );
}

export const PLAIN = ['--no-color', '--no-ext-diff', '--no-textconv', '--no-relative'];

/** One git process. */
export async function stat(repo: Repo, from: string, to: string): Promise<Result<string>> {
  const width = `--stat=${limits.statChars}`;
  const count = `--stat-count=${limits.statFiles}`;
  const done = await inRepo(repo, ['diff', ...PLAIN, width, count, from, to, '--']);
  return done.ok ? ok(done.value.stdout.toString('utf8')) : done;
}

/** One git process. A diff over the size limit is cut and says so at its end. */
export async function diff(repo: Repo, from: string, to: string): Promise<Result<string>> {
  const args = ['diff', ...PLAIN, from, to, '--'];
  const done = await runInRepo(repo, args);
  if (!done.ok) return done;
  const { exit, stdout, stderr, cut } = done.value;
  if (cut) return ok(`${stdout.toString('utf8')}\n(the rest was left out)\n`);
  if (exit !== 0) return fail(gitFailed(args, exit, stderr));
  return ok(stdout.toString('utf8'));
}

/**
 * Starts no process if one side is unchanged. Otherwise merges with a temporary commit of `onto`'s tree on the parent
 * of `commit`, so the merge base is where the change began.
 */
export async function pick(repo: Repo, onto: string, commit: string): Promise<Result<Merge>> {
  const [base, change] = await Promise.all([readCommit(repo, onto), readCommit(repo, commit)]);
  if (!base.ok) return base;
  if (!change.ok) return change;
  const [parent] = change.value.parents;
  if (parent === undefined) return pickRoot(repo, base.value, change.value);
  const before = await readCommit(repo, parent);
  if (!before.ok) return before;
  if (before.value.tree === base.value.tree) return ok({ id: 'clean', tree: change.value.tree });
  if (before.value.tree === change.value.tree) return ok({ id: 'clean', tree: base.value.tree });
  const ours = await temporaryCommit(repo, base.value.tree, [parent]);
  return ours.ok ? merge(repo, ours.value, change.value.commit) : ours;
}

/** Root commit: the change is its whole tree, so both sides get an empty common parent. */
async function pickRoot(repo: Repo, base: CommitInfo, change: CommitInfo): Promise<Result<Merge>> {
  const empty = await inRepo(repo, ['mktree']);
  if (!empty.ok) return empty;
  const nothing = await temporaryCommit(repo, empty.value.stdout.toString().trim(), []);
  if (!nothing.ok) return nothing;
  const ours = await temporaryCommit(repo, base.tree, [nothing.value]);
  if (!ours.ok) return ours;
  const theirs = await temporaryCommit(repo, change.tree, [nothing.value]);
  return theirs.ok ? merge(repo, ours.value, theirs.value) : theirs;
}

function temporaryCommit(
  repo: Repo,
  tree: string,
  parents: readonly string[],
): Promise<Result<string>> {
  return commitTree(repo, tree, parents, 'temporary commit for a merge\n');
}
