// Differences between commits of real git: kinds of entries, formats, names and cost.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { objectReader } from '../../src/git/batch.ts';
import { gitCli } from '../../src/git/cli.ts';
import { gitEnv } from '../../src/git/env.ts';
import { changes } from '../../src/git/trees.ts';
import type { Change, Git } from '../../src/port/git.ts';
import { type TempRepo, tempRepo } from './temp-repo.ts';

let repo: TempRepo;
let git: Git;

beforeEach(() => {
  repo = tempRepo({ 'a.txt': 'a\n', 'run.sh': '#!/bin/sh\n', 'deep/er/c.txt': 'c\n' });
  git = gitCli(repo.root);
});
afterEach(async () => {
  await git.close();
});

const shown = ({ path, before, after }: Change): string =>
  `${path} ${before?.mode ?? '-'} ${after?.mode ?? '-'}`;

/** The same as git's own plumbing says it. */
function plainChanges(from: string, to: string): Change[] {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', from, to];
  const words = repo.git(...args).split('\0');
  const found: Change[] = [];
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [was = '', is = '', wasId = '', isId = ''] = (words[at] ?? '').slice(1).split(' ');
    found.push({
      path: words[at + 1] ?? '',
      ...(was === '000000' ? {} : { before: { id: wasId, mode: was } }),
      ...(is === '000000' ? {} : { after: { id: isId, mode: is } }),
    });
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

describe('changes', () => {
  it('tell links, submodules and executable files by their mode', async () => {
    const start = repo.git('rev-parse', 'HEAD').trim();
    chmodSync(join(repo.root, 'run.sh'), 0o755);
    rmSync(join(repo.root, 'a.txt'));
    symlinkSync('deep/er/c.txt', join(repo.root, 'a.txt'));
    repo.git('update-index', '--add', '--cacheinfo', `160000,${start},sub`);
    mkdirSync(join(repo.root, 'sub'));
    repo.git('add', 'run.sh', 'a.txt');
    repo.git('commit', '-q', '-m', 'kinds');
    const found = await git.changes(start, 'main');
    expect(found.map(shown)).toEqual([
      'a.txt 100644 120000',
      'run.sh 100644 100755',
      'sub - 160000',
    ]);
    expect(found[1]?.before?.id).toBe(found[1]?.after?.id);
    expect((await git.blob(found[0]?.after?.id ?? ''))?.toString()).toBe('deep/er/c.txt');
    expect(found[2]?.after?.id).toBe(start);
    expect(await git.file('main', 'sub')).toBeUndefined();
    expect(await git.changes(start, 'main')).toEqual(plainChanges(start, 'main'));
  });

  it('agree with git on random trees', async () => {
    let state = 20_260_101;
    const next = (below: number): number => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((state / 2_147_483_648) * below);
    };
    const commits = [repo.git('rev-parse', 'HEAD').trim()];
    for (let round = 0; round < 12; round += 1) {
      for (let step = 0; step < 6; step += 1) {
        const file = join(repo.root, ['x', 'y', 'z/x', 'z/y/x', 'x.d/x', 'x-d'][next(6)] ?? 'x');
        rmSync(file, { recursive: true, force: true });
        if (next(4) === 0) continue;
        mkdirSync(dirname(file), { recursive: true });
        if (next(4) === 0) symlinkSync(`to-${next(3)}`, file);
        else writeFileSync(file, `${next(3)}\n`, { mode: next(2) === 0 ? 0o644 : 0o755 });
      }
      commits.push(repo.commit(`round ${round}`));
    }
    for (const from of commits) {
      const to = commits[next(commits.length)] ?? '';
      expect(await git.changes(from, to)).toEqual(plainChanges(from, to));
    }
  });

  it('show both of two names that are no text and look alike', async () => {
    for (const byte of [0xfe, 0xff]) {
      const name = Buffer.concat([Buffer.from(`${repo.root}/x`), Buffer.from([byte])]);
      writeFileSync(name, `${byte}\n`);
    }
    const commit = repo.commit('names');
    const found = await git.changes(`${commit}~1`, commit);
    expect(found.map(({ path }) => path)).toEqual(['x\uFFFD', 'x\uFFFD']);
    expect(new Set(found.map(({ after }) => after?.id)).size).toBe(2);
  });

  it('are found in a repository whose ids are longer', async () => {
    const root = join(repo.base, 'long');
    repo.git('init', '-q', '-b', 'main', '--object-format=sha256', root);
    const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
    mkdirSync(join(root, 'deep'));
    for (const text of ['1\n', '2\n']) {
      writeFileSync(join(root, 'deep', 'a.txt'), text);
      repo.gitIn(root, 'add', '-A');
      repo.gitIn(root, ...identity, 'commit', '-q', '-m', text);
    }
    const other = gitCli(root);
    try {
      const [change, ...rest] = await other.changes('main~1', 'main');
      expect(rest).toEqual([]);
      expect(change?.path).toBe('deep/a.txt');
      expect(change?.after?.id).toHaveLength(64);
      expect((await other.blob(change?.before?.id ?? ''))?.toString()).toBe('1\n');
      expect(await other.file('main', 'deep/a.txt')).toBe('2\n');
    } finally {
      await other.close();
    }
  });

  it('are those of the commit that lands, not of one that was put in its place', async () => {
    const start = repo.git('rev-parse', 'HEAD').trim();
    repo.write('gate.sh', 'exit 0\n');
    const cheat = repo.commit('cheat');
    repo.git('replace', `${cheat}^{tree}`, `${start}^{tree}`);
    expect(repo.git('diff', '--name-only', start, cheat)).toBe('');
    expect((await git.changes(start, cheat)).map(({ path }) => path)).toEqual(['gate.sh']);
    const dir = join(repo.base, 'w');
    await git.addWorktree(dir, cheat);
    expect(await git.file(cheat, 'gate.sh')).toBe('exit 0\n');
    expect((await git.status(dir)).dirty).toBe(false);
    expect(execFileSync('ls', [dir], { encoding: 'utf8' })).toContain('gate.sh');
  });

  it('of three files among ten thousand are found with a few questions', async () => {
    const from = import10k('refs/heads/from', () => '1');
    const changed = new Set(['d1/e2/f3', 'd1/e2/f4', 'd7/e7/f7']);
    const to = import10k('refs/heads/to', (path) => (changed.has(path) ? '2' : '1'));
    const real = objectReader(async () => repo.root, gitEnv(process.env));
    let questions = 0;
    const counting = {
      ...real,
      info: (revision: string) => {
        questions += 1;
        return real.info(revision);
      },
      contents: (revision: string) => {
        questions += 1;
        return real.contents(revision);
      },
    };
    try {
      const found = await changes(counting, from, to);
      expect(found.map(({ path }) => path)).toEqual([...changed]);
      // Both sides of: the names, the root, d1, d1/e2, d7 and d7/e7.
      expect(questions).toBe(12);
    } finally {
      await real.close();
    }
  });
});

/** A commit with ten thousand files, made without writing them to disk. */
function import10k(ref: string, textOf: (path: string) => string): string {
  const lines = ['blob\nmark :1\ndata 1\n1', 'blob\nmark :2\ndata 1\n2'];
  lines.push(`commit ${ref}\ncommitter a <a@b> 1 +0000\ndata 1\nx`);
  for (let i = 0; i < 10_000; i += 1) {
    const path = `d${Math.floor(i / 1_000)}/e${Math.floor(i / 100) % 10}/f${i % 100}`;
    lines.push(`M 100644 :${textOf(path)} ${path}`);
  }
  execFileSync('git', ['fast-import', '--quiet'], {
    cwd: repo.root,
    input: `${lines.join('\n')}\n`,
  });
  return repo.git('rev-parse', ref).trim();
}

describe('what is read from commits', () => {
  it('is not larger than memory may hold, whatever the repository has', async () => {
    writeFileSync(join(repo.root, 'huge'), Buffer.alloc(70 * 1024 * 1024));
    const commit = repo.commit('huge');
    const [huge] = await git.changes(`${commit}~1`, commit);
    expect(await git.blob(huge?.after?.id ?? '')).toBeUndefined();
    expect(await git.file(commit, 'a.txt')).toBe('a\n');
  });

  it('keeps its bytes, text or not', async () => {
    const bytes = Buffer.from(Array.from({ length: 512 }, (_, i) => i % 256));
    writeFileSync(join(repo.root, 'bytes'), bytes);
    const commit = repo.commit('bytes');
    const [change] = await git.changes(`${commit}~1`, commit);
    expect(await git.blob(change?.after?.id ?? '')).toEqual(bytes);
  });

  it('is the log of a person who has set everything otherwise', async () => {
    const settings = {
      'log.showSignature': 'true',
      'log.decorate': 'full',
      'color.ui': 'always',
      'core.abbrev': '40',
      'i18n.logOutputEncoding': 'ISO-8859-1',
      'diff.external': 'false',
      'diff.noprefix': 'true',
    };
    for (const [name, value] of Object.entries(settings)) repo.git('config', name, value);
    renameSync(join(repo.root, 'a.txt'), join(repo.root, 'ünï.txt'));
    const commit = repo.commit('grün\n\nbody');
    expect(await git.log('main~1', 'main', 5)).toBe(`${commit.slice(0, 7)} grün\n`);
    expect(await git.stat('main~1', 'main')).toContain('1 file changed, 0 insertions');
  });
});
