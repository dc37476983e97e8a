// A repository of its own for each test, driven by plain git where the test plays the person.

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tempFolder } from '../rig/temp-folder.ts';

export interface TempRepo {
  /** Holds everything of the test, the repository included. */
  readonly base: string;
  readonly root: string;
  /** Plain git in the repository, as a person types it. */
  git(...args: string[]): string;
  gitIn(dir: string, ...args: string[]): string;
  write(path: string, content: string): void;
  commit(message: string): string;
}

export function tempRepo(files: Readonly<Record<string, string>> = { 'a.txt': 'a\n' }): TempRepo {
  const base = tempFolder();
  const root = join(base, 'repo');
  const gitIn = (dir: string, ...args: string[]): string =>
    execFileSync('git', args, {
      cwd: dir,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const git = (...args: string[]): string => gitIn(root, ...args);
  const write = (path: string, content: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  };
  mkdirSync(root);
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Test Person');
  git('config', 'user.email', 'person@example.invalid');
  const commit = (message: string): string => {
    git('add', '-A');
    git('commit', '-q', '--allow-empty', '-m', message);
    return git('rev-parse', 'HEAD').trim();
  };
  for (const [path, content] of Object.entries(files)) write(path, content);
  if (Object.keys(files).length > 0) commit('start');
  return {
    base,
    root,
    git,
    gitIn,
    write,
    commit,
  };
}
