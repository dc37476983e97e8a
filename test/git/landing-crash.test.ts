// A landing in the user's checkout that is killed at any moment, with real git.
import {
  chmodSync,
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gitCli } from '../../src/git/cli.ts';
import { ok } from '../../src/model/failure.ts';
import { outcomeOf } from '../../src/model/trouble.ts';
import type { Git } from '../../src/port/git.ts';
import { self } from '../../src/process/identity.ts';
import { need } from '../conformance/git.ts';
import { type TempRepo, tempRepo } from './temp-repo.ts';

let repo: TempRepo;
let git: Git;
let start: string;
let next: string;

beforeEach(() => {
  repo = tempRepo({
    'a.txt': 'a\n',
    'b.txt': 'b\n',
    'gone.txt': 'g\n',
    'c.txt': 'c\n',
    'd.txt': 'd\n',
  });
  start = repo.git('rev-parse', 'HEAD').trim();
  repo.write('a.txt', 'a long new line\n');
  repo.write('b.txt', 'new b\n');
  repo.write('deep/new.txt', 'a new file\n');
  rmSync(join(repo.root, 'gone.txt'));
  next = repo.commit('next');
  repo.git('reset', '-q', '--hard', start);
  git = gitCli(repo.root);
});
afterEach(async () => {
  await git.close();
});

const inGit = (name: string): string => join(repo.root, '.git', name);
const forward = () => outcomeOf(git.fastForward(repo.root, 'main', next));
const text = (path: string): string => readFileSync(join(repo.root, path), 'utf8');

/** The landing is done, the index and the files are as git itself leaves them, and no trace is left. */
function expectLanded(changes = ''): void {
  expect(repo.git('rev-parse', 'main').trim()).toBe(next);
  expect(repo.git('status', '--porcelain')).toBe(changes);
  expectNoTraces();
}

function expectNoTraces(): void {
  const left = readdirSync(join(repo.root, '.git')).filter((name) =>
    /yardmaster|\.lock$/.test(name),
  );
  expect(left).toEqual([]);
  expect(existsSync(inGit('refs/heads/main.lock'))).toBe(false);
}

/** A git on PATH that runs `script` instead of `git merge`; `$real` is git, `$@` its arguments. */
function gitThat(script: string): Git {
  const bin = join(repo.base, 'bin');
  mkdirSync(bin, { recursive: true });
  const real = repo.git('--exec-path').trim();
  const text = `#!/bin/sh\nreal="${real}/git"\ncase " $* " in *" merge --ff-only "*) ;; *) exec "$real" "$@";; esac\n${script}\n`;
  writeFileSync(join(bin, 'git'), text);
  chmodSync(join(bin, 'git'), 0o755);
  return gitCli(repo.root, { ...process.env, PATH: `${bin}:${process.env.PATH}` });
}

/** Leaves intent, lock and a copy of the index, as an engine that dies right after it began. */
function beginAndDie(): void {
  const pid = process.pid;
  const engine = { pid, startedAt: self().startedAt.replace(/^\d+/, '0'), host: '' };
  const intent = { branch: 'main', from: start, to: next, engine, at: Date.now() };
  writeFileSync(inGit('yardmaster-landing'), JSON.stringify(intent));
  linkSync(inGit('yardmaster-landing'), inGit('index.lock'));
  linkSync(inGit('index'), inGit('yardmaster-index'));
  writeFileSync(inGit('yardmaster-landing.git'), JSON.stringify({ pid, startedAt: 'x' }));
}

it('a landing that starts during another one in the same checkout waits for it', async () => {
  repo.write('e.txt', 'e\n');
  const other = repo.commit('other');
  repo.git('reset', '-q', '--hard', start);
  // The edit keeps the first one from landing.
  repo.write('a.txt', 'mine\n');
  const slow = gitThat(`for last in "$@"; do :; done
    test "$last" = ${next} && sleep 0.3
    exec "$real" "$@"`);
  const first = outcomeOf(slow.fastForward(repo.root, 'main', next));
  const second = outcomeOf(slow.fastForward(repo.root, 'main', other));
  expect(await need(first)).toMatchObject({ id: 'refused' });
  expect(await need(second)).toMatchObject({ id: 'moved' });
  await slow.close();
  expect(repo.git('rev-parse', 'main').trim()).toBe(other);
  expect(repo.git('status', '--porcelain')).toBe(' M a.txt\n');
  expectNoTraces();
});

describe('a landing whose git is killed', () => {
  const readTree =
    'commit=; for commit in "$@"; do :; done\n"$real" read-tree -m -u HEAD "$commit"';
  const moments: Record<string, string> = {
    'before it did anything': 'kill -9 $$',
    'with the lock of its index': ': > "$GIT_INDEX_FILE.lock"; kill -9 $$',
    'after some files': `: > "$GIT_INDEX_FILE.lock"; printf 'a long new line\\n' > a.txt; rm gone.txt; mkdir deep; kill -9 $$`,
    'in the middle of a file': `: > "$GIT_INDEX_FILE.lock"; printf 'a long' > a.txt; rm b.txt; mkdir deep; printf 'a n' > deep/new.txt; kill -9 $$`,
    'after all files and the index': `${readTree}; kill -9 $$`,
    'with the locks of the refs': `${readTree}; : > .git/HEAD.lock; echo ${'$commit'} > .git/refs/heads/main.lock; kill -9 $$`,
    'after the branch has moved': '"$real" "$@"; kill -9 $$',
  };
  it.each(Object.entries(moments))(
    '%s is undone or finished, and done by the next call',
    async (moment, script) => {
      repo.write('d.txt', 'mine\n');
      repo.git('update-ref', 'ORIG_HEAD', start);
      const killed = gitThat(script);
      const first = await outcomeOf(killed.fastForward(repo.root, 'main', next));
      await killed.close();
      expectNoTraces();
      if (moment === 'after the branch has moved') expect(first).toEqual(ok({ id: 'moved' }));
      else {
        const stderr = expect.stringContaining('git was ended by SIGKILL') as unknown;
        expect(first).toMatchObject({ ok: false, failure: { kind: 'git-failed', stderr } });
        expect(repo.git('status', '--porcelain')).toBe(' M d.txt\n');
        expect(existsSync(join(repo.root, 'deep'))).toBe(false);
        expect(repo.git('rev-parse', 'ORIG_HEAD').trim()).toBe(start);
      }
      expect(await need(forward())).toEqual({ id: 'moved' });
      expectLanded(' M d.txt\n');
    },
  );
});

describe('a landing whose engine is killed', () => {
  const halves: Record<string, () => void> = {
    'right after it began': () => {},
    'while git held the lock of its index': () => writeFileSync(inGit('yardmaster-index.lock'), ''),
    'between two files': () => {
      writeFileSync(inGit('yardmaster-index.lock'), '');
      repo.write('a.txt', 'a long new line\n');
      rmSync(join(repo.root, 'gone.txt'));
    },
    'in the middle of a file': () => {
      writeFileSync(inGit('yardmaster-index.lock'), 'DIRC');
      repo.write('deep/new.txt', 'a ne');
      repo.write('b.txt', '');
    },
    'before the branch moved': () => run('read-tree', '-m', '-u', start, next),
    'after the branch moved': () => {
      run('read-tree', '-m', '-u', start, next);
      repo.git('update-ref', 'refs/heads/main', next);
    },
    'after the index was replaced': () => {
      run('read-tree', '-m', '-u', start, next);
      repo.git('update-ref', 'refs/heads/main', next);
      rmSync(inGit('index'));
      linkSync(inGit('yardmaster-index'), inGit('index'));
      rmSync(inGit('yardmaster-index'));
    },
  };
  const run = (...args: string[]): void => {
    const before = process.env.GIT_INDEX_FILE;
    process.env.GIT_INDEX_FILE = inGit('yardmaster-index');
    try {
      repo.git(...args);
    } finally {
      if (before === undefined) delete process.env.GIT_INDEX_FILE;
      else process.env.GIT_INDEX_FILE = before;
    }
  };
  for (const lock of [true, false]) {
    it.each(Object.entries(halves))(
      `%s is finished by the next call (${lock ? 'lock in place' : 'lock removed by the user'})`,
      async (_moment, leave) => {
        repo.write('c.txt', 'staged\n');
        repo.git('add', 'c.txt');
        repo.write('d.txt', 'mine\n');
        beginAndDie();
        leave();
        if (!lock) {
          rmSync(inGit('index.lock'));
          repo.git('status');
        }
        expect(await need(forward())).toEqual({ id: 'moved' });
        expectLanded('M  c.txt\n M d.txt\n');
      },
    );
  }

  it('keeps what a person edited meanwhile, and names only that', async () => {
    beginAndDie();
    writeFileSync(inGit('yardmaster-index.lock'), '');
    repo.write('a.txt', 'a long new line\n');
    repo.write('b.txt', 'by a person\n');
    const result = await need(forward());
    expect(result.id === 'refused' && result.cause).toContain('b.txt');
    expect(result.id === 'refused' && result.cause).not.toContain('a.txt');
    expect([text('a.txt'), text('b.txt')]).toEqual(['a\n', 'by a person\n']);
    expectNoTraces();
    repo.git('checkout', '-q', 'b.txt');
    expect(await need(forward())).toEqual({ id: 'moved' });
    expectLanded();
  });

  it('recognizes half-written files through the filters of the user', async () => {
    repo.git('config', 'filter.shout.smudge', 'tr a-z A-Z');
    repo.git('config', 'filter.shout.clean', 'tr A-Z a-z');
    writeFileSync(inGit('info/attributes'), 'a.txt filter=shout\n');
    repo.git('checkout', '-q', '-f');
    beginAndDie();
    writeFileSync(inGit('yardmaster-index.lock'), '');
    repo.write('a.txt', 'A LONG N');
    expect(await need(forward())).toEqual({ id: 'moved' });
    expect(text('a.txt')).toBe('A LONG NEW LINE\n');
    expectLanded();
  });

  it('is left alone while its engine or its git still runs', async () => {
    const { startedAt } = self();
    beginAndDie();
    const child = JSON.stringify({ pid: process.pid, startedAt });
    writeFileSync(inGit('yardmaster-landing.git'), child);
    expect(await need(forward())).toMatchObject({
      id: 'locked',
      by: { isOurs: true, pid: process.pid },
    });
    expect(repo.git('rev-parse', 'main').trim()).toBe(start);
    rmSync(inGit('yardmaster-landing.git'));
    // Whether git was started is unknown, and something holds its lock.
    writeFileSync(inGit('yardmaster-index.lock'), '');
    expect(await need(forward())).toMatchObject({ id: 'locked', by: { isOurs: true } });
    rmSync(inGit('yardmaster-index.lock'));
    expect(await need(forward())).toEqual({ id: 'moved' });
    expectLanded();
  });

  it('of another landing is undone before this one begins', async () => {
    beginAndDie();
    writeFileSync(inGit('yardmaster-index.lock'), '');
    repo.write('a.txt', 'a long new line\n');
    const tree = repo.git('rev-parse', 'HEAD^{tree}').trim();
    const other = repo.git('commit-tree', tree, '-p', start, '-m', 'other').trim();
    expect(await git.fastForward(repo.root, 'main', other)).toEqual({ id: 'moved' });
    expect(repo.git('status', '--porcelain')).toBe('');
    expectNoTraces();
  });
});

it('names the process that holds a lock which is not ours', async () => {
  writeFileSync(inGit('index.lock'), '');
  const result = await need(forward());
  const by = { file: inGit('index.lock'), isOurs: false, pid: undefined };
  expect(result).toMatchObject({ id: 'locked', by });
  const held = openSync(inGit('index.lock'), 'r');
  try {
    const holder = process.platform === 'linux' ? { pid: process.pid } : {};
    expect(await need(forward())).toMatchObject({ id: 'locked', by: holder });
  } finally {
    closeSync(held);
  }
  expect(existsSync(inGit('index.lock'))).toBe(true);
  expect(existsSync(inGit('yardmaster-landing'))).toBe(false);
});
