import { fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../plan/limits.ts';
import { withoutNul } from './checkout.ts';
import { gitFailed, nulSeparated } from './command.ts';
import type { Merge } from './git.ts';
import { inRepo, needCommit, type Repo, readCommit } from './repo.ts';

/** One git process. Writes only objects. */
export async function merge(repo: Repo, ours: string, theirs: string): Promise<Result<Merge>> {
  const place = await repo.place();
  if (!place.ok) return place;
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ours, theirs];
  const done = await repo.run({ cwd: place.value.root, args });
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
  const place = await repo.place();
  if (!place.ok) return place;
  const args = ['merge-base', left.commit, right.commit];
  const done = await repo.run({ cwd: place.value.root, args });
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
): Promise<Result<string>> {
  const [older, newer] = await Promise.all([needCommit(repo, from), needCommit(repo, to)]);
  if (!older.ok) return older;
  if (!newer.ok) return newer;
  const shape = ['--no-commit-header', '--format=%h %s', '--abbrev=7', '--encoding=UTF-8'];
  const range = ['--topo-order', newer.value, `^${older.value}`, '--'];
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

const PLAIN = ['--no-color', '--no-ext-diff', '--no-textconv', '--no-relative'];

/** One git process. */
export async function stat(repo: Repo, from: string, to: string): Promise<Result<string>> {
  const width = `--stat=${limits.statChars}`;
  const count = `--stat-count=${limits.statFiles}`;
  const done = await inRepo(repo, ['diff', ...PLAIN, width, count, from, to, '--']);
  return done.ok ? ok(done.value.stdout.toString('utf8')) : done;
}

/** One git process. False if the branch has no reflog. */
export async function wasMadeOn(
  repo: Repo,
  branch: string,
  commit: string,
): Promise<Result<boolean>> {
  const place = await repo.place();
  if (!place.ok) return place;
  const args = ['reflog', 'show', '--format=%H %gs', `refs/heads/${branch}`, '--'];
  const done = await repo.run({ cwd: place.value.root, args });
  if (!done.ok) return done;
  const lines = done.value.stdout.toString('utf8').split('\n');
  return ok(lines.some((line) => line.startsWith(`${commit} commit`)));
}

/** One git process. A diff over the size limit is cut and says so at its end. */
export async function diff(repo: Repo, from: string, to: string): Promise<Result<string>> {
  const place = await repo.place();
  if (!place.ok) return place;
  const args = ['diff', ...PLAIN, from, to, '--'];
  const done = await repo.run({ cwd: place.value.root, args });
  if (!done.ok) return done;
  const { exit, stdout, stderr, cut } = done.value;
  if (cut) return ok(`${stdout.toString('utf8')}\n(the rest was left out)\n`);
  if (exit !== 0) return fail(gitFailed(args, exit, stderr));
  return ok(stdout.toString('utf8'));
}
