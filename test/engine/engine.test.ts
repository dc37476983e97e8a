import { describe, expect, test } from 'vitest';
import { limits } from '../../src/model/limits.ts';
import { outcomeOf, Trouble } from '../../src/model/trouble.ts';
import { task } from '../story.ts';
import { MemoryProject } from './memory-project.ts';

const ended = (reason: string) => ({ ok: true, value: { phase: { stop: { reason } } } });

describe('the engine', () => {
  test('takes every task to the target and leaves nothing behind', async () => {
    const context = new MemoryProject({
      tasks: [task('a'), task('b'), task('c', { after: ['a', 'b'] })],
    });
    expect(await context.drive()).toMatchObject(ended('drained'));
    expect(await context.status('c')).toMatchObject({ id: 'landed' });
    expect(context.git.read('/repo', 'work/a')).toBe('done');
    expect(context.git.read('/repo', 'work/c')).toBe('done');
    expect(await context.refs('refs/heads/yard/')).toEqual([]);
    expect(await context.refs('refs/yard/')).toEqual([]);
    expect(context.worktreesLeft()).toBe(0);
  });

  test("judges what lands in the gate's own worktree, even if it passed in the attempt's worktree", async () => {
    const context = new MemoryProject({
      tasks: [task('a')],
      settings: { retries: 0 },
      // Passes in attempt worktrees, as with an ignored file; fails everywhere else.
      gate: ({ env, cwd }, { git, exits }) =>
        env.YARD_SLOT === '0' && git.read(cwd, 'work/a') !== undefined ? exits(1) : exits(0),
    });
    await context.drive();
    expect(await context.status('a')).toMatchObject({ id: 'blocked' });
    expect(context.git.read('/repo', 'work/a')).toBeUndefined();
  });

  test('ends its agents and stores nothing more once another process has resumed its run', async () => {
    const context = new MemoryProject({
      tasks: [task('a')],
      agent: (_spec, { exits }) => ({ ...exits(0), ms: 20_000 }),
    });
    const owner = { pid: 7, startedAt: '7', host: 'another' };
    const end = await context.drive(async ({ store, clock }) => {
      await clock.sleep(2000);
      await store.append(clock.now(), [{ type: 'run-resumed', run: 'r1', owner }]);
    });
    expect(end).toMatchObject({ failure: { kind: 'run-taken-over', pid: 7, host: 'another' } });
    const agents = context.processes.starts.filter(({ name }) => name.startsWith('turn'));
    expect(agents.map(({ dir, name }) => context.processes.hasEnded(dir, name))).toEqual([true]);
    expect((await context.events()).at(-1)).toMatchObject({ type: 'run-resumed' });
  });

  test('does not judge the same tree twice', async () => {
    const context = new MemoryProject({ tasks: [task('a')] });
    const moved = async (): Promise<void> => {
      await context.clock.sleep(250);
      context.git.commitByHand({});
    };
    await context.drive(moved);
    const judged = (await context.events()).filter((event) => event.type === 'candidate-judged');
    const runs = context.processes.starts.filter((spec) => spec.dir.includes('candidates'));
    expect(runs.length).toBeLessThan(judged.length + 1);
    expect(await context.status('a')).toMatchObject({ id: 'landed' });
  });

  test('ends the run if the gate cannot run, blames no task, and judges again when resumed', async () => {
    let broken = true;
    const context = new MemoryProject({
      tasks: [task('a')],
      settings: { retries: 0 },
      gate: (_spec, { exits }) =>
        broken ? { ms: 1, end: { id: 'not-started', cause: 'no memory' } } : exits(0),
    });
    const end = await context.drive();
    expect(end).toMatchObject(ended('environment'));
    expect(end).toMatchObject({
      value: { phase: { stop: { failure: { kind: 'gate-not-run' } } } },
    });
    expect(await context.status('a')).toEqual({ id: 'open' });
    broken = false;
    expect(await context.drive()).toMatchObject(ended('drained'));
    expect(await context.status('a')).toMatchObject({ id: 'landed' });
    expect(context.processes.starts.filter((spec) => spec.name.startsWith('turn'))).toHaveLength(1);
  });

  test('a task canceled while its candidate is built does not land', async () => {
    const context = new MemoryProject({
      tasks: [task('a'), task('b')],
      ports: (ports) => ({
        ...ports,
        git: new Proxy(ports.git, {
          get(target, name) {
            const member: unknown = Reflect.get(target, name);
            if (typeof member !== 'function') return member;
            if (name !== 'commitTree') return member.bind(target);
            return async (...args: Parameters<typeof target.commitTree>) => {
              if (args[2].includes('Yard-Task: a\n')) {
                const decision = { kind: 'cancel', reason: 'no' } as const;
                await context.ask({ type: 'task-decided', id: 'a', decision });
              }
              return target.commitTree(...args);
            };
          },
        }),
      }),
    });
    expect(await context.drive()).toMatchObject(ended('drained'));
    expect(await context.status('a')).toMatchObject({ id: 'canceled' });
    expect(await context.status('b')).toMatchObject({ id: 'landed' });
    expect(context.git.read('/repo', 'work/a')).toBeUndefined();
    expect(await context.refs('refs/heads/yard/')).toEqual(['refs/heads/yard/r1/a-1']);
  });

  test('resumed while saving, does not touch a worktree that another attempt has taken', async () => {
    let dies = true;
    const context = new MemoryProject({
      tasks: [task('a'), task('b')],
      settings: { retries: 0, jobs: 1 },
      agent: ({ env, cwd }, { git }) => ({
        ms: 5,
        end: { id: 'exited', code: env.YARD_TASK === 'a' ? 3 : 0 },
        effect: () => git.write(cwd, `work/${env.YARD_TASK}`, 'mine'),
      }),
      ports: (ports) => ({
        ...ports,
        store: new Proxy(ports.store, {
          get(target, name) {
            const member: unknown = Reflect.get(target, name);
            if (typeof member !== 'function') return member;
            if (name !== 'append') return member.bind(target);
            return async (...args: Parameters<typeof target.append>) => {
              const over = args[1].some(({ type }) => type === 'attempt-failed');
              if (over && dies) throw new Error('killed');
              return target.append(...args);
            };
          },
        }),
      }),
    });
    await context.drive().catch((error: unknown) => expect(String(error)).toContain('killed'));
    dies = false;
    expect(await context.drive()).toMatchObject(ended('drained'));
    const kept = await outcomeOf(context.git.resolve('refs/heads/yard/r1/a-1'));
    expect(kept.ok && context.git.tree(kept.value ?? '').get('work/a')).toBe('mine');
    expect(context.git.read('/repo', 'work/b')).toBe('mine');
  });

  test('gives the agent its prompt, its task and its worktree', async () => {
    const context = new MemoryProject({ tasks: [task('a', { body: 'All of it.' })] });
    await context.drive();
    const [agent] = context.processes.starts;
    expect(agent).toMatchObject({
      name: 'turn-1',
      cwd: '/pool/r1/ym-r1-1',
      env: {
        YARD_TASK: 'a',
        YARD_RUN: 'r1',
        YARD_ATTEMPT: '1',
        YARD_TURN: '1',
        YARD_SLOT: '1',
        YARD_WORKTREE: '/pool/r1/ym-r1-1',
        YARD_TASK_FILE: '/files/attempts/a-1/task.json',
      },
      stdin: '/files/attempts/a-1/turn-1.prompt.md',
    });
    expect(context.processes.files.get(agent?.stdin ?? '')).toContain('All of it.');
    expect(context.processes.files.get('/files/attempts/a-1/task.json')).toContain('"id": "a"');
  });

  test('shows an agent the output of the failed gate in its next turn', async () => {
    const context = new MemoryProject({
      tasks: [task('a')],
      agent: ({ cwd, env }, { git, exits }) => ({
        ...exits(0),
        effect: () => git.write(cwd, 'a', env.YARD_TURN === '1' ? 'bad' : 'good'),
      }),
      gate: ({ cwd }, { git, exits }) =>
        git.read(cwd, 'a') === 'bad' ? { ...exits(1), output: 'a is bad' } : exits(0),
    });
    expect(await context.drive()).toMatchObject(ended('drained'));
    expect(context.processes.files.get('/files/attempts/a-1/turn-2.prompt.md')).toContain(
      'a is bad',
    );
    expect(await context.count('target-judged')).toBe(1);
    expect(await context.status('a')).toMatchObject({ id: 'landed' });
  });

  test('stops without blaming a task if the gate fails on the target itself', async () => {
    const context = new MemoryProject({
      tasks: [task('a'), task('b')],
      gate: (_spec, { exits }) => ({ ...exits(1), output: 'always red' }),
    });
    const end = await context.drive();
    expect(end).toMatchObject(ended('environment'));
    expect(end).toMatchObject({ value: { phase: { stop: { failure: { kind: 'target-red' } } } } });
    expect(await context.status('a')).toEqual({ id: 'open' });
    expect(context.processes.starts.filter((spec) => spec.name === 'turn-1')).toHaveLength(2);
  });

  test('ends the run if the set-up fails on the target, shows the output, and blames no task', async () => {
    const setup = ['works', 'fails'];
    const context = new MemoryProject({ tasks: [task('a')], setup, settings: { retries: 0 } });
    const failure = { kind: 'setup-failed', command: 'fails', exit: 9 };
    expect(await context.drive()).toMatchObject({
      value: { phase: { stop: { reason: 'environment', failure } } },
    });
    expect(await context.status('a')).toEqual({ id: 'open' });
    expect(await context.refs('refs/heads/yard/')).toEqual([]);
    expect(context.worktreesLeft()).toBe(0);
  });

  test('an interrupted gate leaves no verdict; the next engine judges again', async () => {
    const context = new MemoryProject({
      tasks: [task('a')],
      gate: (_spec, { exits }) => exits(0, 3_000),
    });
    const stop = { type: 'stop-asked', run: 'r1', how: 'now', by: 'a person' } as const;
    await context.drive(async ({ clock }) => {
      await clock.sleep(1_000);
      await context.ask(stop);
    });
    expect(await context.count('branch-judged')).toBe(0);
    expect(await context.drive()).toMatchObject(ended('drained'));
    expect(await context.count('landed')).toBe(1);
    const turns = context.processes.starts.filter((spec) => spec.name.startsWith('turn'));
    expect(turns).toHaveLength(1);
  });

  test('ends the run in order if git keeps failing', async () => {
    const trouble = { kind: 'git-failed', args: ['merge-tree'], exit: 128, stderr: 'odd' } as const;
    const context = new MemoryProject({
      tasks: [task('a'), task('b')],
      ports: (ports) => ({
        ...ports,
        git: new Proxy(ports.git, {
          get(target, name) {
            const member: unknown = Reflect.get(target, name);
            if (name === 'commitTree') return () => Promise.reject(new Trouble(trouble));
            return typeof member === 'function' ? member.bind(target) : member;
          },
        }),
      }),
    });
    const end = await context.drive();
    expect(end).toMatchObject(ended('environment'));
    expect(end).toMatchObject({ value: { phase: { stop: { failure: trouble } } } });
    expect(await context.count('step-paused')).toBeGreaterThan(limits.stepTries);
    expect(await context.count('attempt-failed')).toBe(0);
    expect(await context.count('run-ended')).toBe(1);
  });

  test('reports an internal error if a port throws', async () => {
    const context = new MemoryProject({
      tasks: [task('a')],
      ports: (ports) => ({
        ...ports,
        copyFiles: async () => {
          throw new Error('nobody thought of this');
        },
      }),
    });
    expect(await context.drive()).toMatchObject({
      ok: false,
      failure: { kind: 'internal', message: 'nobody thought of this' },
    });
  });
});
