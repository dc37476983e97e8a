// Merging without a checkout gives what `git merge` gives in one.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gitCli } from '../../src/git/cli.ts';
import type { Git } from '../../src/port/git.ts';
import { type TempRepo, tempRepo } from './temp-repo.ts';

const PAIRS = 40;
const SEED = 20_260_101;

let repo: TempRepo;
let git: Git;

beforeEach(() => {
  const files: Record<string, string> = {};
  for (let i = 0; i < 12; i += 1) {
    const lines = Array.from({ length: 20 }, (_, line) => `file ${i} line ${line}`);
    files[`${i % 3 === 0 ? 'dir/' : ''}f${i}.txt`] = `${lines.join('\n')}\n`;
  }
  repo = tempRepo(files);
  git = gitCli(repo.root);
});
afterEach(async () => {
  await git.close();
});

/** A small generator of numbers, so that a failing pair can be seen again. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

/** Does a few things to the checkout that people do to files. */
function change(root: string, next: (below: number) => number, mark: string): void {
  for (let step = 0; step < 3; step += 1) {
    const i = next(12);
    const path = join(root, `${i % 3 === 0 ? 'dir/' : ''}f${i}.txt`);
    if (!existsSync(path)) continue;
    const kind = next(6);
    if (kind === 0) renameSync(path, `${path}.${mark}`);
    else if (kind === 1) rmSync(path);
    else if (kind === 2) chmodSync(path, 0o755);
    else if (kind === 3) {
      mkdirSync(join(root, `new-${mark}`), { recursive: true });
      writeFileSync(join(root, `new-${mark}`, `${i}`), mark);
    } else if (kind === 4) {
      rmSync(path);
      symlinkSync(`to-${next(2)}`, path);
    } else {
      const line = next(20);
      const lines = Array.from({ length: 20 }, (_, n) => `file ${i} line ${n}`);
      lines[line] = `${mark} changed ${line}`;
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, `${lines.join('\n')}\n`);
    }
  }
}

describe('merge', () => {
  it(`agrees with git merge on ${PAIRS} random pairs, renames, modes and links included`, async () => {
    const start = repo.git('rev-parse', 'HEAD').trim();
    const next = random(SEED);
    const seen = { clean: 0, conflict: 0, unrelated: 0 };
    for (let pair = 0; pair < PAIRS; pair += 1) {
      const sides = ['ours', 'theirs'].map((mark) => {
        repo.git('checkout', '-q', '-f', '--detach', start);
        change(repo.root, next, mark);
        return repo.commit(`${mark} ${pair}`);
      });
      const [ours = '', theirs = ''] = sides;
      const merged = await git.merge(ours, theirs);
      seen[merged.id] += 1;
      repo.git('checkout', '-q', '-f', '--detach', ours);
      const plain = plainMerge(theirs);
      if (merged.id === 'clean') {
        expect({ pair, tree: plain.tree }).toEqual({ pair, tree: merged.tree });
      } else {
        expect(plain.tree).toBeUndefined();
        const files = merged.id === 'conflict' ? [...merged.files].sort() : [];
        expect({ pair, files }).toEqual({ pair, files: plain.unmerged });
      }
      repo.git('reset', '-q', '--hard');
      repo.git('clean', '-fdq');
    }
    expect(seen.clean).toBeGreaterThan(5);
    expect(seen.conflict).toBeGreaterThan(2);
  });

  it('takes histories that have nothing in common for what they are, not for a conflict', async () => {
    repo.git('checkout', '-q', '--orphan', 'other');
    const other = repo.commit('another start');
    expect(await git.merge('main', other)).toEqual({ id: 'unrelated' });
  });
});

function plainMerge(theirs: string): { tree?: string; unmerged: string[] } {
  try {
    repo.git('merge', '-q', '--no-ff', '-m', 'merge', theirs);
    return { tree: repo.git('rev-parse', 'HEAD^{tree}').trim(), unmerged: [] };
  } catch (error) {
    expect(String(error)).toContain('Command failed');
    const listed = repo.git('ls-files', '--unmerged', '-z').split('\0').filter(Boolean);
    // Git's own names for files that met a link or a folder are not files of anybody.
    const names = listed.map((entry) =>
      (entry.split('\t')[1] ?? '').replace(/~(?:HEAD|[0-9a-f]{40})$/, ''),
    );
    const unmerged = [...new Set(names)].sort();
    return { unmerged };
  }
}
