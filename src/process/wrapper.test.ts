import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { tempFolder } from '../../test/rig/temp-folder.ts';
import { filesOf, readClaim, readStatus } from './child-files.ts';
import { era, startOf } from './identity.ts';
import { wrap } from './wrapper.ts';

/** The wrapper is written for any POSIX shell; these are the two that most systems call `sh`. */
const shells = ['/bin/dash', '/bin/bash'].filter((shell) => existsSync(shell));

describe.each(shells)('the wrapper under %s', (shell) => {
  let dir: string;
  beforeEach(() => {
    dir = tempFolder();
  });

  const env = { PATH: process.env.PATH ?? '' };
  const files = () => filesOf(dir, 'child');
  // Bash called by its own name may read start-up files; called `sh`, as the wrapper is, it reads none.
  const options = (): { cwd: string; env: typeof env; argv0: string } => ({
    cwd: dir,
    env,
    argv0: 'sh',
  });

  function run(...argv: string[]): { stdout: string } {
    const { args } = wrap(argv, env, files(), era());
    const ended = spawnSync(shell, args, { ...options(), encoding: 'utf8' });
    writeFileSync(files().err, ended.stderr);
    return { stdout: ended.stdout };
  }

  it('notes who runs and how it ended', () => {
    run('/bin/sh', '-c', 'exit 7');
    expect(readClaim(files())).toMatchObject({ startedAt: expect.stringMatching(/^\d+@.+/) });
    expect(readStatus(files())?.how).toEqual({ id: 'exited', code: 7 });
  });

  it('notes the start time that others see of it', async () => {
    const { args } = wrap(['/bin/cat'], env, files(), era());
    const child = spawn(shell, args, { ...options(), stdio: ['pipe', 'ignore', 'ignore'] });
    let claim = readClaim(files());
    while (typeof claim !== 'object') {
      await new Promise((again) => setTimeout(again, 5));
      claim = readClaim(files());
    }
    expect(claim.pid).toBe(child.pid);
    expect(startOf(claim.pid)).toBe(claim.startedAt);
    child.stdin?.end();
    await once(child, 'exit');
    expect(startOf(claim.pid)).toBeUndefined();
  });

  it('leaves without a word when the start is claimed already', () => {
    run('/bin/echo', 'first');
    const claim = readFileSync(files().pid, 'utf8');
    expect(run('/bin/echo', 'second')).toEqual({ stdout: '' });
    expect(readFileSync(files().pid, 'utf8')).toBe(claim);
    expect(readFileSync(files().err, 'utf8')).toBe('');
  });

  it('records the end when its group is signaled', async () => {
    const { args } = wrap(['/bin/sleep', '60'], env, files(), era());
    const child = spawn(shell, args, { ...options(), stdio: 'ignore', detached: true });
    const { pid = 0 } = child;
    // The group has two members once the child itself runs.
    const members = (): number =>
      spawnSync('ps', ['-o', 'comm=', '-g', String(pid)], { encoding: 'utf8' })
        .stdout.split('\n')
        .filter((line) => line.startsWith('sleep')).length;
    while (members() === 0) await new Promise((again) => setTimeout(again, 10));
    process.kill(-pid, 'SIGTERM');
    await once(child, 'exit');
    expect(readStatus(files())?.how).toEqual({ id: 'signaled', signal: 'SIGTERM' });
  });

  it('adds nothing to the environment and what the child prints', () => {
    expect(
      run('/usr/bin/env')
        .stdout.split('\n')
        .filter((line) => !line.startsWith('_=')),
    ).toEqual([`PATH=${env.PATH}`, '']);
    expect(readFileSync(files().err, 'utf8')).toBe('');
  });

  it('reports a signal without printing anything', () => {
    run('/bin/sh', '-c', 'kill -KILL $$');
    expect(readStatus(files())?.how).toEqual({ id: 'signaled', signal: 'SIGKILL' });
    expect(readFileSync(files().err, 'utf8')).toBe('');
  });

  it('exits as the child did when the status cannot be written', () => {
    const { args } = wrap(
      ['/bin/sh', '-c', 'exit 9'],
      env,
      { ...files(), status: `${dir}/no/status` },
      era(),
    );
    expect(spawnSync(shell, args, options()).status).toBe(9);
  });
});

describe('the status file', () => {
  let dir: string;
  beforeEach(() => {
    dir = tempFolder();
  });

  it.each([
    ['0\n', { id: 'exited', code: 0 }],
    ['200\n', { id: 'exited', code: 200 }],
    ['143\n', { id: 'signaled', signal: 'SIGTERM' }],
    [
      'not-started yard-start: 22: exec: /x: not found\n',
      { id: 'not-started', cause: '/x: not found' },
    ],
    [
      'not-started yard-start: line 22: /x: cannot execute\n',
      { id: 'not-started', cause: '/x: cannot execute' },
    ],
    ['', undefined],
    ['1', undefined],
  ])('reads %j', (text, how) => {
    const files = filesOf(dir, 'child');
    writeFileSync(files.status, text);
    expect(readStatus(files)?.how).toEqual(how);
  });

  it('is absent before the end, as the claim is before the start', () => {
    const files = filesOf(dir, 'child');
    expect([readStatus(files), readClaim(files)]).toEqual([undefined, undefined]);
    writeFileSync(files.pid, '');
    expect(readClaim(files)).toBe('unwritten');
    writeFileSync(files.pid, '12 34');
    expect(readClaim(files)).toBe('unwritten');
  });
});
