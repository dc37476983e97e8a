import { describe, expect, it } from 'vitest';
import { failures } from '../../../test/report/failures.ts';
import type { Failure } from '../../model/failure.ts';
import { explain } from './explain.ts';

const text = (kind: Failure['kind']): string => {
  const { what, why, do: remedy, exit } = explain(failures[kind], 'search');
  return `${what}\n${why}\n${remedy}\n(${exit})`;
};

describe('a repository that is not fit', () => {
  it('is explained: git-missing', () => {
    expect(text('git-missing')).toMatchInlineSnapshot(`
      "Could not start git: ENOENT.
      All work is kept in git.
      Install git, then check with \`ym doctor\`.
      (3)"
    `);
  });

  it('is explained: git-too-old', () => {
    expect(text('git-too-old')).toMatchInlineSnapshot(`
      "git 2.30.1 is too old; 2.38 or newer is needed.
      Branches are merged without a checkout, which older versions cannot do.
      Install a newer git, then check with \`ym doctor\`.
      (3)"
    `);
  });

  it('is explained: a folder that does not exist', () => {
    expect(explain({ kind: 'not-a-repository', dir: '/none', missing: true })).toMatchObject({
      what: 'The folder /none does not exist.',
      exit: 2,
    });
  });

  it('is explained: not-a-repository', () => {
    expect(text('not-a-repository')).toMatchInlineSnapshot(`
      "/somewhere is not in a git repository.
      Every agent works in a worktree of a repository.
      Go to your repository, or name it with \`ym -C DIR\`; \`git init\` creates a new one.
      (3)"
    `);
  });

  it('is explained: bare-repository', () => {
    expect(text('bare-repository')).toMatchInlineSnapshot(`
      "/somewhere.git is a bare repository.
      Yardmaster needs a checkout with the project’s files and config.
      Clone it, and go there or name the clone with \`ym -C DIR\`.
      (3)"
    `);
  });

  it('is explained: no-commits', () => {
    expect(text('no-commits')).toMatchInlineSnapshot(`
      "The repository in /somewhere has no commit yet.
      Agents start from a commit of the target branch.
      Make a first commit: \`git commit --allow-empty -m "First commit"\`.
      (3)"
    `);
  });

  it('is explained: detached-head', () => {
    expect(text('detached-head')).toMatchInlineSnapshot(`
      "No branch is checked out; HEAD is at aaaaaaaaaaaa.
      Work lands on a branch, and none is selected.
      Name it with \`ym run --target BRANCH\`, or check out a branch.
      (3)"
    `);
  });

  it('is explained: target-missing', () => {
    expect(text('target-missing')).toMatchInlineSnapshot(`
      "There is no branch "mian" to land on.
      The target must exist before a run starts.
      Did you mean main? Create it with \`git branch mian\`, or name another with \`ym run --target BRANCH\`.
      (2)"
    `);
  });

  it('is explained: shallow-repository', () => {
    expect(text('shallow-repository')).toMatchInlineSnapshot(`
      "The repository in /somewhere is shallow.
      Merging needs the history that was left out.
      Fetch the rest with \`git fetch --unshallow\`.
      (3)"
    `);
  });

  it('is explained: operation-in-progress', () => {
    expect(text('operation-in-progress')).toMatchInlineSnapshot(`
      "A rebase is in progress in /somewhere.
      The target must not move while you are in the middle of something.
      Finish or abort it (\`git rebase --abort\`), then start again.
      (3)"
    `);
  });

  it('is explained: no-identity', () => {
    expect(text('no-identity')).toMatchInlineSnapshot(`
      "Git identity is missing: \`user.email\` is not set.
      Commits and merges need an author.
      Type \`git config user.name "Your Name"\` and \`git config user.email you@example.com\`.
      (3)"
    `);
  });

  it('is explained: branch-exists', () => {
    expect(text('branch-exists')).toMatchInlineSnapshot(`
      "The branch yard/r1/api-1 already exists and was not created by Yardmaster.
      Run r1 needs this name for an attempt, and Yardmaster never overwrites a branch.
      Rename it with \`git branch -m yard/r1/api-1 NEW-NAME\`, then start again.
      (3)"
    `);
  });
});
