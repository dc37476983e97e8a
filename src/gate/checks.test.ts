import { describe, expect, test } from 'vitest';
import type { Judged } from '../model/failure.ts';
import { HandClock } from '../process/handclock.ts';
import { type Behaviour, MemoryProcesses } from '../process/memory.ts';
import type { ProcessSpec } from '../process/processes.ts';
import { type GateRun, runGate } from './checks.ts';
import { branchGateId, gateId, gateWith } from './gate.ts';

const exits = (code: number, output = ''): Behaviour => ({
  ms: 10,
  end: { id: 'exited', code },
  output,
});

function world(behave: (spec: ProcessSpec) => Behaviour, where: Judged = 'branch') {
  const clock = new HandClock();
  const processes = new MemoryProcesses(clock, behave);
  const commands = ['lint', 'test'];
  const run: GateRun = {
    gate: { id: gateId(commands), commands, timeoutMs: 1_000 },
    where,
    worktree: '/w',
    dir: '/files',
    name: 'gate-1',
    env: { A: 'b' },
    limits: { wallMs: 1_000, outputBytes: 1_000 },
  };
  const judge = async () => {
    const verdict = runGate(processes, run);
    for (let n = 0; n < 20; n += 1) await clock.advance(100);
    return verdict;
  };
  return { clock, processes, run, judge };
}

const shell = (spec: ProcessSpec): string => spec.argv[2] ?? '';

describe('a gate', () => {
  test('passes when every command ends well, each in the worktree with the environment given', async () => {
    const { judge, processes } = world(() => exits(0));
    expect(await judge()).toEqual({ id: 'passed', ms: 20 });
    expect(processes.starts).toMatchObject([
      { argv: ['sh', '-c', 'lint'], cwd: '/w', env: { A: 'b' }, name: 'gate-1-1' },
      { argv: ['sh', '-c', 'test'], cwd: '/w', name: 'gate-1-2' },
    ]);
  });

  test('fails with the first command that does not, and runs no other after it', async () => {
    const { judge, processes } = world(() => exits(2, 'no semicolons'));
    expect(await judge()).toEqual({
      id: 'failed',
      ms: 10,
      failure: {
        kind: 'gate-red',
        where: 'branch',
        command: 'lint',
        exit: 2,
        tail: 'no semicolons',
        log: '/files/gate-1-1.out',
      },
    });
    expect(processes.starts).toHaveLength(1);
  });

  test('is red where work took a command away, and not run where the target lacks it too', async () => {
    const missing = (spec: ProcessSpec) => exits(shell(spec) === 'test' ? 127 : 0, 'not found');
    expect(await world(missing).judge()).toMatchObject({ id: 'failed', failure: { exit: 127 } });
    const { judge } = world(missing, 'target');
    expect(await judge()).toMatchObject({ id: 'not-run', failure: { kind: 'gate-not-run' } });
  });

  test('was not run when nothing could be started', async () => {
    const { judge } = world(() => ({ ms: 0, end: { id: 'not-started', cause: 'no memory' } }));
    expect(await judge()).toMatchObject({ id: 'not-run', failure: { cause: 'no memory' } });
  });

  test('fails by its time limit', async () => {
    const { judge } = world(() => ({ ...exits(0), ms: 1_500 }));
    expect(await judge()).toMatchObject({
      id: 'failed',
      failure: { kind: 'limit-crossed', phase: 'gate', limit: 'wall', value: 1_000 },
    });
  });

  test('gives no verdict when it is interrupted, and is run again by whoever asks next', async () => {
    const { clock, processes, run, judge } = world(() => exits(0));
    const cut = runGate(processes, run);
    processes.interruptAll();
    await clock.advance(10);
    expect(await cut).toBeUndefined();
    expect(await judge()).toMatchObject({ id: 'passed' });
    expect(processes.starts.map((spec) => spec.name)).toEqual([
      'gate-1-1',
      'gate-1-1-again1',
      'gate-1-2',
    ]);
  });

  test('that vanished again and again is given up as not run', async () => {
    const { judge, processes } = world(() => ({ ms: 10, end: { id: 'lost' } }));
    expect(await judge()).toMatchObject({ id: 'not-run' });
    expect(processes.starts.length).toBeLessThan(10);
  });

  test('asked again for a judgement that has ended repeats it and starts nothing', async () => {
    const { judge, processes } = world(() => exits(0));
    await judge();
    expect(await judge()).toMatchObject({ id: 'passed' });
    expect(processes.starts).toHaveLength(2);
  });
});

describe('the identity of a gate', () => {
  test('changes with its commands, their order and where one ends and the next begins', () => {
    const ids = [['a b'], ['a', 'b'], ['b', 'a'], ['a'], []].map((list) => gateId(list));
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('is that of the project where a task asks for nothing more', () => {
    const gate = { id: gateId(['t']), commands: ['t'], timeoutMs: 1 };
    expect(gateWith(gate, [])).toBe(gate);
    expect(gateWith(gate, ['t'])).toBe(gate);
    const more = gateWith(gate, ['x', 'x', 't']);
    expect(more.commands).toEqual(['t', 'x']);
    expect(more.id).not.toBe(gate.id);
    expect(gateWith(gate, ['x']).id).toBe(more.id);
  });

  test('changes with what sets the tree up, and is another for a branch', () => {
    expect(gateId(['t'], ['npm ci'])).not.toBe(gateId(['t']));
    expect(gateId(['t', 'npm ci'])).not.toBe(gateId(['t'], ['npm ci']));
    const gate = { id: gateId(['t']), commands: ['t'], timeoutMs: 1 };
    expect(branchGateId(gate)).not.toBe(gate.id);
  });
});
