// Cost and robustness of listening to real children.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { limits } from '../../src/model/limits.ts';
import type { LineListener, ProcessEnd, ProcessSpec } from '../../src/port/processes.ts';
import { startOf } from '../../src/process/identity.ts';
import { supervisor } from '../../src/process/supervisor.ts';
import { tempFolder } from '../rig/temp-folder.ts';
import { until } from '../rig/until.ts';
import { build, untilFile } from './scratch.ts';

const mebibyte = 1024 * 1024;

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

function sh(script: string, bounds: Partial<ProcessSpec['limits']> = {}): ProcessSpec {
  return {
    dir: join(place, 'turn'),
    name: 'agent',
    argv: ['sh', '-c', script],
    cwd: place,
    env: { PATH: process.env.PATH ?? '' },
    limits: {
      wallMs: 50_000,
      outputBytes: limits.outputBytes,
      lineBytes: limits.agentLineBytes,
      ...bounds,
    },
  };
}

interface Report {
  readonly end: ProcessEnd;
  /** Peak additional memory of the engine. */
  readonly grown: number;
  readonly lines: number;
  readonly chars: number;
}

async function heardByEngine(spec: ProcessSpec): Promise<Report> {
  const argv = [engine, 'hear', JSON.stringify(spec)];
  const { stdout } = await promisify(execFile)(process.execPath, argv, { timeout: 50_000 });
  return JSON.parse(stdout) as Report;
}

class Heard implements LineListener {
  readonly lines: string[] = [];
  line(text: string): boolean {
    this.lines.push(text);
    return false;
  }
}

/** A line of so many bytes, and nothing after it. */
const line = (bytes: number): string => `head -c ${bytes} /dev/zero | tr '\\0' x`;
const out = (): string => join(place, 'turn', 'agent.out');

describe('the memory of an engine that listens', () => {
  it.each([
    ['and ends', ''],
    ['and hangs', '; exec sleep 60'],
  ])('does not grow with a line of 50 MB that a child prints %s', async (_, then) => {
    const report = await heardByEngine(sh(`echo first; ${line(50 * mebibyte)}${then}`));
    expect(report.end.how).toEqual({ id: 'limit', limit: 'line', value: limits.agentLineBytes });
    expect(report).toMatchObject({ lines: 1, chars: 'first'.length });
    expect(report.grown).toBeLessThan(40 * mebibyte);
  });

  it('does not grow with a line that has no end', async () => {
    const report = await heardByEngine(sh("echo first; exec tr '\\0' x </dev/zero"));
    // Which of the two it is said to have crossed depends on how fast it prints.
    const limit: unknown = expect.stringMatching(/^(line|output)$/);
    expect(report.end.how).toMatchObject({ id: 'limit', limit });
    expect(report).toMatchObject({ lines: 1, chars: 'first'.length });
    expect(report.grown).toBeLessThan(40 * mebibyte);
  });

  it('holds a line as long as one may be once or twice, not more', async () => {
    const report = await heardByEngine(sh(`${line(limits.agentLineBytes)}; echo; echo last`));
    expect(report.end.how).toEqual({ id: 'exited', code: 0 });
    expect(report).toMatchObject({ lines: 2, chars: limits.agentLineBytes + 'last'.length });
    expect(report.grown).toBeLessThan(limits.agentLineBytes * 3 + 20 * mebibyte);
  });

  it.each([
    ['lines', `exec yes ${'x'.repeat(99)}`, 100, 32 * mebibyte],
    // Four million lines, each of which would take more memory than its bytes.
    ['short lines', 'exec yes', 2, 8 * mebibyte],
  ])(
    'does not grow with a flood of %s, of which all is heard that is kept',
    async (_, script, width, outputBytes) => {
      const report = await heardByEngine(sh(script, { outputBytes }));
      expect(report.end.how).toEqual({ id: 'limit', limit: 'output', value: outputBytes });
      expect(report.lines).toBe(Math.floor(outputBytes / width));
      expect(report.grown).toBeLessThan(30 * mebibyte);
      expect(statSync(out()).size).toBeLessThan(outputBytes + 100);
    },
  );

  it('does not grow with what an engine before it left unheard', async () => {
    const spec = sh(`yes ${'x'.repeat(99)} | head -c ${60 * mebibyte}`);
    await processes.run(spec);
    const report = await heardByEngine(spec);
    expect(report.end.how).toEqual({ id: 'exited', code: 0 });
    expect(report.lines).toBe(Math.ceil((60 * mebibyte) / 100));
    expect(report.grown).toBeLessThan(30 * mebibyte);
  });
});

describe('a listener that is slow', () => {
  /** Each line takes so long that all of them would take twenty seconds. */
  class Slow extends Heard {
    isOver = false;
    override line(text: string): boolean {
      const end = performance.now() + (this.isOver ? 0 : 10);
      while (performance.now() < end);
      return super.line(text);
    }
  }
  const many = 'seq 1 2000';

  it('does not keep a child from being ended at its limit', async () => {
    const listener = new Slow();
    const spec = { ...sh(`${many}; exec sleep 60`, { wallMs: 2_000 }), listener };
    const running = processes.run(spec);
    await untilFile(join(spec.dir, 'agent.end'));
    const heardBefore = listener.lines.length;
    listener.isOver = true;
    const end = await running;
    expect(end.how).toEqual({ id: 'limit', limit: 'wall', value: 2_000 });
    expect(heardBefore).toBeLessThan(2_000);
    expect(listener.lines).toEqual(readFileSync(out(), 'utf8').split('\n').filter(Boolean));
  });

  it('does not keep a child from being interrupted, nor others from being heard', async () => {
    const listener = new Slow();
    const other = new Heard();
    const printed = join(place, 'printed');
    const running = processes.run({ ...sh(`${many}; : > ${printed}; exec sleep 60`), listener });
    await processes.run({ ...sh('echo hello'), name: 'other', listener: other });
    expect(other.lines).toEqual(['hello']);
    expect(listener.lines.length).toBeLessThan(2_000);
    await untilFile(printed);
    processes.interruptAll();
    await untilFile(join(place, 'turn', 'agent.end'));
    listener.isOver = true;
    expect((await running).how).toEqual({ id: 'interrupted' });
    expect(listener.lines).toHaveLength(2_000);
  });
});

describe('the end of a child that is listened to', () => {
  it('is seen at once, with all that it printed last', async () => {
    const patient = supervisor({ killGraceMs: 500, followMs: 60_000 });
    const listener = new Heard();
    const end = await patient.run({ ...sh('echo one; sleep 0.2; printf two'), listener });
    expect(listener.lines).toEqual(['one', 'two']);
    expect(Date.now() - end.endedAt).toBeLessThan(60_000);
  });

  it('comes after what its descendants printed', async () => {
    const script =
      'setsid sh -c "trap \\"echo late; exit\\" TERM; echo up; while :; do sleep 0.02; done" &';
    const listener = new Heard();
    const wait = `until [ -s ${out()} ]; do sleep 0.01; done`;
    // On a busy machine a shell may take long to answer a signal.
    const patient = supervisor({ killGraceMs: 20_000, followMs: 50 });
    const end = await patient.run({ ...sh(`${script} ${wait}`), listener });
    expect(end.stragglers).toBeGreaterThanOrEqual(1);
    expect(listener.lines).toEqual(['up', 'late']);
  });

  it('tells of a line that was too long although the child was gone before anybody looked', async () => {
    const patient = supervisor({ killGraceMs: 500, followMs: 60_000 });
    const listener = new Heard();
    const end = await patient.run({
      ...sh(`sleep 0.1; ${line(20_000)}`, { lineBytes: 10_000 }),
      listener,
    });
    expect(end.how).toEqual({ id: 'limit', limit: 'line', value: 10_000 });
    expect(listener.lines).toEqual([]);
  });
});

it('does not give a child much time to end that prints a line without end', async () => {
  const patient = supervisor({ killGraceMs: 20_000, followMs: 50 });
  const script = `trap "" TERM; ${line(20_000)}; while :; do sleep 0.02; done`;
  const end = await patient.run({ ...sh(script, { lineBytes: 10_000 }), listener: new Heard() });
  expect(end.how).toEqual({ id: 'limit', limit: 'line', value: 10_000 });
  expect(end.endedAt - end.startedAt).toBeLessThan(20_000);
});

describe('an engine that takes over', () => {
  async function killedEngine(spec: ProcessSpec): Promise<void> {
    const child = spawn(process.execPath, [engine, 'begun', JSON.stringify(spec)]);
    await once(child, 'exit');
  }

  it('hears a child that went on, from its first line', async () => {
    const listener = new Heard();
    const script = 'echo one; until [ -e go ]; do sleep 0.02; done; echo two; exit 5';
    const spec = { ...sh(script), listener };
    await killedEngine(spec);
    const running = processes.run(spec);
    await until(() => listener.lines.length === 1, 'it is heard');
    await processes.write(place, 'go', '');
    expect((await running).how).toEqual({ id: 'exited', code: 5 });
    expect(listener.lines).toEqual(['one', 'two']);
  });

  it('finds the line that was too long in what a child left that is gone', async () => {
    const listener = new Heard();
    const spec = { ...sh(`echo one; ${line(20_000)}; exit 5`, { lineBytes: 10_000 }), listener };
    await killedEngine(spec);
    await untilFile(join(spec.dir, 'agent.status'));
    const end = await processes.run(spec);
    expect(end.how).toEqual({ id: 'limit', limit: 'line', value: 10_000 });
    expect(listener.lines).toEqual(['one']);
    expect(await processes.run(sh('never started'))).toEqual(end);
  });

  it('ends a child at once that had said its last word long ago, with its descendants', async () => {
    const script = `setsid sh -c 'echo $$ >family; exec sleep 60' &
      until [ -s family ]; do sleep 0.01; done; echo done; exec sleep 60`;
    const listener = { line: (text: string): boolean => text === 'done' };
    const spec = { ...sh(script, { lingerMs: 20_000 }), listener };
    await killedEngine(spec);
    await until(() => existsSync(out()) && readFileSync(out(), 'utf8') !== '', 'it is silent');
    const ago = Date.now() / 1_000 - 30;
    for (const file of ['out', 'err', 'pid']) utimesSync(join(spec.dir, `agent.${file}`), ago, ago);
    const began = performance.now();
    expect((await processes.run(spec)).how).toEqual({
      id: 'limit',
      limit: 'linger',
      value: 20_000,
    });
    expect(performance.now() - began).toBeLessThan(20_000);
    expect(startOf(Number(readFileSync(join(place, 'family'), 'utf8')))).toBeUndefined();
  });
});
