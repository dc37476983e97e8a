import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../test/memory/clock.ts';
import { type Behavior, MemoryProcesses } from '../../test/memory/processes.ts';
import type { GateSubject } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { ProcessSpec } from '../port/processes.ts';
import { type GateRun, runGate } from './checks.ts';
import { branchGateId, gateId, gateWith } from './gate.ts';

const exits = (code: number, output = ''): Behavior => ({
  ms: 10,
  end: { id: 'exited', code },
  output,
});

function world(
  behave: (spec: ProcessSpec) => Behavior,
  where: GateSubject = 'branch',
  how: Partial<GateRun> = {},
) {
  const clock = new ManualClock();
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
    reruns: 0,
    quarantined: [],
    confirmed: [],
    pause: (ms) => clock.sleep(ms),
    ...how,
  };
  const result = async () => {
    const judged = runGate(processes, run);
    for (let n = 0; n < 80; n += 1) await clock.advance(100);
    return judged;
  };
  const judge = async () => (await result())?.verdict;
  const names = () => processes.starts.map((spec) => spec.name);
  return { clock, processes, run, result, judge, names };
}

/** Exit statuses by name of the run; 0 where none is given. */
const byName =
  (codes: Readonly<Record<string, number>>) =>
  (spec: ProcessSpec): Behavior =>
    exits(codes[spec.name] ?? 0, spec.name);

/** Runs the next argument with both streams in one. */
const shellArgs = ['sh', '-c', 'exec sh -c "$1" 2>&1', 'sh'];

const shell = (spec: ProcessSpec): string => spec.argv.at(-1) ?? '';

describe('a gate', () => {
  test('names failing tests relative to the worktree', async () => {
    const output = 'not ok 1 - /w/test/a.test.js > sorts\n  ---\n  error: at /w/src/a.js\n  ...\n';
    const { judge } = world(() => exits(1, output));
    expect(await judge()).toMatchObject({
      failure: { evidence: { failures: [{ name: 'test/a.test.js > sorts' }] } },
    });
  });

  test('passes when every command ends well, each in the worktree with the environment given', async () => {
    const { judge, processes } = world(() => exits(0));
    expect(await judge()).toEqual({ id: 'passed', ms: 20 });
    expect(processes.starts).toMatchObject([
      { argv: [...shellArgs, 'lint'], cwd: '/w', env: { A: 'b' }, name: 'gate-1-1' },
      { argv: [...shellArgs, 'test'], cwd: '/w', name: 'gate-1-2' },
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
        evidence: { failures: [], unlisted: 0, signs: [], head: 'no semicolons' },
        tail: 'no semicolons',
        log: '/files/gate-1-1.out',
      },
    });
    expect(processes.starts).toHaveLength(1);
  });

  test('names the tests that failed, with their messages', async () => {
    const output =
      'TAP version 13\nok 1 - adds\nnot ok 2 - sorts\n  ---\n  error: "2 != 1"\n  ...\n';
    const { judge } = world(() => exits(1, output));
    expect(await judge()).toMatchObject({
      id: 'failed',
      failure: { evidence: { failures: [{ name: 'sorts', message: '2 != 1' }], unlisted: 0 } },
    });
  });

  test('is red if the work removed a command, and not run if the target lacks it too', async () => {
    const missing = (spec: ProcessSpec) =>
      exits(shell(spec) === 'test' ? 127 : 0, '> tsd && node --test\n\nsh: 1: tsd: not found\n');
    expect(await world(missing).judge()).toMatchObject({
      id: 'failed',
      failure: { exit: 127, evidence: { failures: [{ name: '`tsd` was not found' }] } },
    });
    expect(await world(missing, 'target').judge()).toEqual({
      id: 'not-run',
      failure: {
        kind: 'command-missing',
        where: 'target',
        command: 'test',
        missing: 'tsd',
        log: '/files/gate-1-2.out',
      },
    });
  });

  test('knows a missing command behind make, and one that is not named', async () => {
    const make = 'make: tsd: No such file or directory\nmake: *** [Makefile:2: a] Error 127\n';
    expect(await world(() => exits(2, make), 'target').judge()).toMatchObject({
      failure: { kind: 'command-missing', missing: 'tsd' },
    });
    expect(await world(() => exits(127), 'target').judge()).toMatchObject({
      failure: { kind: 'command-missing', missing: '' },
    });
  });

  test('is red if a test merely prints that something was not found', async () => {
    const { judge } = world(() => exits(1, 'sh: 1: tsd: not found\n'), 'target');
    expect(await judge()).toMatchObject({ id: 'failed', failure: { kind: 'gate-red' } });
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

  test('has one time limit for all commands together, and names the whole of it', async () => {
    const { judge, processes } = world(() => ({ ...exits(0), ms: 600 }));
    expect(await judge()).toMatchObject({
      id: 'failed',
      failure: { kind: 'limit-crossed', limit: 'wall', value: 1_000 },
    });
    expect(processes.starts.map((spec) => spec.limits.wallMs)).toEqual([1_000, 400]);
  });

  test('gives a command that is run again a time of its own, and takes none from the next', async () => {
    const slow = (spec: ProcessSpec) => ({ ...byName({ 'gate-1-1': 1 })(spec), ms: 450 });
    const { judge, processes } = world(slow, 'branch', { reruns: 1 });
    expect(await judge()).toMatchObject({ id: 'passed', ms: 1_350 });
    expect(processes.starts.map((spec) => spec.limits.wallMs)).toEqual([1_000, 1_000, 550]);
  });

  test('gives no verdict when interrupted, and the next call runs it again', async () => {
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

  test('returns the verdict of a gate run that has ended, and starts nothing', async () => {
    const { judge, processes } = world(() => exits(0));
    await judge();
    expect(await judge()).toMatchObject({ id: 'passed' });
    expect(processes.starts).toHaveLength(2);
  });
});

describe('a red command that may be run again', () => {
  const twice = { reruns: 2 };

  test('counts as green when a later run is, and is reported as flaky with the output of its red run', async () => {
    const { result, names } = world(byName({ 'gate-1-1': 1 }), 'candidate', twice);
    expect(await result()).toEqual({
      verdict: { id: 'passed', ms: 30, flaked: ['lint'] },
      flaked: [{ command: 'lint', log: '/files/gate-1-1.out' }],
    });
    expect(names()).toEqual(['gate-1-1', 'gate-1-1-rerun1', 'gate-1-2']);
  });

  test('is flaky once, however many of its runs were red before one was green', async () => {
    const { result } = world(byName({ 'gate-1-2': 3, 'gate-1-2-rerun1': 4 }), 'branch', twice);
    expect((await result())?.flaked).toEqual([{ command: 'test', log: '/files/gate-1-2.out' }]);
  });

  test('is red with its first output when no run is green, and is run no more often than allowed', async () => {
    const { result, names } = world(() => exits(1, 'broken'), 'branch', twice);
    expect(await result()).toMatchObject({
      verdict: { id: 'failed', ms: 30, failure: { exit: 1, log: '/files/gate-1-1.out' } },
      flaked: [],
    });
    expect(names()).toEqual(['gate-1-1', 'gate-1-1-rerun1', 'gate-1-1-rerun2']);
  });

  test('is still reported as flaky when another command is red for good', async () => {
    const codes = { 'gate-1-1': 1, 'gate-1-2': 1, 'gate-1-2-rerun1': 1 };
    const { result } = world(byName(codes), 'branch', { reruns: 1 });
    expect(await result()).toMatchObject({
      verdict: { id: 'failed', failure: { command: 'test' } },
      flaked: [{ command: 'lint' }],
    });
  });

  test('is run again when it crashed', async () => {
    const crash = (spec: ProcessSpec): Behavior =>
      spec.name === 'gate-1-1' ? { ms: 10, end: { id: 'signaled', signal: 'SIGSEGV' } } : exits(0);
    expect(await world(crash, 'branch', twice).judge()).toEqual({
      id: 'passed',
      ms: 30,
      flaked: ['lint'],
    });
  });

  test('is not run again when it crossed a limit, nor when the target has no such command', async () => {
    const slow = world(() => ({ ...exits(0), ms: 1_500 }), 'branch', twice);
    expect(await slow.judge()).toMatchObject({ failure: { kind: 'limit-crossed' } });
    expect(slow.names()).toEqual(['gate-1-1']);
    const gone = world(() => exits(127), 'target', twice);
    expect(await gone.judge()).toMatchObject({ id: 'not-run' });
    expect(gone.names()).toEqual(['gate-1-1']);
  });

  test('stays red, and is not taken for unjudged, when its second run cannot be started', async () => {
    const starved = (spec: ProcessSpec): Behavior =>
      spec.name === 'gate-1-1'
        ? exits(1)
        : { ms: 0, end: { id: 'not-started', cause: 'no memory' } };
    expect(await world(starved, 'branch', twice).judge()).toMatchObject({ id: 'failed' });
  });

  test('goes on after an interruption with the run that was cut short, and repeats none that ended', async () => {
    const { clock, processes, run, result, names } = world(
      byName({ 'gate-1-1': 1 }),
      'branch',
      twice,
    );
    const cut = runGate(processes, run);
    await clock.advance(12);
    processes.interruptAll();
    await clock.advance(10);
    expect(await cut).toBeUndefined();
    expect(await result()).toMatchObject({ verdict: { id: 'passed', flaked: ['lint'] } });
    expect(names()).toEqual(['gate-1-1', 'gate-1-1-rerun1', 'gate-1-1-rerun1-again1', 'gate-1-2']);
    expect(await result()).toMatchObject({ flaked: [{ command: 'lint' }] });
    expect(names()).toHaveLength(4);
  });
});

describe('a command that is killed from outside', () => {
  const killed: Behavior = { ms: 10, end: { id: 'signaled', signal: 'SIGKILL' } };

  test('is run again after a pause, and is neither red nor flaky when that is green', async () => {
    const once = (spec: ProcessSpec) => (spec.name === 'gate-1-1' ? killed : exits(0));
    const { result, names, clock } = world(once, 'branch', { reruns: 0 });
    expect(await result()).toMatchObject({ verdict: { id: 'passed' }, flaked: [] });
    expect(names()).toEqual(['gate-1-1', 'gate-1-1-killed1', 'gate-1-2']);
    expect(clock.now()).toBeGreaterThan(limits.gateKilledPauseMs);
  });

  test('again and again is not run, with the signal named, and nothing is repeated when asked again', async () => {
    const { judge, names } = world(() => killed, 'candidate', { reruns: 2 });
    const verdict = await judge();
    expect(verdict).toMatchObject({
      id: 'not-run',
      failure: {
        kind: 'gate-not-run',
        cause: expect.stringMatching(/`lint` was killed by SIGKILL/),
      },
    });
    expect(names()).toEqual(['gate-1-1', 'gate-1-1-killed1', 'gate-1-1-killed2']);
    expect(await judge()).toEqual(verdict);
    expect(names()).toHaveLength(3);
  });

  test('differs from a command that crashes by itself every time, which is red', async () => {
    const crash = (): Behavior => ({ ms: 10, end: { id: 'signaled', signal: 'SIGSEGV' } });
    expect(await world(crash).judge()).toMatchObject({ id: 'failed', failure: { exit: 139 } });
  });
});

describe('a quarantined command', () => {
  const lint = { quarantined: ['lint'], reruns: 2 };

  test('gets more tries than others, and counts as green with one that is', async () => {
    const codes = {
      'gate-1-1': 1,
      'gate-1-1-rerun1': 1,
      'gate-1-1-rerun2': 1,
      'gate-1-1-rerun3': 1,
    };
    const { result, names } = world(byName(codes), 'candidate', lint);
    expect(await result()).toMatchObject({
      verdict: { id: 'passed', quarantined: ['lint'], flaked: ['lint'] },
      flaked: [{ command: 'lint' }],
    });
    expect(names()).toEqual([...Object.keys(codes), 'gate-1-1-rerun4', 'gate-1-2']);
  });

  test('that is red in all of them is red: it is no way to switch a check off', async () => {
    const isLint = (spec: ProcessSpec) => exits(shell(spec) === 'lint' ? 1 : 0);
    expect(await world(isLint, 'candidate', lint).judge()).toMatchObject({
      id: 'failed',
      failure: { command: 'lint' },
    });
  });

  test('that is green needs no mention', async () => {
    expect(await world(() => exits(0), 'candidate', lint).judge()).toEqual({
      id: 'passed',
      ms: 20,
    });
  });

  test('does not make the others count less', async () => {
    const codes = { 'gate-1-1': 1, 'gate-1-2': 1, 'gate-1-2-rerun1': 1, 'gate-1-2-rerun2': 1 };
    expect(await world(byName(codes), 'candidate', lint).judge()).toMatchObject({
      id: 'failed',
      failure: { command: 'test' },
    });
  });

  test('that hangs is red like any other', async () => {
    const hangs = (spec: ProcessSpec) => ({
      ...exits(0),
      ms: shell(spec) === 'lint' ? 5_000 : 10,
    });
    expect(await world(hangs, 'branch', lint).judge()).toMatchObject({
      id: 'failed',
      failure: { kind: 'limit-crossed' },
    });
  });

  test('that cannot be started at all leaves the tree unjudged', async () => {
    const starved = () => ({ ms: 0, end: { id: 'not-started', cause: 'no memory' } }) as const;
    expect(await world(starved, 'branch', lint).judge()).toMatchObject({ id: 'not-run' });
  });
});

describe('the identity of a gate', () => {
  test('depends on the commands, their order and their boundaries', () => {
    const ids = [['a b'], ['a', 'b'], ['b', 'a'], ['a'], []].map((list) => gateId(list));
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("is the project's own without task checks", () => {
    const gate = { id: gateId(['t']), commands: ['t'], timeoutMs: 1 };
    expect(gateWith(gate, [])).toBe(gate);
    expect(gateWith(gate, ['t'])).toBe(gate);
    const more = gateWith(gate, ['x', 'x', 't']);
    expect(more.commands).toEqual(['t', 'x']);
    expect(more.id).not.toBe(gate.id);
    expect(gateWith(gate, ['x']).id).toBe(more.id);
  });

  test('depends on the setup, and differs for a branch', () => {
    expect(gateId(['t'], ['npm ci'])).not.toBe(gateId(['t']));
    expect(gateId(['t', 'npm ci'])).not.toBe(gateId(['t'], ['npm ci']));
    const gate = { id: gateId(['t']), commands: ['t'], timeoutMs: 1 };
    expect(branchGateId(gate)).not.toBe(gate.id);
  });
});
