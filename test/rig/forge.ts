// A stand-in of a forge for whole runs: a remote that a project pushes to, and a `gh` that keeps the pull requests.
import { rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { StandInGh } from '../delivery/stand-in-gh.ts';
import { type TestProject, type TestProjectOptions, write } from '../rig.ts';

export interface Forge {
  readonly gh: StandInGh;
  readonly remote: string;
  /** For every `ym` that should find the stand-in. */
  readonly env: Readonly<Record<string, string>>;
}

/** Gives a project a remote with its target, and a `gh` in front of every other. */
export function forgeOf(y: TestProject): Forge {
  const remote = join(y.base, 'remote.git');
  y.gitIn(y.base, 'init', '-q', '--bare', '-b', 'main', remote);
  y.git('remote', 'add', 'origin', remote);
  y.git('push', '-q', 'origin', 'main');
  const gh = new StandInGh(join(y.base, 'bin'));
  return { gh, remote, env: { PATH: `${gh.folder}${delimiter}${process.env.PATH}` } };
}

export const remoteTip = (y: TestProject, { remote }: Forge, branch: string): string =>
  y.gitIn(remote, 'rev-parse', `refs/heads/${branch}`).trim();

export const file = (id: string) => [[write(`${id}.txt`, `${id}\n`)]];

/** The branch of the request for a task. */
export const headOf = ({ gh }: Forge, id: string): string =>
  gh.pulls.find(({ headRefName }) => headRefName.endsWith(`/${id}-1`))?.headRefName ?? '';

/** Two tasks of which the second waits for the first. */
export const chain = {
  tasks: [
    { id: 'first', title: 'Say hello', body: 'Word for word.' },
    { id: 'second', after: ['first'] },
    { id: 'other' },
  ],
  script: {
    first: [
      [
        write('first.txt', 'first\n'),
        { usage: { input: 1000, cacheRead: 0, cacheWrite: 0, output: 234, costUsd: 0.5 } },
      ],
    ],
    second: file('second'),
    other: file('other'),
  },
  leaves: ['branches'],
} as const satisfies TestProjectOptions;

/** Accepts a request as the forge does: a merge on its base, which the person then fetches. */
export function merge(y: TestProject, { gh, remote }: Forge, branch: string): string {
  const clone = join(y.base, 'clone');
  y.gitIn(y.base, 'clone', '-q', remote, clone);
  y.gitIn(clone, 'config', 'user.name', 'Forge');
  y.gitIn(clone, 'config', 'user.email', 'forge@example.invalid');
  y.gitIn(clone, 'merge', '-q', '--no-ff', '-m', `Merge ${branch}`, `origin/${branch}`);
  y.gitIn(clone, 'push', '-q', 'origin', 'main');
  const oid = y.gitIn(clone, 'rev-parse', 'HEAD').trim();
  rmSync(clone, { recursive: true });
  gh.change(branch, { state: 'MERGED', mergeCommit: { oid } });
  return oid;
}
