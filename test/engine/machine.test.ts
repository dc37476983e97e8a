// Trouble with the machine: it costs no task anything, and no finished agent starts again.

import { describe, expect, test } from 'vitest';
import type { Ports } from '../../src/engine/context.ts';
import type { Failure } from '../../src/model/failure.ts';
import { Trouble } from '../../src/model/trouble.ts';
import type { ProcessSpec } from '../../src/port/processes.ts';
import { task } from '../story.ts';
import { MemoryProject, type MemoryProjectOptions } from './memory-project.ts';

const gitSays = (stderr: string): Failure => ({
  kind: 'git-failed',
  args: ['x'],
  exit: 128,
  stderr,
});
const full = gitSays('error: unable to write file: No space left on device');
const low: Failure = { kind: 'no-space', dir: '/s', unit: 'bytes', free: 1, needed: 2 };
const ended = (reason: string) => ({ ok: true, value: { phase: { stop: { reason } } } });

/** Makes members of the git port fail while `isBroken`. */
const breaking =
  (names: readonly string[], failure: Failure, isBroken: () => boolean) =>
  (ports: Ports): Ports => ({
    ...ports,
    git: new Proxy(ports.git, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) =>
          names.includes(String(name)) && isBroken()
            ? Promise.reject(new Trouble(failure))
            : member.apply(target, args);
      },
    }),
  });

const turnsOf = ({ processes }: MemoryProject) =>
  processes.starts.filter(({ name }) => name.startsWith('turn'));

interface Broken {
  readonly names: readonly string[];
  readonly failure: Failure;
  readonly options?: Partial<MemoryProjectOptions>;
}

function broken({ names, failure, options }: Broken) {
  let isBroken = true;
  const project = new MemoryProject({
    tasks: ['a', 'b', 'c', 'd', 'e'].map((id) => task(id)),
    ports: breaking(names, failure, () => isBroken),
    settings: { quarantineAfter: 1, retries: 0 },
    ...options,
  });
  const fix = () => {
    isBroken = false;
  };
  return { project, fix };
}

describe('a fault of the machine that passes', () => {
  test.each<[string, Broken]>([
    ['a full state folder', { names: ['addWorktree', 'point'], failure: full }],
    ['a full object store', { names: ['commitAll', 'commitTree'], failure: full }],
    ['a ref in the way', { names: ['moveRefs', 'point'], failure: gitSays('cannot lock ref') }],
    ['a missing filter', { names: ['point'], failure: gitSays('external filter lfs failed') }],
    ['no permission', { names: ['status'], failure: gitSays('EACCES: permission denied') }],
  ])('costs no task anything: %s', async (_, fault) => {
    const { project, fix } = broken(fault);
    const end = await project.drive(async ({ clock }) => {
      await clock.sleep(20_000);
      fix();
    });
    expect(end).toMatchObject(ended('drained'));
    expect(await project.count('landed')).toBeGreaterThan(0);
    expect(await project.count('attempt-failed')).toBe(0);
    expect(await project.count('step-paused')).toBeGreaterThan(0);
    expect(turnsOf(project)).toHaveLength(5);
    const tasks = await project.store.tasks();
    expect(tasks.ok && tasks.value.map(({ status }) => status.id)).toEqual(Array(5).fill('landed'));
  });
});

test('a fault that lasts ends the run, and the resumed run captures what is finished', async () => {
  const { project, fix } = broken({ names: ['commitAll'], failure: full });
  const end = await project.drive();
  expect(end).toMatchObject(ended('environment'));
  expect(end).toMatchObject({
    value: { phase: { stop: { failure: { kind: 'capture-failed' } } } },
  });
  const before = turnsOf(project).length;
  expect(await project.count('attempt-given-up')).toBe(0);
  fix();
  expect(await project.drive()).toMatchObject(ended('drained'));
  expect(turnsOf(project).length).toBe(5);
  expect(before).toBeLessThanOrEqual(5);
});

test('a deleted target ends the run and no task', async () => {
  const missing: Failure = { kind: 'target-missing', branch: 'main' };
  const { project, fix } = broken({ names: ['resolve'], failure: missing });
  expect(await project.drive()).toMatchObject(ended('environment'));
  fix();
  expect(await project.drive()).toMatchObject(ended('drained'));
  const tasks = await project.store.tasks();
  expect(tasks.ok && tasks.value.every(({ failures }) => failures === 0)).toBe(true);
});

test('a file that cannot be written pauses the turn instead of ending the engine', async () => {
  let left = 3;
  const project = new MemoryProject({ tasks: [task('a')] });
  const { write } = project.processes;
  project.processes.write = async (...args) => {
    left -= 1;
    if (left < 0) return write.apply(project.processes, args);
    const error = new Error('ENOSPC: no space left on device');
    throw Object.assign(error, { code: 'ENOSPC', syscall: 'write', path: '/s/a/prompt.md' });
  };
  expect(await project.drive()).toMatchObject(ended('drained'));
  expect(await project.count('step-paused')).toBe(3);
  expect(await project.count('step-resumed')).toBe(1);
});

describe('while a disk is nearly full', () => {
  const onDisk = (isLow: () => boolean, more: Partial<MemoryProjectOptions> = {}) =>
    new MemoryProject({
      tasks: [task('a'), task('b')],
      ports: (ports) => ({ ...ports, space: async () => (isLow() ? low : undefined) }),
      settings: { quarantineAfter: 1, retries: 0 },
      ...more,
    });

  test('nothing starts; when there is room again the run goes on by itself', async () => {
    let isLow = true;
    const project = onDisk(() => isLow);
    const end = await project.drive(async ({ clock }) => {
      await clock.sleep(30_000);
      expect(await project.count('attempt-started')).toBe(0);
      isLow = false;
    });
    expect(end).toMatchObject(ended('drained'));
    expect(await project.count('landed')).toBeGreaterThan(0);
    expect([await project.count('step-paused'), await project.count('step-resumed')]).toEqual([
      1, 1,
    ]);
  });

  test('an agent that breaks is not to blame', async () => {
    let isLow = false;
    const project = onDisk(() => isLow, {
      agent: (spec) => {
        if (spec.name !== 'turn-1') return undefined;
        isLow = true;
        return { ms: 100, end: { id: 'exited', code: 1 } };
      },
    });
    const end = await project.drive(async ({ clock }) => {
      await clock.sleep(20_000);
      isLow = false;
    });
    expect(end).toMatchObject(ended('drained'));
    expect(await project.count('attempt-failed')).toBe(0);
  });

  test('a gate that is red ends the run only if that stays so', async () => {
    let isLow = true;
    const project = onDisk(() => isLow && project.processes.starts.length > 1, {
      tasks: [task('a')],
      gate: (_spec, { exits }) => exits(isLow ? 1 : 0),
    });
    expect(await project.drive()).toMatchObject({ value: { phase: { stop: { failure: low } } } });
    expect(await project.count('attempt-failed')).toBe(0);
    isLow = false;
    expect(await project.drive()).toMatchObject(ended('drained'));
    expect(turnsOf(project)).toHaveLength(1);
  });
});

describe('a gate on a full disk', () => {
  /** Fills the disk in the first gate run in this folder; there is room again after a while. */
  function filling(folder: string, more: Partial<MemoryProjectOptions> = {}) {
    let isLow = false;
    let isFilled = false;
    const fails = (dir: string): boolean => {
      if (!isFilled && dir.includes(folder)) {
        isLow = true;
        isFilled = true;
      }
      return isLow;
    };
    const project: MemoryProject = new MemoryProject({
      tasks: [task('a')],
      ports: (ports) => ({ ...ports, space: async () => (isLow ? low : undefined) }),
      settings: { quarantineAfter: 1, retries: 0 },
      gate: ({ dir }, { exits }) => exits(fails(dir) ? 1 : 0),
      ...more,
    });
    const free = () => {
      isLow = false;
    };
    return { project, fails, free, isFilled: () => isFilled };
  }

  async function expectNoCost({ project, free }: ReturnType<typeof filling>): Promise<void> {
    let paused: readonly string[] = [];
    const end = await project.drive(async ({ clock, store }) => {
      project.git.commitByHand({ person: 'by hand' });
      await clock.sleep(25_000);
      const run = await store.run('r1');
      paused = Object.keys(run.ok ? (run.value?.pausedSteps ?? {}) : {}).sort();
      free();
    });
    expect(paused).toEqual(['gate', 'start']);
    expect(end).toMatchObject(ended('drained'));
    expect(await project.status('a')).toMatchObject({ id: 'landed' });
    expect(await project.count('attempt-failed')).toBe(0);
    expect(turnsOf(project)).toHaveLength(1);
    const run = await project.store.run('r1');
    expect(run.ok && run.value?.pausedSteps).toEqual({});
    expect(run.ok && run.value?.spent.starts).toBe(1);
  }

  test.each([
    ['branch', '/attempts/'],
    ['candidate', '/candidates/'],
    ['target', '/targets/'],
  ])('judges no %s, waits for room and runs again', async (_, folder) => {
    const project = filling(folder);
    await expectNoCost(project);
    expect(project.isFilled()).toBe(true);
  });

  test.each([
    ['candidate', '/candidates/'],
    ['target', '/targets/'],
  ])('that cannot be set up for a %s waits too', async (_, folder) => {
    const setsUp = ({ dir }: ProcessSpec) => (project.fails(dir) ? 9 : 0);
    const project: ReturnType<typeof filling> = filling(folder, {
      setup: ['prepare'],
      setsUp,
      gate: (_spec, { exits }) => exits(0),
    });
    await expectNoCost(project);
    expect(project.isFilled()).toBe(true);
  });

  test('that filled the disk with its own files alone is red: it would be the same again', async () => {
    let isLow = false;
    const project: MemoryProject = new MemoryProject({
      tasks: [task('a')],
      settings: { retries: 0, returns: 0 },
      ports: (ports) => ({
        ...ports,
        // The space that a gate took is free again when its worktree is clean.
        space: async () => {
          const was = isLow;
          isLow = false;
          return was ? low : undefined;
        },
      }),
      gate: (_spec, { exits }) => {
        isLow = true;
        return exits(1);
      },
    });
    await project.drive();
    expect(await project.count('step-paused')).toBe(0);
    expect(await project.count('attempt-failed')).toBe(1);
  });

  test('that began on a full disk judges nothing, also if there is room when it ends', async () => {
    let gates = 0;
    let hasWorked = false;
    const project: MemoryProject = new MemoryProject({
      tasks: [task('a')],
      ports: (ports) => ({
        ...ports,
        space: async () => (hasWorked && gates === 0 ? low : undefined),
      }),
      agent: () => {
        hasWorked = true;
        return undefined;
      },
      gate: (_spec, { exits }) => {
        gates += 1;
        return exits(gates === 1 ? 1 : 0);
      },
    });
    expect(await project.drive()).toMatchObject({
      value: { phase: { stop: { reason: 'drained' } } },
    });
    expect(await project.count('attempt-failed')).toBe(0);
  });

  test('as the verification at the end verifies nothing until there is room', async () => {
    let isLow = false;
    let runs = 0;
    const project: MemoryProject = new MemoryProject({
      tasks: [task('a')],
      ports: (ports) => ({ ...ports, space: async () => (isLow ? low : undefined) }),
      settings: { verify: 'report' },
      context: { verify: { command: 'verify', budgetMs: 60_000 } },
      agent: (spec, { exits }) => {
        if (spec.argv[0] === 'tail') return exits(0, 1);
        if (spec.name !== 'verify') return undefined;
        runs += 1;
        isLow ||= runs === 1;
        return exits(isLow ? 1 : 0);
      },
    });
    const end = await project.drive(async ({ clock }) => {
      await clock.sleep(20_000);
      isLow = false;
    });
    expect(end).toMatchObject(ended('drained'));
    const verified = (await project.events()).filter(({ type }) => type === 'run-verified');
    expect(verified).toMatchObject([{ outcome: { kind: 'passed' } }]);
  });
});
