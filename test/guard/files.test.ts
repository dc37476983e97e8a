import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gitCli } from '../../src/git/cli.ts';
import { filesGuard, type GuardOptions } from '../../src/guard/files.ts';
import { homePlaces } from '../../src/guard/home.ts';
import { namesInStatus } from '../../src/guard/status.ts';
import { tamperings } from '../../src/guard/tampering-list.ts';
import { fail, ok } from '../../src/model/failure.ts';
import { limits } from '../../src/model/limits.ts';
import { outcomeOf, Trouble } from '../../src/model/trouble.ts';
import type { Guard } from '../../src/port/guard.ts';
import { guardConformance } from '../conformance/guard.ts';
import { type TempRepo, tempRepo } from '../git/temp-repo.ts';

function stage() {
  const repo = tempRepo({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  for (const branch of ['other', 'yard/r/a-1', 'yard/r/b-1']) repo.git('branch', branch);
  repo.git('tag', '-a', 'v1', '-m', 'one');
  const git = gitCli(repo.root);
  const status = () => repo.git('status', '--porcelain=v1', '-z', '--untracked-files=normal');
  const guard = filesGuard({
    git,
    commonDir: join(repo.root, '.git'),
    checkout: repo.root,
    checkoutFiles: async () => ok(namesInStatus(status())),
    home: homePlaces({ HOME: join(repo.base, 'home') }, []),
  });
  const dispose = async () => {
    await git.close();
  };
  return { repo, git, guard, dispose };
}

const homeFiles = { gate: '.npmrc', access: '.ssh/authorized_keys', session: '.bashrc' };

guardConformance('files', async () => {
  const { repo, guard, dispose } = stage();
  const inGit = (path: string): string => join(repo.root, '.git', path);
  let edits = 0;
  const edit = (file: string): void => {
    edits += 1;
    mkdirSync(dirname(file), { recursive: true });
    appendFileSync(file, `# ${edits}\n`);
  };
  const elsewhere = (): string => {
    edits += 1;
    const made = repo.git('commit-tree', 'HEAD^{tree}', '-p', 'HEAD', '-m', `edit ${edits}`);
    return made.trim();
  };
  return {
    guard,
    plantHook: (name) => edit(inGit(`hooks/${name}`)),
    removeHook: (name) => rmSync(inGit(`hooks/${name}`)),
    changeSettings: (file) => edit(inGit(file)),
    moveRef: (ref, to) => {
      if (to === undefined) repo.git('update-ref', '-d', ref);
      else repo.git('update-ref', ref, elsewhere());
    },
    editCheckout: (file) => edit(join(repo.root, file)),
    changeHome: (effect) => edit(join(repo.base, 'home', homeFiles[effect])),
    switchCheckout: (branch) => repo.git('symbolic-ref', 'HEAD', `refs/heads/${branch}`),
    dispose,
  };
});

describe('a guard over files', () => {
  let repo: TempRepo;
  let guard: Guard;
  let git: ReturnType<typeof gitCli>;
  let dispose: () => Promise<void>;
  beforeEach(() => {
    ({ repo, guard, git, dispose } = stage());
  });
  afterEach(() => dispose());
  const inGit = (path: string): string => join(repo.root, '.git', path);
  const guardWith = (where: Pick<GuardOptions, 'checkout' | 'checkoutFiles'>): Guard =>
    filesGuard({ git, commonDir: inGit(''), home: [], ...where });
  const seen = async (deed: () => void, expected: readonly string[] = []) => {
    const before = await guard.snapshot();
    deed();
    return tamperings(before, await guard.snapshot(), [], expected);
  };

  it('sees a hook that became executable, and one that is a link', async () => {
    writeFileSync(inGit('hooks/pre-push'), '#!/bin/sh\n', { mode: 0o644 });
    const hook = [{ kind: 'git-hook', name: 'pre-push' }];
    expect(await seen(() => chmodSync(inGit('hooks/pre-push'), 0o755))).toEqual(hook);
    const link = () => {
      rmSync(inGit('hooks/pre-push'));
      symlinkSync('../../a.txt', inGit('hooks/pre-push'));
    };
    expect(await seen(link)).toEqual(hook);
  });

  it('sees a folder of hooks that the settings were made to name', async () => {
    const hooks = join(repo.base, 'evil');
    mkdirSync(hooks);
    expect(await seen(() => repo.git('config', 'core.hooksPath', hooks))).toEqual([
      { kind: 'git-settings', file: 'config' },
    ]);
    const plant = () => writeFileSync(join(hooks, 'pre-commit'), 'exit 1\n');
    expect(await seen(plant)).toEqual([{ kind: 'git-hook', name: join(hooks, 'pre-commit') }]);
  });

  it('sees hooks in the checkout, unless a landing may have brought them', async () => {
    repo.git('config', 'core.hooksPath', '.hooks');
    repo.write('.hooks/pre-commit', 'one\n');
    repo.write('.gitignore', '.hooks\n');
    const change = (text: string) => () => {
      repo.write('.hooks/pre-commit', text);
      repo.git('branch', '-f', 'other', repo.git('commit-tree', 'HEAD^{tree}', '-m', text).trim());
    };
    expect(await seen(change('two\n'))).toMatchObject([
      { kind: 'git-hook', name: '.hooks/pre-commit' },
      { kind: 'ref-moved' },
    ]);
    // Of a whole folder of refs, one or the other is always on the move: that is no landing.
    expect(await seen(change('three\n'), ['refs/heads/'])).toMatchObject([{ kind: 'git-hook' }]);
    expect(await seen(change('four\n'), ['refs/heads/other'])).toEqual([]);
  });

  it('names the settings, and not every file of a folder that they name as one of hooks', async () => {
    const folder = join(repo.base, 'full');
    mkdirSync(folder);
    for (const name of ['a', 'b', 'c']) writeFileSync(join(folder, name), '');
    expect(await seen(() => repo.git('config', 'core.hooksPath', folder))).toEqual([
      { kind: 'git-settings', file: 'config' },
    ]);
  });

  it('sees a file that the settings include', async () => {
    writeFileSync(inGit('more'), '');
    repo.git('config', 'include.path', 'more');
    const change = () => writeFileSync(inGit('more'), '[core]\n\tfsmonitor = evil\n');
    expect(await seen(change)).toEqual([{ kind: 'git-settings', file: 'more' }]);
  });

  it('ignores a file that was written again with the same content', async () => {
    const again = () => {
      const text = readFileSync(inGit('config'));
      rmSync(inGit('config'));
      writeFileSync(inGit('config'), text);
      utimesSync(inGit('config'), 1, 1);
    };
    expect(await seen(again)).toEqual([]);
  });

  it('ignores what git records about a branch that tracks another', async () => {
    repo.git('remote', 'add', 'origin', repo.base);
    const follow = () => {
      repo.git('config', 'branch.new.remote', 'origin');
      repo.git('config', 'branch.new.merge', 'refs/heads/new');
    };
    expect(await seen(follow)).toEqual([]);
    expect(await seen(() => repo.git('config', 'branch.main.remote', 'https://evil'))).toEqual([
      { kind: 'git-settings', file: 'config' },
    ]);
  });

  it('ignores that refs are packed', async () => {
    expect(await seen(() => repo.git('pack-refs', '--all'))).toEqual([]);
  });

  it('tells a large hook by its size and time', async () => {
    const hook = inGit('hooks/big');
    writeFileSync(hook, 'x'.repeat(limits.watchedBytes + 1));
    utimesSync(hook, 1, 1);
    expect(await seen(() => utimesSync(hook, 2, 2))).toEqual([{ kind: 'git-hook', name: 'big' }]);
  });

  it('waits for nothing: a pipe in place of a file is only named', async () => {
    // Git itself would wait for such a file, so it is not asked here.
    const checkoutFiles = async () => ok([]);
    const calm = guardWith({ checkout: repo.root, checkoutFiles });
    const before = await calm.snapshot();
    for (const file of ['hooks/pipe', 'info/attributes']) execFileSync('mkfifo', [inGit(file)]);
    expect(tamperings(before, await calm.snapshot(), [])).toEqual([
      { kind: 'git-hook', name: 'pipe' },
      { kind: 'git-settings', file: 'info/attributes' },
    ]);
  });

  it('sees renamed files of the checkout under both names', async () => {
    const found = await seen(() => repo.git('mv', 'a.txt', 'c.txt'));
    expect(found).toEqual([
      { kind: 'checkout-changed', dir: repo.root, files: ['a.txt', 'c.txt'] },
    ]);
  });

  it('looks at the HEAD and the settings of a checkout that is a linked worktree', async () => {
    const dir = join(repo.base, 'linked');
    repo.git('worktree', 'add', '-q', '--detach', dir);
    const gitDir = inGit('worktrees/linked');
    const checkoutFiles = async () => ok([]);
    const there = guardWith({ checkout: dir, checkoutFiles });
    const before = await there.snapshot();
    repo.gitIn(dir, 'switch', '-q', 'yard/r/a-1');
    writeFileSync(join(gitDir, 'config.worktree'), '[core]\n\thooksPath = evil\n');
    expect(tamperings(before, await there.snapshot(), [])).toEqual([
      { kind: 'git-settings', file: 'worktrees/linked/config.worktree' },
      { kind: 'checkout-changed', dir, files: ['HEAD'] },
    ]);
  });

  it('reports nothing if git does not answer, and never throws', async () => {
    const no = async () => fail({ kind: 'other', message: 'no' } as const);
    const blind = filesGuard({
      git: {
        refs: async () => {
          throw new Trouble({ kind: 'other', message: 'no' });
        },
      },
      commonDir: join(repo.base, 'nowhere'),
      checkout: join(repo.base, 'nowhere'),
      checkoutFiles: no,
      home: [],
    });
    const [before, after] = [await blind.snapshot(), await guard.snapshot()];
    expect(before.refs).toBeUndefined();
    expect(before.checkout).toEqual({ dir: join(repo.base, 'nowhere'), head: 'unknown' });
    expect(tamperings(before, await blind.snapshot(), [])).toEqual([]);
    const kinds = new Set(tamperings(before, after, []).map(({ kind }) => kind));
    expect(kinds.has('ref-moved')).toBe(false);
  });

  function counting() {
    const asked = { refs: 0, files: 0 };
    const counted = filesGuard({
      git: {
        refs: (prefix) => {
          asked.refs += 1;
          return git.refs(prefix);
        },
      },
      commonDir: inGit(''),
      checkout: repo.root,
      checkoutFiles: async () => {
        asked.files += 1;
        return ok([]);
      },
      home: [],
    });
    return { asked, counted };
  }

  it('sees no change in files that a landing is about to update', async () => {
    const landing = inGit('yardmaster-landing');
    const halfway = filesGuard({
      git,
      commonDir: inGit(''),
      checkout: repo.root,
      checkoutFiles: async () => ok(existsSync(landing) ? ['a.txt'] : []),
      home: [],
    });
    const before = await halfway.snapshot();
    writeFileSync(landing, '{}');
    setTimeout(() => rmSync(landing), 60);
    expect(tamperings(before, await halfway.snapshot(), [])).toEqual([]);
    writeFileSync(landing, '{}');
    const [stuck] = tamperings(before, await halfway.snapshot(), []);
    expect(stuck).toMatchObject({ kind: 'checkout-changed', files: ['a.txt'] });
  });

  it('reads the refs from their files, and asks for the files of the checkout once a look', async () => {
    const { asked, counted } = counting();
    const loose = await counted.snapshot();
    const known = await outcomeOf(git.refs('refs/heads'));
    expect(loose.refs?.marks).toMatchObject(
      Object.fromEntries((known.ok ? known.value : []).map(({ ref, commit }) => [ref, commit])),
    );
    repo.git('pack-refs', '--all');
    const packed = await counted.snapshot();
    expect(tamperings(loose, packed, [])).toEqual([]);
    repo.git('update-ref', '-d', 'refs/heads/other');
    repo.git('symbolic-ref', 'refs/heads/alias', 'refs/heads/main');
    const named = tamperings(packed, await counted.snapshot(), []).map(
      (one) => 'ref' in one && one.ref,
    );
    expect(named).toEqual(['refs/heads/alias', 'refs/heads/other']);
    expect(asked).toEqual({ refs: 0, files: 3 });
  });

  it('asks git for the refs where there are too many to read one by one', async () => {
    for (let n = 0; n <= limits.looseRefs; n += 1)
      mkdirSync(inGit(`refs/heads/empty/${n}`), { recursive: true });
    const { asked, counted } = counting();
    expect((await counted.snapshot()).refs?.marks).toHaveProperty('refs/heads/other');
    expect(asked).toEqual({ refs: 1, files: 1 });
  });

  it('waits for nothing that lies where a ref should be', async () => {
    execFileSync('mkfifo', [inGit('refs/heads/pipe')]);
    const { counted } = counting();
    expect((await counted.snapshot()).refs?.marks['refs/heads/pipe']).toBe('special');
  });

  it('keeps to its bounds, and compares what both looks have seen', async () => {
    for (let hook = 0; hook < limits.watchedFiles + 5; hook += 1) {
      writeFileSync(inGit(`hooks/z${String(hook).padStart(4, '0')}`), '');
    }
    const { hooks } = await guard.snapshot();
    expect(Object.keys(hooks.marks).length).toBe(limits.watchedFiles);
    // One more at the beginning pushes one out at the end, which is no change.
    const plant = () => writeFileSync(inGit('hooks/a-first'), '');
    expect(await seen(plant)).toEqual([{ kind: 'git-hook', name: 'a-first' }]);
    expect(existsSync(inGit('hooks/a-first'))).toBe(true);
  });
});
