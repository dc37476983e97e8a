// Tests that need a real repository: its possible states and the environment around git.
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gitCli } from '../../src/git/cli.ts';
import { outcomeOf } from '../../src/model/trouble.ts';
import type { Git } from '../../src/port/git.ts';
import { kindOf } from '../conformance/git.ts';
import { type TempRepo, tempRepo } from './temp-repo.ts';

let repo: TempRepo;
let opened: Git[];

beforeEach(() => {
  repo = tempRepo({ 'a.txt': 'a\n', 'sub/b.txt': 'b\n' });
  opened = [];
});
afterEach(async () => {
  for (const git of opened) await git.close();
});

function open(dir = repo.root, env: NodeJS.ProcessEnv = process.env): Git {
  const git = gitCli(dir, env);
  opened.push(git);
  return git;
}

describe('inspect', () => {
  it('finds the root from a folder below it', async () => {
    expect((await open(join(repo.root, 'sub')).inspect()).root).toBe(repo.root);
  });

  it('finds the shared folder from a linked worktree, and its own branch', async () => {
    const dir = join(repo.base, 'linked');
    repo.git('worktree', 'add', '-q', '-b', 'side', dir);
    const found = await open(dir).inspect();
    expect(found).toMatchObject({ root: dir, branch: 'side' });
    expect(found.commonDir).toBe(join(repo.root, '.git'));
    expect(await open(dir).checkoutOf('main')).toBe(repo.root);
  });

  it('says that a folder is no repository, or not there at all', async () => {
    for (const name of ['plain', 'none']) {
      const dir = join(repo.base, name);
      if (name === 'plain') mkdirSync(dir);
      expect(await kindOf(outcomeOf(open(dir).inspect()))).toBe('not-a-repository');
    }
    expect(await kindOf(outcomeOf(open(join(repo.root, '.git')).inspect()))).toBe(
      'not-a-repository',
    );
  });

  it('sees bare, unborn, detached and shallow repositories for what they are', async () => {
    const bare = join(repo.base, 'bare.git');
    repo.git('clone', '-q', '--bare', repo.root, bare);
    expect((await open(bare).inspect()).bare).toBe(true);
    expect(await open(bare).checkoutOf('main')).toBeUndefined();

    repo.commit('second');
    const shallow = join(repo.base, 'shallow');
    repo.git('clone', '-q', '--depth=1', `file://${repo.root}`, shallow);
    expect((await open(shallow).inspect()).shallow).toBe(true);

    repo.git('checkout', '-q', '--detach');
    expect((await open().inspect()).branch).toBeUndefined();
    repo.git('checkout', '-q', '--orphan', 'fresh');
    const unborn = await open().inspect();
    expect(unborn.branch).toBe('fresh');
    expect(unborn.head).toBeUndefined();
  });

  it('takes no branch of a bare repository for checked out', async () => {
    const bare = join(repo.base, 'hub', '.git');
    repo.git('clone', '-q', '--bare', repo.root, bare);
    const dir = join(repo.base, 'hub', 'side');
    repo.gitIn(bare, 'worktree', 'add', '-q', '-b', 'side', dir);
    expect(await open(dir).checkoutOf('main')).toBeUndefined();
    expect(await open(dir).checkoutOf('side')).toBe(dir);
  });

  it('names what is half way', async () => {
    repo.git('checkout', '-q', '-b', 'side');
    repo.write('a.txt', 'side\n');
    const side = repo.commit('side');
    repo.git('checkout', '-q', 'main');
    repo.write('a.txt', 'main\n');
    repo.commit('main');
    const tries: [string, string[], string[]][] = [
      ['merge', ['merge', side], ['merge', '--abort']],
      ['cherry-pick', ['cherry-pick', side], ['cherry-pick', '--abort']],
      ['revert', ['revert', '--no-edit', 'HEAD~1'], ['revert', '--abort']],
      ['rebase', ['rebase', 'side'], ['rebase', '--abort']],
      ['bisect', ['bisect', 'start'], ['bisect', 'reset']],
    ];
    for (const [operation, begin, end] of tries) {
      try {
        repo.git(...begin);
      } catch (error) {
        expect(String(error)).toContain('Command failed');
      }
      const found = await open().inspect();
      expect(found.operation).toBe(operation);
      if (operation === 'rebase') expect(await open().checkoutOf('main')).toBe(repo.root);
      repo.git(...end);
    }
    expect((await open().inspect()).operation).toBeUndefined();
  });

  it('says that git is missing, or too old', async () => {
    const bin = join(repo.base, 'bin');
    mkdirSync(bin);
    expect(await kindOf(outcomeOf(open(repo.root, { PATH: bin }).inspect()))).toBe('git-missing');
    writeFileSync(join(bin, 'git'), '#!/bin/sh\necho "git version 2.37.4 (Some Git)"\n');
    chmodSync(join(bin, 'git'), 0o755);
    const found = await outcomeOf(open(repo.root, { PATH: `${bin}:/bin:/usr/bin` }).inspect());
    expect(found).toMatchObject({
      ok: false,
      failure: { kind: 'git-too-old', found: '2.37.4', needed: '2.38' },
    });
  });
});

describe('identity', () => {
  it('is what the configuration says', async () => {
    expect(await open().identity()).toBe('Test Person <person@example.invalid>');
  });

  it('names what is missing, and takes neither a guess nor the environment for it', async () => {
    const env = { ...process.env, EMAIL: 'x@y', GIT_AUTHOR_NAME: 'n', GIT_AUTHOR_EMAIL: 'e@f' };
    repo.git('config', '--unset', 'user.email');
    expect(await outcomeOf(open(repo.root, env).identity())).toMatchObject({
      failure: { kind: 'no-identity', missing: 'user.email' },
    });
    repo.git('config', 'user.email', 'a@b');
    repo.git('config', '--unset', 'user.name');
    expect(await outcomeOf(open(repo.root, env).identity())).toMatchObject({
      failure: { kind: 'no-identity', missing: 'user.name' },
    });
  });
});

describe('the environment around git', () => {
  it('does not lead our git to another repository, index or author', async () => {
    const other = tempRepo({ 'other.txt': 'o\n' });
    try {
      const env = {
        ...process.env,
        GIT_DIR: join(other.root, '.git'),
        GIT_WORK_TREE: other.root,
        GIT_INDEX_FILE: join(other.root, '.git', 'index'),
        GIT_COMMON_DIR: join(other.root, '.git'),
        GIT_PREFIX: 'sub/',
        GIT_AUTHOR_NAME: 'Nobody',
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: 'user.name',
        GIT_CONFIG_VALUE_0: 'Nobody',
      };
      const git = open(repo.root, env);
      expect((await git.inspect()).root).toBe(repo.root);
      const dir = join(repo.base, 'w');
      await git.addWorktree(dir, 'main');
      writeFileSync(join(dir, 'a.txt'), 'changed\n');
      const commit = await git.commitAll(dir, 'work');
      expect(repo.git('log', '-1', '--format=%an', commit).trim()).toBe('Test Person');
      expect(other.git('status', '--porcelain')).toBe('');
      expect(other.git('log', '--oneline', '--all').trim().split('\n')).toHaveLength(1);
    } finally {
    }
  });

  it('runs no hook of the person, in any verb', async () => {
    const trace = join(repo.base, 'hooks-ran');
    const hooks = join(repo.base, 'hooks');
    mkdirSync(hooks);
    for (const hook of [
      'pre-commit',
      'commit-msg',
      'post-commit',
      'post-checkout',
      'post-merge',
      'reference-transaction',
      'post-index-change',
    ]) {
      writeFileSync(join(hooks, hook), `#!/bin/sh\necho ${hook} >>${trace}\nexit 1\n`);
      chmodSync(join(hooks, hook), 0o755);
    }
    repo.git('config', 'core.hooksPath', hooks);
    const git = open();
    const dir = join(repo.base, 'w');
    await git.addWorktree(dir, 'main');
    await git.point(dir, 'main', 'yard/r/t-1');
    writeFileSync(join(dir, 'a.txt'), 'changed\n');
    const commit = await git.commitAll(dir, 'work');
    await git.moveRefs([{ ref: 'refs/yard/keep/r/t-1', to: commit }]);
    expect(await git.fastForward(repo.root, 'main', commit)).toEqual({ id: 'moved' });
    await git.point(dir, commit);
    expect(existsSync(trace)).toBe(false);
  });

  it('does not let settings of the person change what our commands do', async () => {
    for (const [name, value] of [
      ['commit.gpgSign', 'true'],
      ['gpg.program', 'false'],
      ['core.safecrlf', 'true'],
      ['core.autocrlf', 'input'],
      ['status.showUntrackedFiles', 'no'],
      ['diff.noprefix', 'true'],
      ['diff.external', 'false'],
      ['merge.ff', 'false'],
      ['branch.main.mergeOptions', '--squash --no-commit'],
      ['core.fsmonitor', 'false-and-hangs'],
    ] as const) {
      repo.git('config', name, value);
    }
    const git = open();
    const dir = join(repo.base, 'w');
    await git.addWorktree(dir, 'main');
    writeFileSync(join(dir, 'crlf.txt'), 'a\r\nb\r\n');
    expect((await git.status(dir)).dirty).toBe(true);
    const commit = await git.commitAll(dir, 'work');
    expect(await git.fastForward(repo.root, 'main', commit)).toEqual({ id: 'moved' });
    expect(await git.resolve('main')).toBe(commit);
    expect(await git.diff('main~1', 'main')).toContain('crlf.txt');
  });
});

describe('the reader of objects', () => {
  it('starts again after its process died over a question', async () => {
    const git = open();
    expect(await kindOf(outcomeOf(git.resolve('HEAD@{999}')))).toBe('git-failed');
    expect(await git.resolve('HEAD')).toBe(repo.git('rev-parse', 'HEAD').trim());
  });

  it('answers many questions at once, each with its own answer', async () => {
    const git = open();
    const ids = Array.from({ length: 30 }, (_, i) => repo.git('rev-parse', 'HEAD').trim() + i);
    const answers = await Promise.all(
      ids.map((id, i) => git.resolve(i % 2 === 0 ? id.slice(0, 40) : id)),
    );
    answers.forEach((answer, i) => {
      expect(answer).toBe(i % 2 === 0 ? ids[i]?.slice(0, 40) : undefined);
    });
  });

  it('sees refs after they were packed and objects after they were repacked', async () => {
    const git = open();
    const before = await git.resolve('main');
    repo.write('a.txt', 'next\n');
    const after = repo.commit('next');
    repo.git('gc', '-q');
    expect(await git.resolve('main')).toBe(after);
    expect((await git.commit('main')).parents).toEqual([before]);
  });

  it('reads and writes a message of a megabyte', async () => {
    const git = open();
    const head = await git.commit('HEAD');
    const message = `long\n\n${'x'.repeat(1024 * 1024)}\n`;
    const made = await git.commitTree(head.tree, [head.commit], message);
    expect(await git.commit(made)).toMatchObject({ parents: [head.commit] });
    expect(repo.git('cat-file', 'commit', made).endsWith(message)).toBe(true);
  });

  it('works again after it was closed', async () => {
    const git = open();
    await git.resolve('HEAD');
    await git.close();
    await git.close();
    expect(await git.resolve('HEAD')).toBeDefined();
  });

  it('fails and does not throw when the repository is gone', async () => {
    const git = open();
    rmSync(join(repo.root, '.git'), { recursive: true });
    expect(await kindOf(outcomeOf(git.resolve('HEAD')))).toBe('not-a-repository');
    expect(await kindOf(outcomeOf(git.moveRefs([{ ref: 'refs/heads/x', to: 'y' }])))).toBe(
      'not-a-repository',
    );
  });
});
