// Behavior of real children that the supervisor must survive.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ProcessEnd, ProcessLimits, ProcessSpec } from '../../src/port/processes.ts';
import { isRunning, startOf } from '../../src/process/identity.ts';
import { supervisor } from '../../src/process/supervisor.ts';
import { tempFolder } from '../rig/temp-folder.ts';
import { until } from '../rig/until.ts';
import { build, untilFile } from './scratch.ts';

let place: string;
let dir: string;
beforeEach(() => {
  place = tempFolder();
  dir = place;
});

const processes = supervisor({ killGraceMs: 500, followMs: 50 });

function spec(argv: readonly string[], more: Partial<ProcessSpec> = {}): ProcessSpec {
  return {
    dir: join(dir, 'turn'),
    name: 'agent',
    argv,
    cwd: dir,
    env: { PATH: process.env.PATH ?? '' },
    limits: { wallMs: 30_000, outputBytes: 64 * 1024 * 1024 },
    ...more,
  };
}

const sh = (script: string, limits: Partial<ProcessLimits> = {}): ProcessSpec => {
  const plain = spec(['sh', '-c', script]);
  return { ...plain, limits: { ...plain.limits, ...limits } };
};
const run = (given: ProcessSpec): Promise<ProcessEnd> => processes.run(given);
const text = (file: string): string => readFileSync(join(dir, 'turn', file), 'utf8');
const out = (): string => text('agent.out');

describe('a child', () => {
  it('gets its words as they are, whatever a shell would make of them', async () => {
    const words = [
      '$(touch x)',
      '`id`',
      "it's",
      '"',
      'a b',
      '',
      '*',
      '-n',
      '\\',
      'line\nline',
      '$1',
    ];
    await run(
      spec([process.execPath, '-p', 'JSON.stringify(process.argv.slice(1))', '--', ...words]),
    );
    expect(JSON.parse(out())).toEqual(words);
    expect(existsSync(join(dir, 'x'))).toBe(false);
  });

  it('gets exactly the environment it was given, and the tag', async () => {
    const env = { PATH: process.env.PATH ?? '', ODD: 'two\nlines $HOME', yard_code: 'kept' };
    await run({ ...spec(['env', '-0']), env });
    const seen = out()
      .split('\0')
      .filter((line) => line !== '')
      .sort();
    expect(seen.filter((line) => !line.startsWith('YARD_ATTEMPT_KEY='))).toEqual(
      Object.entries(env)
        .map(([name, value]) => `${name}=${value}`)
        .sort(),
    );
    expect(seen.filter((line) => line.startsWith('YARD_ATTEMPT_KEY='))).toHaveLength(1);
  });

  it('runs in the folder it was given', async () => {
    await run(spec(['pwd']));
    expect(out()).toBe(`${dir}\n`);
  });

  it('reads one mebibyte of standard input to its end', async () => {
    const prompt = await processes.write(join(dir, 'turn'), 'prompt.md', 'p'.repeat(1024 * 1024));
    await run({ ...spec(['wc', '-c']), stdin: prompt });
    expect(out().trim()).toBe(String(1024 * 1024));
  });

  it('finds an empty standard input where none was given', async () => {
    await run(spec(['cat']));
    expect(out()).toBe('');
  });

  it('prints ten mebibytes on each stream without being held up', async () => {
    const end = await run(sh('head -c 10485760 /dev/zero; head -c 10485760 /dev/zero >&2'));
    expect(end.how).toEqual({ id: 'exited', code: 0 });
    expect(statSync(join(dir, 'turn', 'agent.out')).size).toBe(10_485_760);
    expect(statSync(join(dir, 'turn', 'agent.err')).size).toBe(10_485_760);
  });

  it('that a signal ended is told with the signal, and nothing is added to its output', async () => {
    expect((await run(sh('kill -SEGV $$'))).how).toEqual({ id: 'signaled', signal: 'SIGSEGV' });
    expect([out(), text('agent.err')]).toEqual(['', '']);
  });

  it('that exits 127 or 126 itself did start', async () => {
    expect((await run(sh('echo gone >&2; exit 127'))).how).toEqual({ id: 'exited', code: 127 });
    expect((await run({ ...sh('exit 126'), name: 'other' })).how).toEqual({
      id: 'exited',
      code: 126,
    });
  });

  it('leads a process group of its own', async () => {
    await run(sh('ps -o pgid= -p $$'));
    const group = Number(out());
    expect(group).toBe(Number.parseInt(text('agent.pid'), 10));
    expect(group).not.toBe(process.pid);
  });
});

describe('a child that cannot be started', () => {
  const cause = async (given: ProcessSpec): Promise<string> => {
    const { how } = await run(given);
    return how.id === 'not-started' ? how.cause : `it ended: ${JSON.stringify(how)}`;
  };

  it('says that the binary is nowhere on the path of its environment', async () => {
    expect(await cause({ ...spec(['sh']), env: { PATH: dir } })).toBe('sh is not on PATH');
  });

  it('says that the file is not there, not a file, or not executable', async () => {
    writeFileSync(join(dir, 'plain'), 'text');
    expect(await cause(spec(['./nothing']))).toMatch(/nothing does not exist/);
    expect(await cause(spec([dir]))).toMatch(/is not a file/);
    expect(await cause(spec(['./plain']))).toMatch(/plain is not executable/);
    expect(await cause(spec([]))).toBe('the command is empty');
  });

  it('says that its interpreter is missing', async () => {
    writeFileSync(join(dir, 'agent'), '#!/no/such/interpreter\n', { mode: 0o755 });
    expect(await cause(spec(['./agent']))).toMatch(/agent: not found|No such file/);
  });

  it('says that its folder or its standard input is missing', async () => {
    expect(await cause({ ...spec(['true']), cwd: join(dir, 'gone') })).toMatch(/does not exist/);
    expect(await cause({ ...spec(['true']), stdin: join(dir, 'gone') })).toMatch(/ENOENT/);
  });

  it('says that its traces cannot be written', async () => {
    writeFileSync(join(dir, 'turn'), 'a file where a folder should be');
    expect(await cause(spec(['true']))).toMatch(/EEXIST|ENOTDIR/);
  });

  it('says that its arguments are too long', async () => {
    expect(await cause(spec(['true', 'x'.repeat(3 * 1024 * 1024)]))).toMatch(/E2BIG/);
  });

  it('starts after all when the trouble is over', async () => {
    expect(await cause(spec(['./later']))).toMatch(/does not exist/);
    writeFileSync(join(dir, 'later'), '#!/bin/sh\nexit 3\n', { mode: 0o755 });
    expect((await run(spec(['./later']))).how).toEqual({ id: 'exited', code: 3 });
  });

  it('because its file is still being written is tried again', async () => {
    const binary = join(dir, 'fresh');
    writeFileSync(binary, readFileSync('/bin/true'));
    chmodSync(binary, 0o755);
    const handle = openSync(binary, 'r+');
    const running = run(spec([binary]));
    await untilFile(join(dir, 'turn', 'agent.pid'));
    closeSync(handle);
    expect((await running).how).toEqual({ id: 'exited', code: 0 });
    expect(text('agent.err')).toBe('');
  });

  it('because its file stays busy says so after a bounded number of tries', async () => {
    const binary = join(dir, 'busy');
    writeFileSync(binary, readFileSync('/bin/true'));
    chmodSync(binary, 0o755);
    const handle = openSync(binary, 'r+');
    try {
      expect(await cause(spec([binary]))).toMatch(/busy/i);
    } finally {
      closeSync(handle);
    }
  });
});

describe('a child that has to be ended', () => {
  it('gets the polite signal first, and its own exit status does not hide why', async () => {
    const given = sh(
      'trap "echo ended politely; exit 0" TERM; echo up; while :; do sleep 0.02; done',
    );
    const running = run(given);
    await until(() => existsSync(join(dir, 'turn', 'agent.out')) && out() !== '', 'it is up');
    processes.interrupt(given.dir, given.name);
    expect((await running).how).toEqual({ id: 'interrupted' });
    expect(out()).toBe('up\nended politely\n');
  });

  it('in the moment of its start is asked politely too, and not waited for in vain', async () => {
    const patient = supervisor({ killGraceMs: 20_000, followMs: 50 });
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      const given = { ...sh('while :; do sleep 0.02; done'), name };
      const running = patient.run(given);
      await untilFile(join(given.dir, `${name}.pid`));
      patient.interrupt(given.dir, name);
      const end = await running;
      expect(end.how).toEqual({ id: 'interrupted' });
      expect(end.endedAt - end.startedAt).toBeLessThan(15_000);
      expect(existsSync(join(given.dir, `${name}.status`))).toBe(true);
    }
  });

  it('is killed when it does not listen', async () => {
    const end = await run(
      sh('trap "" TERM; echo up; while :; do sleep 0.02; done', { wallMs: 300 }),
    );
    expect(end.how).toEqual({ id: 'limit', limit: 'wall', value: 300 });
    expect(end.endedAt - end.startedAt).toBeGreaterThanOrEqual(750);
  });

  it('is not idle as long as it prints, on either stream', async () => {
    const end = await run(
      sh('for i in 1 2 3 4 5 6 7 8; do sleep 0.2; echo . >&2; done', { idleMs: 1_500 }),
    );
    expect(end.how).toEqual({ id: 'exited', code: 0 });
  });

  it('for printing too much leaves no more than it may, with a note at the cut', async () => {
    const end = await run(sh('echo first; exec yes', { outputBytes: 100_000 }));
    expect(end.how).toEqual({ id: 'limit', limit: 'output', value: 100_000 });
    expect(out().startsWith('first\ny\n')).toBe(true);
    expect(out()).toMatch(/\n\[output cut here: it crossed the limit of 100000 bytes\]\n$/);
    expect(out().length).toBeLessThan(100_100);
  });

  it('for printing too much is told so although it was gone before anybody looked', async () => {
    const patient = supervisor({ killGraceMs: 500, followMs: 60_000 });
    const end = await patient.run(sh('head -c 20000 /dev/zero', { outputBytes: 10_000 }));
    expect(end.how).toEqual({ id: 'limit', limit: 'output', value: 10_000 });
  });

  it('for printing without end costs the engine no memory', async () => {
    const engine = await build('test/process/engine.ts', join(dir, 'programs'));
    const given = sh('exec yes', { outputBytes: 32 * 1024 * 1024 });
    const ended = spawnSync(process.execPath, [engine, 'end', JSON.stringify(given)], {
      encoding: 'utf8',
      timeout: 30_000,
    });
    const { end, grown } = JSON.parse(ended.stdout) as { end: ProcessEnd; grown: number };
    expect(end.how).toMatchObject({ id: 'limit', limit: 'output' });
    expect(end.endedAt - end.startedAt).toBeLessThan(10_000);
    expect(grown).toBeLessThan(20 * 1024 * 1024);
    expect(statSync(join(dir, 'turn', 'agent.out')).size).toBeLessThan(33 * 1024 * 1024);
  });
});

describe('descendants of a child', () => {
  const ways = {
    plain: 'sh -c "echo \\$\\$ >pid; exec sleep 60" &',
    'ignoring the polite signal':
      'sh -c "trap \\"\\" TERM; echo \\$\\$ >pid; while :; do sleep 0.1; done" &',
    'in a session of their own': 'setsid sh -c "echo \\$\\$ >pid; exec sleep 60" &',
    'in a session of their own, ignoring the polite signal':
      'setsid sh -c "trap \\"\\" TERM; echo \\$\\$ >pid; while :; do sleep 0.1; done" &',
    'whose parent is gone': '(setsid sh -c "echo \\$\\$ >pid; exec sleep 60" &) &',
    'without an environment, in the group': 'env -i /bin/sh -c "echo \\$\\$ >pid; exec sleep 60" &',
  };
  const begin = 'until [ -s pid ]; do sleep 0.01; done;';

  it.each(Object.entries(ways))('%s are gone once it has ended', async (_, way) => {
    const end = await run(sh(`${way} ${begin} exit 4`));
    expect(end.how).toEqual({ id: 'exited', code: 4 });
    expect(end.stragglers).toBeGreaterThanOrEqual(1);
    expect(startOf(Number(readFileSync(join(dir, 'pid'), 'utf8')))).toBeUndefined();
  });

  it.each(Object.entries(ways))('%s are gone once it was ended', async (_, way) => {
    const given = sh(`${way} ${begin} echo up; exec sleep 60`);
    const running = run(given);
    await until(() => existsSync(join(dir, 'turn', 'agent.out')) && out() !== '', 'it is up');
    processes.interrupt(given.dir, given.name);
    expect((await running).how).toEqual({ id: 'interrupted' });
    expect(startOf(Number(readFileSync(join(dir, 'pid'), 'utf8')))).toBeUndefined();
  });

  it('do not include those of a child beside it', async () => {
    mkdirSync(join(dir, 'beside'));
    const other = { ...sh('echo $$ >pid; exec sleep 60'), name: 'other', cwd: join(dir, 'beside') };
    const running = run(other);
    await until(() => existsSync(join(dir, 'beside', 'pid')), 'the other one is up');
    await until(() => statSync(join(dir, 'beside', 'pid')).size > 0, 'it has written');
    const pid = Number(readFileSync(join(dir, 'beside', 'pid'), 'utf8'));
    const startedAt = startOf(pid) ?? 'gone';
    expect((await run(sh('exit 0'))).stragglers).toBe(0);
    expect(isRunning({ pid, startedAt })).toBe(true);
    processes.interrupt(other.dir, 'other');
    await running;
  });
});

describe('the tail of the output', () => {
  const tail = (bytes: number): Promise<string> =>
    processes.tail(join(dir, 'turn'), 'agent', bytes);

  it('has standard error after standard output, and leaves room for both', async () => {
    await run(sh('seq 1 5000; echo bad news >&2'));
    const text = await tail(100);
    expect(text).toMatch(/4999\n5000\nbad news\n$/);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(100);
    await run({ ...sh('echo good; seq 1 5000 >&2'), name: 'noisy' });
    expect(await processes.tail(join(dir, 'turn'), 'noisy', 100)).toMatch(/^good\n[\d\n]*5000\n$/);
  });

  it('shows bytes that are no text, and control characters, but no colors', async () => {
    await run(
      sh("printf 'a\\377b\\000c\\033[31mred\\033[0m\\ttab\\r\\nnext\\033]0;title\\007!\\n'"),
    );
    expect(await tail(1000)).toBe('a\ufffdb\\x00cred\ttab\nnext\\x1b]0;title\\x07!\n');
  });

  it('does not begin in the middle of a character', async () => {
    await run(sh("printf 'ääää'"));
    expect(await tail(5)).toBe('ää');
  });

  it('shows no secret, also where one is cut in two, in the file neither', async () => {
    const secret = 'my-secret-value';
    const careful = supervisor({ followMs: 50, secrets: [secret] });
    await careful.run(sh(`echo first ${secret}; echo token ghp_$(printf %040d 7) >&2`));
    const tailOf = (bytes: number) => careful.tail(join(dir, 'turn'), 'agent', bytes);
    expect(await tailOf(1000)).toBe('first [redacted]\ntoken [redacted]\n');
    expect(out()).toBe('first [redacted]*****\n');
    for (let bytes = 1; bytes < 100; bytes += 1) {
      const shown = await tailOf(bytes);
      expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(bytes);
      expect(shown).not.toMatch(/value|t-v|lue|00|07/);
    }
  });
});

describe('what a child leaves', () => {
  it('can be read by its owner alone, whatever the child lets others read', async () => {
    await run(sh('umask; touch made-by-child; echo x'));
    await processes.write(join(dir, 'turn'), 'prompt', 'text');
    const mode = (file: string): number => statSync(join(dir, 'turn', file)).mode & 0o777;
    expect(mode('.')).toBe(0o700);
    for (const file of ['agent.out', 'agent.err', 'prompt', 'agent.end']) {
      expect({ file, mode: mode(file) }).toEqual({ file, mode: 0o600 });
    }
    // The child itself works as the person who started us would.
    expect(Number.parseInt(out(), 8)).toBe(process.umask());
    expect(statSync(join(dir, 'made-by-child')).mode & 0o777).toBe(0o666 & ~process.umask());
  });
});
