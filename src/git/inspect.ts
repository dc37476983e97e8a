import { existsSync } from 'node:fs';
import { outcomeOf, Trouble, take } from '../model/trouble.ts';
import { atLeast } from '../model/version.ts';
import type { Repository } from '../port/git.ts';
import { headOf, operationIn } from './admin.ts';
import { gitFailed } from './command.ts';
import type { Place } from './repo.ts';
import { type Repo, resolveCommit, runInRepo } from './repo.ts';

/** First version with `merge-tree --write-tree`. */
const NEEDED_GIT = '2.38';

export async function inspect(repo: Repo, dir: string): Promise<Repository> {
  // A git that is too old says so itself, whatever else it cannot do.
  const [found] = await Promise.all([outcomeOf(repo.place()), checkVersion(repo, dir)]);
  const place = take(found);
  const { root, gitDir, commonDir, bare, shallow } = place;
  const head = await resolveCommit(repo, 'HEAD');
  const branch = await branchOf(repo, place);
  const operation = await operationIn(gitDir);
  return { root, commonDir, bare, shallow, operation, branch, head };
}

/** Repositories whose git version has passed the check. */
const fit = new WeakSet<Repo>();

async function checkVersion(repo: Repo, dir: string): Promise<void> {
  if (fit.has(repo)) return;
  const args = ['version'];
  if (!existsSync(dir)) throw new Trouble({ kind: 'not-a-repository', dir, missing: true });
  const done = await repo.run({ cwd: dir, args });
  const found = /(\d+\.\d+)\S*/.exec(done.stdout.toString());
  if (found === null) throw new Trouble(gitFailed(args, done.exit, done.stderr));
  const [text, version = ''] = found;
  if (!atLeast(version, NEEDED_GIT)) {
    throw new Trouble({ kind: 'git-too-old', found: text, needed: NEEDED_GIT });
  }
  fit.add(repo);
}

async function branchOf(repo: Repo, place: Place): Promise<string | undefined> {
  if (!place.reftable) return (await headOf(place.gitDir)).branch;
  const done = await runInRepo(repo, ['symbolic-ref', '-q', 'HEAD']);
  return /^refs\/heads\/(.+)$/.exec(done.stdout.toString().trim())?.[1];
}

/**
 * Reads the identity from git config only: identity variables are removed from the environment of our commands, and an
 * identity guessed from the host does not count.
 */
export async function identity(repo: Repo): Promise<string> {
  const [author, committer] = await Promise.all([
    runInRepo(repo, ['var', 'GIT_AUTHOR_IDENT']),
    runInRepo(repo, ['var', 'GIT_COMMITTER_IDENT']),
  ]);
  for (const done of [committer, author]) {
    if (done.exit !== 0) throw new Trouble(missingIdentity(done.stderr));
  }
  return author.stdout
    .toString()
    .trim()
    .replace(/ \d+ [+-]\d{4}$/, '');
}

function missingIdentity(stderr: string) {
  const missing = /no email|empty email/i.test(stderr) ? 'user.email' : 'user.name';
  return { kind: 'no-identity', missing } as const;
}
