// Real processes in real sandboxes: what they can reach, and how they end.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { ConfinedSpec, ProcessEnd, ProcessSpec } from '../../src/port/processes.ts';
import { type AgentState, type Confined, noState } from '../../src/port/sandbox.ts';
import { supervisor } from '../../src/process/supervisor.ts';
import { confineWith, type SandboxSettings } from '../../src/sandbox/sandbox.ts';
import { build, untilFile } from '../process/scratch.ts';
import { bwrap, hasSandbox } from '../rig/sandbox.ts';
import { processesWith } from '../rig/screen.ts';
import { tempFolder } from '../rig/temp-folder.ts';
import { until } from '../rig/until.ts';

const agent: Confined = { role: 'agent', state: noState, variables: ['MINE'] };
const limits = { wallMs: 30_000, outputBytes: 1_000_000 };

let place: string;
let home: string;
let root: string;
let work: string;
let settings: SandboxSettings;
beforeEach(() => {
  place = tempFolder();
  [home, root, work] = ['home', 'repo', 'state/slot'].map((name) => join(place, name)) as [
    string,
    string,
    string,
  ];
  for (const dir of [join(home, '.ssh'), root, work]) mkdirSync(dir, { recursive: true });
  writeFileSync(join(home, '.ssh/key'), 'private key\n');
  writeFileSync(join(home, '.profile'), 'profile\n');
  settings = {
    mode: 'write',
    bwrap,
    home,
    repository: join(root, '.git'),
    root,
    hidden: ['~/.ssh', join(root, '.git/secret')],
    writable: ['~/.cache', '~/not/there'],
    variables: ['WANTED'],
    gateNetwork: true,
    gateUserns: false,
    hosts: [],
    proxy: [],
    programs: [process.execPath],
    agents: [],
  };
});

function spec(script: string, more: Partial<ConfinedSpec> = {}): ConfinedSpec {
  return {
    dir: join(place, 'turn'),
    name: 'agent',
    argv: ['/bin/sh', '-c', script],
    cwd: work,
    env: { PATH: process.env.PATH ?? '', HOME: home },
    limits,
    confined: agent,
    ...more,
  };
}

interface Ran extends ProcessEnd {
  readonly output: string;
}

async function run(script: string, more: Partial<ConfinedSpec> = {}): Promise<Ran> {
  const processes = supervisor({
    killGraceMs: 2_000,
    followMs: 20,
    confine: confineWith(settings),
  });
  const one = spec(script, more);
  const end = await processes.run(one);
  return { ...end, output: await processes.tail(one.dir, one.name, 10_000) };
}

/** A repository, and a working folder with a git of its own that borrows its objects. */
function borrow(): void {
  const git = (cwd: string, ...args: string[]) => execFileSync('git', args, { cwd });
  git(root, 'init', '-q', '-b', 'main');
  git(root, ...person, 'commit', '-q', '--allow-empty', '-m', 'one');
  writeFileSync(join(root, '.git/secret'), 'seal\n');
  git(work, 'init', '-q', '-b', 'work');
  writeFileSync(join(work, '.git/objects/info/alternates'), `${root}/.git/objects\n`);
  git(work, 'update-ref', 'refs/heads/work', git(root, 'rev-parse', 'main').toString().trim());
}
const person = ['-c', 'user.name=x', '-c', 'user.email=x@example.invalid'];

describe.runIf(hasSandbox)('a sandbox', () => {
  it('lets an agent commit in its own folder, with objects of the project', async () => {
    borrow();
    const commit = `git ${person.join(' ')} commit -qm two`;
    const ran = await run(
      `echo x >a && git add -A && ${commit} && git stash list && git log --oneline | wc -l`,
    );
    expect(ran.how).toEqual({ id: 'exited', code: 0 });
    expect(ran.output.trim()).toBe('2');
  });

  it('refuses every write outside, and shows no secret', async () => {
    borrow();
    mkdirSync(join(place, 'state/other'));
    const targets = [
      `${root}/file`,
      `${root}/.git/hooks/pre-commit`,
      `${root}/.git/config`,
      `${root}/.git/refs/heads/main`,
      `${home}/.bashrc`,
      `${home}/.ssh/key`,
      `${place}/state/other/file`,
      `${place}/turn/agent.status`,
    ];
    const tries = targets.map((file) => `(echo x >>'${file}') 2>/dev/null && echo 'wrote ${file}'`);
    const ran = await run(
      `${tries.join('\n')}
      rm -rf '${root}/.git/objects' 2>/dev/null
      cat '${home}/.ssh/key' '${root}/.git/secret' 2>/dev/null
      cat '${home}/.profile'
      echo x >'${home}/.cache/kept' && echo x >/tmp/private && echo x >"$TMPDIR/private2"
      unshare -Ur true 2>/dev/null && echo escaped
      cat /proc/1/comm; exit 0`,
    );
    expect(ran.output).toBe('profile\nbwrap\n');
    expect(readFileSync(join(home, '.cache/kept'), 'utf8')).toBe('x\n');
    expect(existsSync('/tmp/private')).toBe(false);
    expect(readdirSync(join(root, '.git/objects')).length).toBeGreaterThan(2);
  });

  it('runs a program that lies in the temp of the machine, and keeps its own temp', async () => {
    const dir = mkdtempSync('/tmp/ym-sandbox-');
    const file = `${dir}.sh`;
    onTestFinished(() => {
      rmSync(dir, { recursive: true });
      rmSync(file);
    });
    writeFileSync(file, '#!/bin/sh\necho x >/tmp/here && cat /tmp/here\n', { mode: 0o755 });
    expect((await run('', { argv: [file, dir, '/tmp'] })).output).toBe('x\n');
  });

  it('keeps its temp for the attempt, and clears it for the next one', async () => {
    await run('echo one >/tmp/note', { name: 'turn-1' });
    expect((await run('cat /tmp/note /var/tmp/note', { name: 'turn-2' })).output).toBe(
      'one\none\n',
    );
    const next = await run('cat /tmp/note', { dir: join(place, 'next') });
    expect(next.how).toEqual({ id: 'exited', code: 1 });
  });

  it('shares conversations of an agent, and keeps its settings from being changed', async () => {
    const dir = join(home, '.brain');
    mkdirSync(dir);
    for (const name of ['login', 'settings', 'state.sqlite'])
      writeFileSync(join(dir, name), 'old\n');
    writeFileSync(join(home, '.brain.json'), 'old\n');
    symlinkSync(join(home, '.profile'), join(dir, 'link'));
    const state: AgentState = {
      folders: [{ use: 'mixed', dir, keep: ['talks'], readOnly: ['settings'] }],
      files: [join(home, '.brain.json')],
      variables: [],
    };
    settings = { ...settings, agents: [state] };
    const ran = await run(
      `cd '${dir}' && cat login link && echo new >login && echo new >talks/1 && echo new >hooks
      (echo new >settings) 2>/dev/null && echo 'changed settings'
      test -e state.sqlite && echo 'shared a database'
      echo new >'${home}/.brain.json' && cat '${home}/.brain.json'`,
      { confined: { role: 'agent', state, variables: [] } },
    );
    expect(ran.output).toBe('old\nprofile\nnew\n');
    expect(readdirSync(dir).sort()).toEqual(['link', 'login', 'settings', 'state.sqlite', 'talks']);
    expect(readFileSync(join(dir, 'login'), 'utf8')).toBe('new\n');
    expect(readFileSync(join(dir, 'talks/1'), 'utf8')).toBe('new\n');
    expect(readFileSync(join(home, '.brain.json'), 'utf8')).toBe('old\n');
    const gate = await run(`cat '${dir}/login' '${home}/.brain.json' 2>/dev/null`, {
      name: 'gate',
      confined: { role: 'gate' },
    });
    expect(gate.output).toBe('');
  });

  it('of strict hides the home, the environment and the network', async () => {
    borrow();
    settings = { ...settings, mode: 'strict' };
    const env = { PATH: process.env.PATH ?? '', HOME: home, WANTED: '1', SECRET: '2', MINE: '3' };
    const ran = await run(
      `ls -A '${home}'; echo "$WANTED-$SECRET-$MINE"; ls '${root}'
      wc -l </proc/net/dev; git ${person.join(' ')} commit -q --allow-empty -m x; echo $?`,
      { env },
    );
    // Of the home, only the folder that may be written is there.
    expect(ran.output).toBe('.cache\n1--3\n3\n0\n');
  });

  it('turns the network of gates off, but not that of set-up commands', async () => {
    settings = { ...settings, gateNetwork: false };
    const own = readlinkSync('/proc/self/ns/net');
    const of = async (confined: Confined) =>
      (await run('readlink /proc/self/ns/net', { name: confined.role, confined })).output.trim();
    expect(await of({ role: 'gate' })).toMatch(/^net:/);
    expect(await of({ role: 'gate' })).not.toBe(own);
    expect(await of({ role: 'setup' })).toBe(own);
    expect(await of(agent)).toBe(own);
  });

  it('carries requests out through the mailbox', async () => {
    const mailbox = join(place, 'turn/mailbox');
    mkdirSync(mailbox, { recursive: true });
    await run(`echo request >'${mailbox}/1.request'`, { confined: { ...agent, mailbox } });
    expect(readFileSync(join(mailbox, '1.request'), 'utf8')).toBe('request\n');
  });
});

describe.runIf(hasSandbox)('a child in a sandbox', () => {
  it.each([
    ['exit 0', { id: 'exited', code: 0 }],
    ['exit 1', { id: 'exited', code: 1 }],
    ['exit 127', { id: 'exited', code: 127 }],
    ['kill -9 $$', { id: 'signaled', signal: 'SIGKILL' }],
    ['kill -SEGV $$', { id: 'signaled', signal: 'SIGSEGV' }],
  ])('has the status of %s', async (script, how) => {
    expect((await run(script)).how).toEqual(how);
  });

  it('that the sandbox cannot start did not start', async () => {
    settings = { ...settings, home: '/proc/nothing', mode: 'strict' };
    expect((await run('true')).how).toMatchObject({
      id: 'not-started',
      cause: expect.stringContaining('bwrap: '),
    });
  });

  it('is asked to end by itself, and has time to do so', async () => {
    const script = `trap 'sleep 0.3; echo saved >saved; exit 0' TERM; echo up >up
      while :; do sleep 0.02; done`;
    const processes = supervisor({
      killGraceMs: 5_000,
      followMs: 20,
      confine: confineWith(settings),
    });
    const one = spec(script);
    const ended = processes.run(one);
    await untilFile(join(work, 'up'));
    processes.interrupt(one.dir);
    expect(await ended).toMatchObject({ how: { id: 'interrupted' }, stragglers: 0 });
    expect(readFileSync(join(work, 'saved'), 'utf8')).toBe('saved\n');
  });

  it('that ignores the request is killed with all it started', async () => {
    const script = `trap '' TERM; setsid sh -c 'trap "" TERM; echo $$ >up; while :; do sleep 0.05; done' &
      while :; do sleep 0.05; done`;
    const processes = supervisor({
      killGraceMs: 300,
      followMs: 20,
      confine: confineWith(settings),
    });
    const one = spec(script, { env: { PATH: process.env.PATH ?? '', MARK: place } });
    const ended = processes.run(one);
    await untilFile(join(work, 'up'));
    processes.interrupt(one.dir);
    expect((await ended).how).toEqual({ id: 'interrupted' });
    expect(processesWith(`MARK=${place}`)).toEqual([]);
  });

  it('takes what it left running with it', async () => {
    const env = { PATH: process.env.PATH ?? '', MARK: place };
    const ran = await run('setsid sleep 100 & exit 3', { env });
    expect(ran.how).toEqual({ id: 'exited', code: 3 });
    expect(processesWith(`MARK=${place}`)).toEqual([]);
  });

  describe('whose engine was killed', () => {
    let programs: string;
    let engine: string;
    beforeAll(async () => {
      programs = tempFolder();
      engine = await build('test/process/engine.ts', programs);
    });

    /** The engine of the test knows no sandbox: it gets the command line of the sandbox. */
    async function orphaned(script: string): Promise<ProcessSpec> {
      const { confined: _confined, ...plain } = spec(script);
      const given = { ...plain, ...confineWith(settings)(spec(script)) };
      const child = spawn(process.execPath, [engine, 'begun', JSON.stringify(given)]);
      await once(child, 'exit');
      expect(child.signalCode).toBe('SIGKILL');
      await untilFile(join(work, 'up'));
      return plain;
    }

    it('goes on, and its end is found', async () => {
      const plain = await orphaned('echo up >up; while [ ! -e go ]; do sleep 0.02; done; exit 5');
      const taken = supervisor({ followMs: 20 }).run(plain);
      writeFileSync(join(work, 'go'), '');
      expect((await taken).how).toEqual({ id: 'exited', code: 5 });
    });

    it('is asked to end by the next engine', async () => {
      const plain = await orphaned(
        `trap 'echo saved >saved; exit 0' TERM; echo up >up; while :; do sleep 0.02; done`,
      );
      await supervisor({ killGraceMs: 5_000, followMs: 20 }).endIn(plain.dir);
      expect(existsSync(join(work, 'saved'))).toBe(true);
      await until(() => processesWith(`HOME=${home}`).length === 0, 'nobody is left');
    });
  });
});
