import type { RepositoryFailure } from '../../model/failure.ts';
import { inline, type SentencesOf } from './explanation.ts';

/** Reasons why a run cannot start in this repository. */
export const repositorySentences: SentencesOf<RepositoryFailure> = {
  'git-missing': (failure) => ({
    what: `Could not start git: ${inline(failure.cause)}.`,
    why: 'All work is kept in git.',
    do: 'Install git, then check with `ym doctor`.',
  }),
  'git-too-old': (failure) => ({
    what: `git ${inline(failure.found)} is too old; ${failure.needed} or newer is needed.`,
    why: 'Branches are merged without a checkout, which older versions cannot do.',
    do: 'Install a newer git, then check with `ym doctor`.',
  }),
  'not-a-repository': (failure) => ({
    what: `${failure.dir} is not in a git repository.`,
    why: 'Every agent works in a worktree of a repository.',
    do: 'Go to your repository, or name it with `ym -C DIR`; `git init` creates a new one.',
  }),
  'bare-repository': (failure) => ({
    what: `${failure.dir} is a bare repository.`,
    why: 'Yardmaster needs a checkout with the project’s files and config.',
    do: 'Clone it, and go there or name the clone with `ym -C DIR`.',
  }),
  'no-commits': (failure) => ({
    what: `The repository in ${failure.dir} has no commit yet.`,
    why: 'Agents start from a commit of the target branch.',
    do: 'Make a first commit: `git commit --allow-empty -m "First commit"`.',
  }),
  'detached-head': (failure) => ({
    what: `No branch is checked out; HEAD is at ${failure.commit.slice(0, 12)}.`,
    why: 'Work lands on a branch, and none is selected.',
    do: 'Name it with `ym run --target BRANCH`, or check out a branch.',
  }),
  'target-missing': (failure) => ({
    what: `There is no branch "${failure.branch}" to land on.`,
    why: 'The target must exist before a run starts.',
    do: `${failure.nearest === undefined ? '' : `Did you mean ${failure.nearest}? `}Create it with \`git branch ${failure.branch}\`, or name another with \`ym run --target BRANCH\`.`,
    exit: 2,
  }),
  'shallow-repository': (failure) => ({
    what: `The repository in ${failure.dir} is shallow.`,
    why: 'Merging needs the history that was left out.',
    do: 'Fetch the rest with `git fetch --unshallow`.',
  }),
  'operation-in-progress': (failure) => ({
    what: `A ${failure.operation} is in progress in ${failure.dir}.`,
    why: 'The target must not move while you are in the middle of something.',
    do: `Finish or abort it (\`git ${failure.operation} --abort\`), then start again.`,
  }),
  'no-identity': (failure) => ({
    what: `Git identity is missing: \`${failure.missing}\` is not set.`,
    why: 'Commits and merges need an author.',
    do: 'Type `git config user.name "Your Name"` and `git config user.email you@example.com`.',
  }),
  'branch-exists': (failure) => ({
    what: `The branch ${failure.branch} already exists and was not created by Yardmaster.`,
    why: `Run ${failure.run} needs this name for an attempt, and Yardmaster never overwrites a branch.`,
    do: `Rename it with \`git branch -m ${failure.branch} NEW-NAME\`, then start again.`,
  }),
};
