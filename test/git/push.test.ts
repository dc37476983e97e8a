// Pushing with real git to repositories on the same disk.
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gitCli } from '../../src/git/cli.ts';
import type { Git } from '../../src/port/git.ts';
import { type TempRepo, tempRepo } from './temp-repo.ts';

const branch = 'refs/heads/yard/r1/a-1';

let repo: TempRepo;
let git: Git;
let hub: string;
let start: string;

beforeEach(() => {
  repo = tempRepo();
  git = gitCli(repo.root);
  hub = join(repo.base, 'hub.git');
  repo.git('init', '-q', '--bare', hub);
  repo.git('remote', 'add', 'origin', hub);
  start = repo.git('rev-parse', 'HEAD').trim();
});
afterEach(async () => {
  await git.close();
});

function hook(gitDir: string, name: string, body: string): void {
  mkdirSync(join(gitDir, 'hooks'), { recursive: true });
  writeFileSync(join(gitDir, 'hooks', name), `#!/bin/sh\n${body}\n`);
  chmodSync(join(gitDir, 'hooks', name), 0o755);
}

const refsOf = (dir: string): string =>
  repo.gitIn(dir, 'for-each-ref', '--format=%(refname)').trim();

describe('a push', () => {
  it('reaches a remote by its address too', async () => {
    expect(await git.push(hub, [{ from: start, to: branch }])).toEqual({ id: 'pushed' });
    expect(refsOf(hub)).toBe(branch);
  });

  it('runs no hook of the repository', async () => {
    const trace = join(repo.base, 'trace');
    for (const name of ['pre-push', 'reference-transaction']) {
      hook(join(repo.root, '.git'), name, `echo ${name} >>'${trace}'`);
    }
    expect(await git.push('origin', [{ from: start, to: branch }])).toEqual({ id: 'pushed' });
    expect(existsSync(trace)).toBe(false);
  });

  it("passes on a remote's own refusal in its own words", async () => {
    hook(hub, 'pre-receive', 'echo "main is closed on Fridays" >&2; exit 1');
    const answer = await git.push('origin', [{ from: start, to: branch }]);
    expect(answer.id === 'refused' && answer.cause).toContain('main is closed on Fridays');
    expect(refsOf(hub)).toBe('');
  });

  it('sends only what is named, whatever else the configuration would send along', async () => {
    repo.git('config', 'push.followTags', 'true');
    repo.git('config', 'push.gpgSign', 'true');
    repo.git('config', 'push.recurseSubmodules', 'on-demand');
    repo.git('config', 'remote.origin.push', '+refs/heads/*:refs/heads/*');
    repo.git('tag', '-a', '-m', 'v1', 'v1');
    expect(await git.push('origin', [{ from: start, to: branch }])).toEqual({ id: 'pushed' });
    expect(refsOf(hub)).toBe(branch);
  });

  it('forces nothing, though the remote is set up as a mirror', async () => {
    repo.git('config', 'remote.origin.mirror', 'true');
    expect((await git.push('origin', [{ from: start, to: branch }])).id).toBe('refused');
    expect(refsOf(hub)).toBe('');
  });

  it('does not move over what somebody else has pushed in the meantime', async () => {
    const other = join(repo.base, 'other');
    await git.push('origin', [{ from: start, to: branch }]);
    repo.git('clone', '-q', '-b', 'yard/r1/a-1', hub, other);
    const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
    repo.gitIn(other, ...identity, 'commit', '-q', '--allow-empty', '-m', 'theirs');
    repo.gitIn(other, 'push', '-q');
    const theirs = repo.gitIn(hub, 'rev-parse', branch);
    repo.write('a.txt', 'mine\n');
    const mine = repo.commit('mine');
    const answer = await git.push('origin', [{ from: mine, to: branch }]);
    expect(answer.id === 'refused' && answer.cause).toContain('rejected');
    expect(repo.gitIn(hub, 'rev-parse', branch)).toBe(theirs);
  });

  it('takes a remote for a name, though it looks like an option', async () => {
    const answer = await git.push('--force', [{ from: start, to: branch }]);
    expect(answer.id === 'refused' && answer.cause).toContain("'--force'");
  });

  it('tells nobody the password in an address', async () => {
    const answer = await pushThrough(
      'loud',
      'echo "cannot reach $2" >&2; exit 128',
      'loud::https://person:secret@example.invalid/x.git',
    );
    expect(answer).toMatchObject({ id: 'refused' });
    expect(JSON.stringify(answer)).toContain('cannot reach https://example.invalid/x.git');
  });

  it('does not wait for a password that nobody types', async () => {
    const ask = 'printf "protocol=https\\nhost=example.invalid\\n\\n" | git credential fill >&2';
    const answer = await pushThrough('locked', `${ask}; exit 128`, 'locked::x');
    expect(answer).toMatchObject({ id: 'refused' });
  });
});

/** Pushes to an address that a program of the test answers for. */
async function pushThrough(name: string, body: string, remote: string): Promise<unknown> {
  const bin = join(repo.base, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, `git-remote-${name}`), `#!/bin/sh\n${body}\n`);
  chmodSync(join(bin, `git-remote-${name}`), 0o755);
  const other = gitCli(repo.root, { ...process.env, PATH: `${bin}:${process.env.PATH ?? ''}` });
  try {
    return await other.push(remote, [{ from: start, to: branch }]);
  } finally {
    await other.close();
  }
}
