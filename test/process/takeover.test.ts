// Engines that die while their children run, and the ones that come after them.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ProcessLimits, ProcessSpec } from '../../src/port/processes.ts';
import { self, startOf } from '../../src/process/identity.ts';
import { supervisor } from '../../src/process/supervisor.ts';
import { tempFolder } from '../rig/temp-folder.ts';
import { until } from '../rig/until.ts';
import { build, untilFile } from './scratch.ts';

let programs: string;
let engine: string;
let place: string;
beforeAll(async () => {
  programs = tempFolder();
  engine = await build('test/process/engine.ts', programs);
});
beforeEach(() => {
  place = tempFolder();
});

const processes = supervisor({ killGraceMs: 500, followMs: 50 });

/** A child that counts its starts, waits until it is let go, and exits 5. */
function waiting(limits: Partial<ProcessLimits> = {}): ProcessSpec {
  const script = 'echo start >>starts; while [ ! -e go ]; do sleep 0.02; done; echo bye; exit 5';
  return {
    dir: join(place, 'turn'),
    name: 'agent',
    argv: ['sh', '-c', script],
    cwd: place,
    env: { PATH: process.env.PATH ?? '' },
    limits: { wallMs: 30_000, outputBytes: 1_000_000, ...limits },
  };
}

const letGo = (): void => writeFileSync(join(place, 'go'), '');
const starts = (): string => readFileSync(join(place, 'starts'), 'utf8');

async function runEngine(mode: string, spec: ProcessSpec): Promise<ChildProcess> {
  const child = spawn(process.execPath, [engine, mode, JSON.stringify(spec)], { stdio: 'inherit' });
  await once(child, 'exit');
  return child;
}

describe('a child whose engine was killed', () => {
  it('keeps its secrets in its output only until an engine has seen its end', async () => {
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const begin = waiting();
    const argv = ['sh', '-c', `echo my ${token}; echo word-of-mine >&2; ${begin.argv[2]}`];
    const spec = { ...begin, argv };
    await runEngine('begun', spec);
    await untilFile(join(place, 'starts'));
    const read = (ending: string): string =>
      readFileSync(join(spec.dir, `${spec.name}.${ending}`), 'utf8');
    expect(read('out')).toContain(token);
    letGo();
    const lines: string[] = [];
    const listener = { line: (text: string) => lines.push(text) < 0 };
    const careful = supervisor({ followMs: 50, secrets: ['word-of-mine'] });
    const end = await careful.run({ ...spec, listener });
    expect(end.how).toEqual({ id: 'exited', code: 5 });
    expect(lines).toEqual([`my ${token}`, 'bye']);
    expect(read('out')).toMatch(/^my \[redacted\]\**\nbye\n$/);
    expect(read('err')).toBe('[redacted]**\n');
    expect(await careful.tail(spec.dir, spec.name, 1000)).toBe('my [redacted]\nbye\n[redacted]\n');
  });

  it('goes on, is taken over, and is seen to end exactly once', async () => {
    const spec = waiting();
    expect((await runEngine('begun', spec)).signalCode).toBe('SIGKILL');
    await untilFile(join(place, 'starts'));
    const taken = processes.run(spec);
    letGo();
    const end = await taken;
    expect(end.how).toEqual({ id: 'exited', code: 5 });
    expect(await supervisor().run(spec)).toEqual(end);
    expect(starts()).toBe('start\n');
    expect(await processes.tail(spec.dir, spec.name, 100)).toBe('bye\n');
  });

  it('may end while no engine runs, and its end is found', async () => {
    const spec = waiting();
    letGo();
    await runEngine('begun', spec);
    await untilFile(join(spec.dir, 'agent.status'));
    expect(processes.hasEnded(spec.dir, spec.name)).toBe(true);
    expect((await processes.run(spec)).how).toEqual({ id: 'exited', code: 5 });
    expect(starts()).toBe('start\n');
  });

  it('is started once although the engine died in the middle of starting it', async () => {
    const spec = waiting();
    await Promise.all([runEngine('at-once', spec), runEngine('at-once', spec)]);
    const ends = [processes.run(spec), supervisor({ followMs: 50 }).run(spec)];
    letGo();
    for (const end of await Promise.all(ends)) expect(end.how).toEqual({ id: 'exited', code: 5 });
    expect(starts()).toBe('start\n');
  });

  it('has its wall time counted from its own start', async () => {
    const spec = waiting({ wallMs: 1_500 });
    await runEngine('begun', spec);
    const claim = join(spec.dir, 'agent.pid');
    await until(() => Date.now() - statSync(claim).mtimeMs > 1_000, 'it has run for a while');
    const end = await processes.run(spec);
    expect(end.how).toEqual({ id: 'limit', limit: 'wall', value: 1_500 });
    expect(end.endedAt - end.startedAt).toBeGreaterThanOrEqual(1_450);
    expect(end.endedAt - end.startedAt).toBeLessThan(2_400);
  });

  it('has its silence counted from its last output', async () => {
    const spec = { ...waiting({ idleMs: 1_500 }), argv: ['sh', '-c', 'echo once; exec sleep 60'] };
    await runEngine('begun', spec);
    const output = join(spec.dir, 'agent.out');
    await until(() => Date.now() - statSync(output).mtimeMs > 1_000, 'it has been silent');
    const end = await processes.run(spec);
    expect(end.how).toEqual({ id: 'limit', limit: 'idle', value: 1_500 });
    expect(end.endedAt - end.startedAt).toBeLessThan(2_400);
  });

  it('is interrupted by the engine that took over', async () => {
    const spec = waiting();
    await runEngine('begun', spec);
    const taken = processes.run(spec);
    processes.interrupt(spec.dir, spec.name);
    expect((await taken).how).toEqual({ id: 'interrupted' });
  });

  it('is ended for the reason that was noted before the engine died', async () => {
    const spec = waiting();
    await runEngine('begun', spec);
    const how = { id: 'limit', limit: 'idle', value: 7 };
    writeFileSync(join(spec.dir, 'agent.end'), JSON.stringify({ how, startedAt: 1 }));
    // Long enough for the polite signal to be obeyed on a busy machine: only then is there a status.
    const end = await supervisor({ killGraceMs: 20_000, followMs: 50 }).run(spec);
    expect(end.how).toEqual(how);
    expect(existsSync(join(spec.dir, 'agent.status'))).toBe(true);
  });

  it('can be left running on purpose', async () => {
    const spec = waiting();
    expect((await runEngine('leave', spec)).exitCode).toBe(0);
    const taken = processes.run(spec);
    letGo();
    expect((await taken).how).toEqual({ id: 'exited', code: 5 });
  });
});

describe('what is left of a child', () => {
  it('without a status, when the process is gone, means that it was lost', async () => {
    const spec = waiting();
    await runEngine('begun', spec);
    const pid = Number.parseInt(readFileSync(join(spec.dir, 'agent.pid'), 'utf8'), 10);
    process.kill(-pid, 'SIGKILL');
    await until(() => startOf(pid) === undefined, 'the child is gone');
    const end = await processes.run(spec);
    expect(end.how).toEqual({ id: 'lost' });
    expect(await processes.run(spec)).toEqual(end);
  });

  it('is seen at once by the engine that started it when it is killed with its wrapper', async () => {
    const spec = waiting();
    const running = processes.run(spec);
    await untilFile(join(place, 'starts'));
    const pid = Number.parseInt(readFileSync(join(spec.dir, 'agent.pid'), 'utf8'), 10);
    process.kill(-pid, 'SIGKILL');
    expect((await running).how).toEqual({ id: 'lost' });
  });

  it('is never taken for another process that has its pid now', async () => {
    const spec = waiting({ wallMs: 1 });
    const stranger = spawn('sleep', ['60'], { stdio: 'ignore', detached: true });
    const { pid = 0 } = stranger;
    mkdirSync(spec.dir, { recursive: true });
    const [, boot] = self().startedAt.split('@');
    writeFileSync(join(spec.dir, 'agent.pid'), `${pid} 12@${boot}\n`);
    expect((await processes.run(spec)).how).toEqual({ id: 'lost' });
    expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
    process.kill(pid, 0);
    stranger.kill('SIGKILL');
    await once(stranger, 'exit');
  });

  it('from before the machine was started again is lost, and no process is signaled', async () => {
    const spec = waiting();
    mkdirSync(spec.dir, { recursive: true });
    writeFileSync(join(spec.dir, 'agent.pid'), `${process.pid} 12@another-boot\n`);
    expect((await processes.run(spec)).how).toEqual({ id: 'lost' });
  });

  it('does not include a damaged end file', async () => {
    const spec = waiting();
    letGo();
    mkdirSync(spec.dir, { recursive: true });
    writeFileSync(join(spec.dir, 'agent.end'), '{"how":');
    expect((await processes.run(spec)).how).toEqual({ id: 'exited', code: 5 });
  });

  it('with an exit status but no end file still has its descendants ended', async () => {
    const spec: ProcessSpec = {
      ...waiting(),
      argv: [
        'sh',
        '-c',
        "setsid sh -c 'echo $$ >straggler; exec sleep 60' & until [ -s straggler ]; do sleep 0.01; done",
      ],
    };
    await runEngine('begun', spec);
    await untilFile(join(spec.dir, 'agent.status'));
    const pid = Number(readFileSync(join(place, 'straggler'), 'utf8'));
    expect(startOf(pid)).toBeDefined();
    expect((await processes.run(spec)).stragglers).toBe(1);
    expect(startOf(pid)).toBeUndefined();
  });
});

describe('many engines at once', () => {
  it('start a child once', async () => {
    const spec = waiting();
    const engines = Array.from({ length: 8 }, () => supervisor({ followMs: 20 }).run(spec));
    await untilFile(join(place, 'starts'));
    letGo();
    const ends = await Promise.all(engines);
    expect(new Set(ends.map(({ how }) => JSON.stringify(how)))).toEqual(
      new Set(['{"id":"exited","code":5}']),
    );
    expect(starts()).toBe('start\n');
  });
});
