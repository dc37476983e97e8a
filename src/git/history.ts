import { fail, ok, type Result } from '../model/failure.ts';
import { speakable } from './checkout.ts';
import { gitFailed, nulSeparated } from './command.ts';
import type { Merge } from './git.ts';
import { inRepo, type Repo } from './repo.ts';

/** One git process, which writes objects and nothing else. */
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

/** Where a link or a folder meets a file, git lists the file by a name of its own making: `path~side`. */
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
  const done = await inRepo(repo, args, speakable(message));
  return done.ok ? ok(done.value.stdout.toString().trim()) : done;
}

/** A patch longer than may be kept is cut, and says so at its end. */
export async function diff(repo: Repo, from: string, to: string): Promise<Result<string>> {
  const place = await repo.place();
  if (!place.ok) return place;
  const plain = ['--no-color', '--no-ext-diff', '--no-textconv', '--no-relative'];
  const args = ['diff', ...plain, from, to, '--'];
  const done = await repo.run({ cwd: place.value.root, args });
  if (!done.ok) return done;
  const { exit, stdout, stderr, cut } = done.value;
  if (cut) return ok(`${stdout.toString('utf8')}\n(the rest was left out)\n`);
  if (exit !== 0) return fail(gitFailed(args, exit, stderr));
  return ok(stdout.toString('utf8'));
}

/** Of a renamed file both names. */
export async function changedFiles(
  repo: Repo,
  from: string,
  to: string,
): Promise<Result<readonly string[]>> {
  const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', '--no-relative', from, to];
  const done = await inRepo(repo, args);
  return done.ok ? ok(nulSeparated(done.value.stdout)) : done;
}
