import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { beginTry, endTry } from '../../src/app/try.ts';
import { noteFile, openTry } from '../../src/app/try-note.ts';
import { writeFile } from '../../src/files/state-file.ts';
import { gitCli } from '../../src/git/cli.ts';
import { limits } from '../../src/model/limits.ts';
import { outcomeOf } from '../../src/model/trouble.ts';
import { probe } from '../../src/wire/project.ts';
import { MemoryStore } from '../memory/store.ts';
import { added, captured, ready, started, turn, turned, wish } from '../record/life.ts';
import { need } from '../rig/need.ts';
import { tempFolder } from '../rig/temp-folder.ts';

let root: string;
let store: MemoryStore;
let work: string;

const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
const git = (...args: string[]): string =>
  execFileSync('git', args, { cwd: root, env, encoding: 'utf8', stdio: 'pipe' }).trim();
const put = (path: string, text: string): void => writeFileSync(join(root, path), text);
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

function commitAll(message: string): string {
  git('add', '-A');
  git('commit', '-qm', message);
  return git('rev-parse', 'HEAD');
}

function ports() {
  const dir = join(root, '.git', 'yardmaster');
  const storeSetting = { ok: true, value: { kind: 'sqlite' } } as const;
  return { root, dir, git: gitCli(root, env), probe, writeFile, store, storeSetting };
}

beforeEach(async () => {
  root = tempFolder();
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Ada');
  git('config', 'user.email', 'ada@example.org');
  put('.gitignore', 'ignored\n');
  put('.gitattributes', '*.txt text\n');
  put('a.txt', 'one\n');
  put('gone.txt', 'old\n');
  const base = commitAll('base');
  put('a.txt', 'two\n');
  put('new.txt', 'new\n');
  rmSync(join(root, 'gone.txt'));
  work = commitAll('work');
  git('reset', '-q', '--hard', base);
  await storeWork();
});

/** A task whose agent has made the commit `work`. */
async function storeWork(): Promise<void> {
  git('update-ref', 'refs/yard/keep/a', work);
  store = new MemoryStore();
  need(await store.append(1, [added('a'), started('r')]));
  need(await store.claim(1, wish('r', 'a')));
  const made = { ...captured('r', 'a'), commit: work } as ReturnType<typeof captured>;
  need(await store.append(1, [ready('r', 'a'), turn('r', 'a'), turned('r', 'a'), made]));
}

async function problem(tried: Promise<unknown>): Promise<string> {
  const { failure } = (await tried) as { failure?: { problem?: string } };
  return failure?.problem ?? 'none';
}

describe('trying the work of a task', () => {
  it('shows it in the checkout and goes back to the same bytes', async () => {
    // Clean for git, although git would write other line ends.
    put('a.txt', 'one\r\n');
    git('add', '--renormalize', '.');
    put('mine', 'untracked');
    const note = need(await beginTry(ports(), 'a'));
    expect(note).toMatchObject({ task: 'a', commit: work, branch: 'main' });
    expect([textOf('a.txt'), textOf('new.txt')]).toEqual(['two\n', 'new\n']);
    expect(git('rev-parse', 'HEAD')).toBe(work);
    expect(openTry(ports())?.task).toBe('a');
    expect(need(await endTry(ports())).how).toBe('restored');
    expect([textOf('a.txt'), textOf('gone.txt'), textOf('mine')]).toEqual([
      'one\r\n',
      'old\n',
      'untracked',
    ]);
    expect(git('symbolic-ref', 'HEAD')).toBe('refs/heads/main');
    expect(git('status', '--porcelain')).toBe('?? mine');
    expect(openTry(ports())).toBeUndefined();
  });

  it('is refused if something would be lost', async () => {
    put('a.txt', 'edited\n');
    expect(await problem(beginTry(ports(), 'a'))).toBe('your checkout has changes: a.txt');
    git('checkout', '-q', '.');
    put('new.txt', 'mine\n');
    expect(await problem(beginTry(ports(), 'a'))).toBe(
      'files that git does not track would be overwritten: new.txt',
    );
    expect(textOf('new.txt')).toBe('mine\n');
    rmSync(join(root, 'new.txt'));
    need(await beginTry(ports(), 'a'));
    expect(await problem(beginTry(ports(), 'a'))).toBe('a is being tried already');
  });

  it('says that the branch moved meanwhile', async () => {
    need(await beginTry(ports(), 'a'));
    git('update-ref', 'refs/heads/main', work);
    expect(need(await endTry(ports()))).toMatchObject({ how: 'moved', head: work });
    expect(git('status', '--porcelain')).toBe('');
  });

  it('goes back only when edits and commits of the user are safe', async () => {
    need(await beginTry(ports(), 'a'));
    put('a.txt', 'mine\n');
    expect(await problem(endTry(ports()))).toBe('your checkout has changes: a.txt');
    const own = commitAll('mine');
    expect(await problem(endTry(ports()))).toBe(`your commit ${own.slice(0, 10)} is on no branch`);
    git('branch', 'kept');
    expect(need(await endTry(ports())).how).toBe('restored');
    expect(git('rev-parse', 'kept')).toBe(own);
  });

  it('leaves a checkout alone whose user switched the branch', async () => {
    need(await beginTry(ports(), 'a'));
    git('switch', '-qc', 'other');
    expect(need(await endTry(ports())).how).toBe('left');
    expect(git('symbolic-ref', 'HEAD')).toBe('refs/heads/other');
  });

  it('goes back to a detached HEAD', async () => {
    git('checkout', '-q', '--detach');
    const head = git('rev-parse', 'HEAD');
    need(await beginTry(ports(), 'a'));
    expect(need(await endTry(ports())).how).toBe('restored');
    expect(git('rev-parse', 'HEAD')).toBe(head);
  });

  it('restores a checkout whose switch was cut short, and keeps what was edited since', async () => {
    need(await beginTry(ports(), 'a'));
    // As git leaves it when it is killed: files of the new commit, HEAD and index of the old one.
    git('symbolic-ref', 'HEAD', 'refs/heads/main');
    git('read-tree', 'main');
    put('gone.txt', 'edited since\n');
    expect(need(await endTry(ports())).how).toBe('restored');
    expect(textOf('a.txt')).toBe('one\n');
    expect(git('status', '--porcelain')).toBe('M gone.txt');
  });

  it('takes a file that git had only begun to write for no edit', async () => {
    need(await beginTry(ports(), 'a'));
    git('symbolic-ref', 'HEAD', 'refs/heads/main');
    git('read-tree', 'main');
    put('a.txt', 'tw');
    put('new.txt', '');
    expect(need(await endTry(ports())).how).toBe('restored');
    expect([textOf('a.txt'), textOf('gone.txt')]).toEqual(['one\n', 'old\n']);
    expect(existsSync(join(root, 'new.txt'))).toBe(false);
    expect(git('status', '--porcelain')).toBe('');
  });

  it('takes the same for an edit if no switch was cut short', async () => {
    need(await beginTry(ports(), 'a'));
    put('a.txt', 'tw');
    expect(await problem(endTry(ports()))).toBe('your checkout has changes: a.txt');
    expect(textOf('a.txt')).toBe('tw');
  });

  it.each(['main', undefined])(
    'finishes a switch back to %s that was cut short',
    async (branch) => {
      if (branch === undefined) git('checkout', '-q', '--detach');
      const head = git('rev-parse', 'HEAD');
      const note = need(await beginTry(ports(), 'a'));
      // As git leaves it when it is killed: some files of the old commit, HEAD and index of the new one.
      await outcomeOf(writeFile(noteFile(ports()), JSON.stringify({ ...note, leaving: true })));
      rmSync(join(root, 'new.txt'));
      put('gone.txt', 'old\n');
      put('a.txt', 'on');
      expect(need(await endTry(ports())).how).toBe('restored');
      expect([textOf('a.txt'), textOf('gone.txt')]).toEqual(['one\n', 'old\n']);
      expect(git('status', '--porcelain')).toBe('');
      expect(git('rev-parse', 'HEAD')).toBe(head);
      expect(git('rev-parse', '--abbrev-ref', 'HEAD')).toBe(branch ?? 'HEAD');
    },
  );

  it('keeps what was edited after a switch back was cut short', async () => {
    const note = need(await beginTry(ports(), 'a'));
    await outcomeOf(writeFile(noteFile(ports()), JSON.stringify({ ...note, leaving: true })));
    put('a.txt', 'mine\n');
    expect(await problem(endTry(ports()))).toBe('your checkout has changes: a.txt');
    git('checkout', '-q', 'a.txt');
    put('gone.txt', 'mine too\n');
    expect(await endTry(ports())).toMatchObject({ failure: { kind: 'git-failed' } });
    expect(textOf('gone.txt')).toBe('mine too\n');
    expect(openTry(ports())?.leaving).toBe(true);
  });

  it('gives git as much time as a huge checkout takes', async () => {
    const walls: (number | undefined)[] = [];
    const timed: typeof probe = (argv, cwd, bounds) => {
      walls.push(bounds?.wallMs);
      return probe(argv, cwd, bounds);
    };
    need(await beginTry({ ...ports(), probe: timed }, 'a'));
    need(await endTry({ ...ports(), probe: timed }));
    expect(new Set(walls)).toEqual(new Set([limits.gitWallMs]));
  });

  describe('with programs, links, folders, flags and submodules', () => {
    const facts = (): string[] => [
      ...['run', 'a.txt'].map((path) => (statSync(join(root, path)).mode & 0o777).toString(8)),
      readlinkSync(join(root, 'link')),
      String(existsSync(join(root, 'empty'))),
      String(existsSync(join(root, 'empty', 'file'))),
      git('ls-files', '-sv'),
      git('status', '--porcelain'),
      git('rev-parse', 'HEAD', '--abbrev-ref', 'HEAD'),
    ];

    beforeEach(async () => {
      put('run', 'first\n');
      chmodSync(join(root, 'run'), 0o755);
      symlinkSync('a.txt', join(root, 'link'));
      git('init', '-q', 'sub');
      git(
        '-C',
        'sub',
        '-c',
        'user.name=A',
        '-c',
        'user.email=a',
        'commit',
        '-qm',
        'x',
        '--allow-empty',
      );
      const base = commitAll('more');
      rmSync(join(root, 'link'));
      symlinkSync('run', join(root, 'link'));
      put('run', 'second\n');
      chmodSync(join(root, 'run'), 0o644);
      put('a.txt', 'two\n');
      mkdirSync(join(root, 'empty'));
      put('empty/file', 'new\n');
      git('add', '-A');
      git('update-index', '--cacheinfo', `160000,${'a'.repeat(40)},sub`);
      git('commit', '-qm', 'work');
      work = git('rev-parse', 'HEAD');
      git('reset', '-q', '--hard', base);
      mkdirSync(join(root, 'empty'));
      chmodSync(join(root, 'a.txt'), 0o600);
      git('update-index', '--assume-unchanged', 'a.txt');
      await storeWork();
    });

    it('goes back to all of them', async () => {
      const before = facts();
      need(await beginTry(ports(), 'a'));
      expect(git('status', '--porcelain')).toBe('M sub');
      expect(need(await endTry(ports())).how).toBe('restored');
      expect(facts()).toEqual(before);
    });

    it.each(['the old index', 'the new index'])(
      'goes back if git was killed with %s',
      async (name) => {
        const before = facts();
        const index = readFileSync(join(root, '.git', 'index'));
        need(await beginTry(ports(), 'a'));
        git('symbolic-ref', 'HEAD', 'refs/heads/main');
        if (name === 'the old index') writeFileSync(join(root, '.git', 'index'), index);
        rmSync(join(root, 'run'));
        expect(need(await endTry(ports())).how).toBe('restored');
        expect(facts()).toEqual(before);
      },
    );
  });

  it('changes nothing if git refuses to switch', async () => {
    mkdirSync(join(root, '.git', 'yardmaster'), { recursive: true });
    put('.git/index.lock', '');
    const refused = { failure: { kind: 'surroundings-broken' } };
    expect(await beginTry(ports(), 'a')).toMatchObject(refused);
    expect(openTry(ports())).toBeUndefined();
    expect(textOf('a.txt')).toBe('one\n');
  });

  it('names the lock that a killed git left, and goes back once it is removed', async () => {
    need(await beginTry(ports(), 'a'));
    const lock = join(root, '.git', 'index.lock');
    writeFileSync(lock, '');
    expect(await endTry(ports())).toEqual({
      ok: false,
      failure: {
        kind: 'surroundings-broken',
        problem: `Git is locked in ${root}: ${lock} exists. A running git holds it, or one that was killed left it.`,
        remedy: `If no git, editor or other tool works there, remove ${lock}. Then type the command again.`,
      },
    });
    expect(textOf('a.txt')).toBe('two\n');
    rmSync(lock);
    expect(need(await endTry(ports())).how).toBe('restored');
    expect(textOf('a.txt')).toBe('one\n');
  });
});
