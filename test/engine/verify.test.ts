import { describe, expect, test } from 'vitest';
import type { VerifyPolicy } from '../../src/model/verdict.ts';
import { task } from '../story.ts';
import { MemoryProject, type MemoryProjectOptions } from './memory-project.ts';

const ended = (reason: string) => ({ ok: true, value: { phase: { stop: { reason } } } });

/** A run with end-of-run verification, which fails once a task has landed. */
function verified(
  policy: VerifyPolicy,
  bad: string | undefined,
  more: Partial<MemoryProjectOptions> = {},
): MemoryProject {
  return new MemoryProject({
    tasks: [task('a'), task('b', { after: ['a'] }), task('c', { after: ['b'] })],
    context: { verify: { command: 'npm run whole', budgetMs: 5_000 } },
    agent: ({ name, cwd, argv }, { git, exits }) => {
      if (argv[0] === 'tail') return exits(0, 1);
      if (name !== 'verify') return undefined;
      const isBad = bad !== undefined && git.read(cwd, `work/${bad}`) !== undefined;
      return { ...exits(isBad ? 3 : 0), output: 'the whole of it' };
    },
    ...more,
    settings: { jobs: 1, verify: policy, ...more.settings },
  });
}

async function outcome(context: MemoryProject) {
  const found = (await context.events()).find((event) => event.type === 'run-verified');
  return found?.type === 'run-verified' ? found.outcome : undefined;
}

const looks = (context: MemoryProject) =>
  context.processes.starts.filter(({ name }) => name === 'verify').map(({ argv }) => argv);

describe('the end-of-run verification', () => {
  test('runs once after the last landing and is reported', async () => {
    const context = verified('report', undefined);
    const end = await context.drive();
    expect(end).toMatchObject(ended('drained'));
    expect(end).toMatchObject({
      value: { target: { verified: { kind: 'passed', command: 'npm run whole' } } },
    });
    expect(looks(context)).toEqual([['npm', 'run', 'whole']]);
    const types = (await context.events()).map(({ type }) => type);
    expect(types.lastIndexOf('landed')).toBeLessThan(types.indexOf('run-verified'));
    expect(context.processes.files.has('/files/verify.log')).toBe(true);
    expect(context.worktreesLeft()).toBe(0);
  });

  test('that fails files one fix task for the next run, if configured', async () => {
    const context = verified('fix', 'b');
    expect(await context.drive()).toMatchObject(ended('drained'));
    const added = (await context.events()).filter((event) => event.type === 'task-added');
    expect(added).toHaveLength(4);
    const [, , , filed] = added;
    if (filed?.type !== 'task-added') throw new Error('nothing is filed');
    expect(filed.task.body).toContain('npm run whole');
    expect(await context.status(filed.task.id)).toEqual({ id: 'open' });
    expect(await context.count('attempt-started')).toBe(3);
  });

  test('that fails names the first bad landing, if configured', async () => {
    const context = verified('bisect', 'b');
    await context.drive();
    expect(await outcome(context)).toMatchObject({ kind: 'failed', culprit: { tasks: ['b'] } });
  });

  test('does not run if a person stopped the run at once', async () => {
    const context = verified('report', undefined);
    const end = await context.drive(async ({ clock }) => {
      await clock.sleep(150);
      await context.ask({ type: 'stop-asked', run: 'r1', how: 'now', by: 'a person' });
    });
    expect(end).toMatchObject(ended('canceled'));
    expect(await context.count('run-verified')).toBe(0);
  });

  test('runs again after the run is resumed', async () => {
    const context = verified('report', undefined, { tasks: [task('a')] });
    await context.drive();
    await context.ask({ type: 'task-added', task: task('late') });
    expect(await context.drive()).toMatchObject(ended('drained'));
    expect(await context.status('late')).toMatchObject({ id: 'landed' });
    expect(await context.count('run-verified')).toBe(2);
    expect(looks(context)).toHaveLength(2);
  });
});
