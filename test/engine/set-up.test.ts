import { describe, expect, test } from 'vitest';
import type { ProcessSpec } from '../../src/port/processes.ts';
import { task } from '../story.ts';
import { MemoryProject, type MemoryProjectOptions } from './memory-project.ts';

const isOfAttempt = ({ dir }: ProcessSpec): boolean => dir.includes('/attempts/');

/** Three tasks in two slots. The agent of `a` works longer than it takes to find that nothing can be set up. */
function project(setsUp: MemoryProjectOptions['setsUp']): MemoryProject {
  return new MemoryProject({
    tasks: [task('a'), task('b'), task('c')],
    setup: ['install'],
    setsUp,
    settings: { jobs: 2, retries: 0 },
    agent: ({ cwd, env }, { git, exits }) => ({
      ...exits(0, 4_000),
      effect: () => git.write(cwd, `work/${env.YARD_TASK}`, 'done'),
    }),
  });
}

const setUps = ({ processes }: MemoryProject): readonly ProcessSpec[] =>
  processes.starts.filter(({ name }) => name.startsWith('setup'));

const failure = { kind: 'setup-failed', command: 'install', exit: 9 };
const ended = { value: { phase: { stop: { reason: 'environment', failure } } } };

describe('a set-up that fails', () => {
  test('is tried once more in a fresh worktree, with an output of its own', async () => {
    let count = 0;
    const context = project(() => (count++ === 0 ? 9 : 0));
    expect(await context.drive()).toMatchObject({
      value: { phase: { stop: { reason: 'drained' } } },
    });
    const [first, second] = setUps(context).filter(({ env }) => env.YARD_TASK === 'a');
    expect(second?.dir).toBe(`${first?.dir}/fresh`);
    expect(second?.cwd).not.toBe(first?.cwd);
    expect(await context.count('attempt-failed')).toBe(0);
    expect(context.worktreesLeft()).toBe(0);
  });

  test('ends the run after finished work was judged and has landed', async () => {
    const context = project((spec) => (isOfAttempt(spec) && spec.env.YARD_TASK !== 'a' ? 9 : 0));
    expect(await context.drive()).toMatchObject(ended);
    expect(await context.status('a')).toMatchObject({ id: 'landed' });
    expect(await context.status('b')).toEqual({ id: 'open' });
    expect(await context.status('c')).toEqual({ id: 'open' });
    expect(await context.refs('refs/heads/yard/')).toEqual([]);
    expect(context.worktreesLeft()).toBe(0);
  });

  test('blames no work if the gate cannot be set up either, and a resumed run lands it', async () => {
    let isBroken = true;
    const context = project((spec) =>
      isBroken && !(isOfAttempt(spec) && spec.env.YARD_TASK === 'a') ? 9 : 0,
    );
    expect(await context.drive()).toMatchObject(ended);
    expect(await context.status('a')).toEqual({ id: 'open' });
    expect(await context.count('attempt-given-up')).toBe(3);
    isBroken = false;
    expect(await context.drive()).toMatchObject({
      value: { phase: { stop: { reason: 'drained' } } },
    });
    for (const id of ['a', 'b', 'c']) {
      expect(await context.status(id)).toMatchObject({ id: 'landed' });
    }
    expect(context.processes.starts.filter(({ name }) => name === 'turn-1')).toHaveLength(3);
  });
});
