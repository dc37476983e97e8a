// A `git` that notes each of its starts, to be put first on the PATH.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface CountingGit {
  /** The PATH that leads to it. */
  readonly path: string;
  /** The words of every start so far, without the options that all of ours have. */
  calls(): readonly string[];
}

/** Makes it in a folder. Agents find it as well, since they are given the PATH of the program. */
export function countingGit(dir: string): CountingGit {
  mkdirSync(dir, { recursive: true });
  const log = join(dir, 'calls');
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const script = `#!/bin/sh\necho "$*" >> '${log}'\nexec '${real}' "$@"\n`;
  writeFileSync(join(dir, 'git'), script, { mode: 0o755 });
  return {
    path: `${dir}:${process.env.PATH ?? ''}`,
    calls() {
      if (!existsSync(log)) return [];
      const lines = readFileSync(log, 'utf8').split('\n').filter(Boolean);
      return lines.map((line) => line.replace(/^(?:--no-pager |-c \S+ )+/, ''));
    },
  };
}
