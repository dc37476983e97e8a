import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { tempFolder } from '../../test/rig/temp-folder.ts';
import { limits } from '../model/limits.ts';
import { projectId } from './project.ts';
import { copyFiles, slotEnv } from './slot-files.ts';

let base: string;
let root: string;
let dir: string;

beforeEach(() => {
  base = tempFolder();
  root = join(base, 'root');
  dir = join(base, 'worktree');
  mkdirSync(join(root, 'config'), { recursive: true });
  mkdirSync(dir);
  writeFileSync(join(root, '.env'), 'A=1\n');
  writeFileSync(join(root, '.env.local'), 'B=1\n');
  writeFileSync(join(root, 'config', 'dev.json'), '{}');
  writeFileSync(join(base, 'secret'), 'outside');
});

async function copied(...patterns: string[]): Promise<readonly string[] | string> {
  const result = await copyFiles(root, dir, patterns);
  return result.ok ? result.value : result.failure.kind;
}

describe('copyFiles', () => {
  it('copies named files, with the folders around them', async () => {
    expect(await copied('.env', 'config/dev.json')).toEqual(['.env', 'config/dev.json']);
    expect(readFileSync(join(dir, '.env'), 'utf8')).toBe('A=1\n');
    expect(existsSync(join(dir, 'config', 'dev.json'))).toBe(true);
  });

  it('copies each file that a star names once', async () => {
    expect(await copied('.env*', '.env', 'con*/*.json')).toEqual([
      '.env',
      '.env.local',
      'config/dev.json',
    ]);
  });

  it('skips missing files and folders', async () => {
    expect(await copied('.env.none', 'none/*', 'config', '')).toEqual([]);
  });

  it('brings a changed file up to date', async () => {
    await copied('.env');
    writeFileSync(join(root, '.env'), 'A=2\n');
    await copied('.env');
    expect(readFileSync(join(dir, '.env'), 'utf8')).toBe('A=2\n');
  });

  it('refuses paths that lead out, before anything is copied', async () => {
    for (const pattern of ['../secret', '/etc/hostname', 'config/../../secret']) {
      expect(await copied('.env', pattern)).toBe('worktree-failed');
    }
    expect(existsSync(join(dir, '.env'))).toBe(false);
  });

  it('does not follow a link out of the checkout', async () => {
    symlinkSync(base, join(root, 'link'));
    symlinkSync(join(base, 'secret'), join(root, 'secret'));
    expect(await copied('link/secret')).toBe('worktree-failed');
    expect(await copied('secret')).toEqual([]);
  });

  it('does not write through a link out of the worktree', async () => {
    symlinkSync(base, join(dir, 'config'));
    expect(await copied('config/dev.json')).toBe('worktree-failed');
    symlinkSync(join(base, 'secret'), join(dir, '.env'));
    expect(await copied('.env')).toEqual(['.env']);
    expect(readFileSync(join(base, 'secret'), 'utf8')).toBe('outside');
  });
});

describe('slotEnv', () => {
  const use = { task: 't', run: 'r', attempt: 2, turn: 3, worktree: '/w', taskFile: '/t.md' };

  it('gives each slot ports of its own', () => {
    const bases = [0, 1, 2].map((slot) => Number(slotEnv({ ...use, slot }).YARD_PORT_BASE));
    expect(bases[0]).toBe(limits.portBase);
    expect(new Set(bases.map((port) => Math.floor(port / limits.portsPerSlot))).size).toBe(3);
  });

  it('describes the slot to the agent', () => {
    expect(slotEnv({ ...use, slot: 1 })).toMatchObject({
      YARD_SLOT: '1',
      YARD_TASK: 't',
      YARD_RUN: 'r',
      YARD_ATTEMPT: '2',
      YARD_TURN: '3',
      YARD_WORKTREE: '/w',
      YARD_TASK_FILE: '/t.md',
    });
  });
});

describe('projectId', () => {
  it('differs between repositories whose folders have one name', () => {
    const dirs = ['x', 'y'].map((parent) => join(base, parent, 'My Repo', '.git'));
    for (const each of dirs) mkdirSync(each, { recursive: true });
    const [one, two] = dirs.map(projectId);
    expect(one).toMatch(/^my-repo-[0-9a-f]{8}$/);
    expect(one).not.toBe(two);
  });

  it('is the same through a link', () => {
    const real = join(base, 'tool.git');
    mkdirSync(real);
    symlinkSync(real, join(base, 'link'));
    expect(projectId(join(base, 'link'))).toBe(projectId(real));
    expect(projectId(real)).toMatch(/^tool-/);
  });
});
