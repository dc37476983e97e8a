import { existsSync } from 'node:fs';
import { fail, ok, type Result } from '../model/failure.ts';
import { atLeast } from '../model/version.ts';
import type { Repository } from '../port/git.ts';
import { headOf, operationIn } from './admin.ts';
import { gitFailed } from './command.ts';
import type { Place } from './repo.ts';
import { type Repo, resolveCommit, runInRepo } from './repo.ts';

/** First version with `merge-tree --write-tree`. */
const NEEDED_GIT = '2.38';

export async function inspect(repo: Repo, dir: string): Promise<Result<Repository>> {
  const [version, place] = await Promise.all([checkVersion(repo, dir), repo.place()]);
  if (!version.ok) return version;
  if (!place.ok) return place;
  const { root, gitDir, commonDir, bare, shallow } = place.value;
  const head = await resolveCommit(repo, 'HEAD');
  if (!head.ok) return head;
  const branch = await branchOf(repo, place.value);
  if (!branch.ok) return branch;
  const operation = await operationIn(gitDir);
  const found = { root, commonDir, bare, shallow, operation };
  return ok({ ...found, branch: branch.value, head: head.value });
}

/** Repositories whose git version has passed the check. */
const fit = new WeakSet<Repo>();

async function checkVersion(repo: Repo, dir: string): Promise<Result<void>> {
  if (fit.has(repo)) return ok(undefined);
  const args = ['version'];
  const done = await repo.run({ cwd: dir, args });
  if (!done.ok)
    return existsSync(dir) ? done : fail({ kind: 'not-a-repository', dir, missing: true });
  const found = /(\d+\.\d+)\S*/.exec(done.value.stdout.toString());
  if (found === null) return fail(gitFailed(args, done.value.exit, done.value.stderr));
  const [text, version = ''] = found;
  if (!atLeast(version, NEEDED_GIT)) {
    return fail({ kind: 'git-too-old', found: text, needed: NEEDED_GIT });
  }
  fit.add(repo);
  return ok(undefined);
}

async function branchOf(repo: Repo, place: Place): Promise<Result<string | undefined>> {
  if (!place.reftable) return ok((await headOf(place.gitDir)).branch);
  const done = await runInRepo(repo, ['symbolic-ref', '-q', 'HEAD']);
  if (!done.ok) return done;
  return ok(/^refs\/heads\/(.+)$/.exec(done.value.stdout.toString().trim())?.[1]);
}

/**
 * Reads the identity from git config only: identity variables are removed from the environment of our commands, and an
 * identity guessed from the host does not count.
 */
export async function identity(repo: Repo): Promise<Result<string>> {
  const [author, committer] = await Promise.all([
    runInRepo(repo, ['var', 'GIT_AUTHOR_IDENT']),
    runInRepo(repo, ['var', 'GIT_COMMITTER_IDENT']),
  ]);
  for (const done of [committer, author]) {
    if (!done.ok) return done;
    if (done.value.exit !== 0) return fail(missingIdentity(done.value.stderr));
  }
  const text = author.ok ? author.value.stdout.toString().trim() : '';
  return ok(text.replace(/ \d+ [+-]\d{4}$/, ''));
}

function missingIdentity(stderr: string) {
  const missing = /no email|empty email/i.test(stderr) ? 'user.email' : 'user.name';
  return { kind: 'no-identity', missing } as const;
}
