import { describe, expect, test } from 'vitest';
import type { VerifyPolicy } from '../../src/model/verify.ts';
import { task } from '../story.ts';
import { MemoryYard, type MemoryYardOptions } from './memory-project.ts';

const ended = (reason: string) => ({ ok: true, value: { stop: { reason } } });

/** A run whose target is looked at as a whole at its end; it is bad as soon as a task is in it. */
function verified(
  policy: VerifyPolicy,
  bad: string | undefined,
  more: Partial<MemoryYardOptions> = {},
): MemoryYard {
  return new MemoryYard({
    tasks: [task('a'), task('b', { after: ['a'] }), task('c', { after: ['b'] })],
    yard: { verify: { command: 'npm run whole', budgetMs: 5_000 } },
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

async function outcome(yard: MemoryYard) {
  const found = (await yard.events()).find((event) => event.type === 'run-verified');
  return found?.type === 'run-verified' ? found.outcome : undefined;
}

const looks = (yard: MemoryYard) =>
  yard.processes.starts.filter(({ name }) => name === 'verify').map(({ argv }) => argv);

describe('the look at the target at the end of a run', () => {
  test('comes after the last landing, once, and is told', async () => {
    const yard = verified('report', undefined);
    const end = await yard.drive();
    expect(end).toMatchObject(ended('drained'));
    expect(end).toMatchObject({
      value: { verified: { kind: 'passed', command: 'npm run whole' } },
    });
    expect(looks(yard)).toEqual([['npm', 'run', 'whole']]);
    const types = (await yard.events()).map(({ type }) => type);
    expect(types.lastIndexOf('landed')).toBeLessThan(types.indexOf('run-verified'));
    expect(yard.processes.files.has('/files/verify.log')).toBe(true);
    expect(yard.worktreesLeft()).toBe(0);
  });

  test('is not made where nobody wants it', async () => {
    const yard = new MemoryYard({ tasks: [task('a')] });
    await yard.drive();
    expect(await yard.count('run-verified')).toBe(0);
  });

  test('that fails takes nothing back', async () => {
    const yard = verified('report', 'b');
    expect(await yard.drive()).toMatchObject(ended('drained'));
    expect(await outcome(yard)).toMatchObject({ kind: 'failed', exit: 3 });
    expect(await outcome(yard)).not.toHaveProperty('culprit');
    expect(yard.git.read('/repo', 'work/c')).toBe('done');
    expect(looks(yard)).toHaveLength(1);
  });

  test('that fails files a task where that is wanted, once, and leaves it to the next run', async () => {
    const yard = verified('fix', 'b');
    expect(await yard.drive()).toMatchObject(ended('drained'));
    const added = (await yard.events()).filter((event) => event.type === 'task-added');
    expect(added).toHaveLength(4);
    const [, , , filed] = added;
    if (filed?.type !== 'task-added') throw new Error('nothing is filed');
    expect(filed.task.body).toContain('npm run whole');
    expect(await yard.standing(filed.task.id)).toEqual({ id: 'open' });
    expect(await yard.count('attempt-started')).toBe(3);
  });

  test('that fails names the landing from which on it does, where that is wanted', async () => {
    const yard = verified('bisect', 'b');
    await yard.drive();
    expect(await outcome(yard)).toMatchObject({ kind: 'failed', culprit: { tasks: ['b'] } });
  });

  test('takes no longer than it may', async () => {
    const yard = verified('report', undefined, {
      yard: { verify: { command: 'slow', budgetMs: 500 } },
      agent: ({ name, argv }, { exits }) => {
        if (argv[0] === 'tail') return exits(0, 1);
        return name === 'verify' ? exits(0, 60_000) : undefined;
      },
    });
    await yard.drive();
    expect(await outcome(yard)).toMatchObject({ kind: 'timed-out', budgetMs: 500 });
  });

  test('is skipped with the reason where there is nothing to run', async () => {
    const yard = verified('report', undefined, {
      yard: { verify: { reason: 'no stack was recognised', budgetMs: 1 } },
    });
    await yard.drive();
    expect(await outcome(yard)).toEqual({ kind: 'skipped', reason: 'no stack was recognised' });
    expect(looks(yard)).toEqual([]);
  });

  test('is not made of a run that a person ended at once', async () => {
    const yard = verified('report', undefined);
    const end = await yard.drive(async ({ clock }) => {
      await clock.sleep(150);
      await yard.ask({ type: 'stop-asked', run: 'r1', how: 'now', by: 'a person' });
    });
    expect(end).toMatchObject(ended('cancelled'));
    expect(await yard.count('run-verified')).toBe(0);
  });

  test('is made anew where the run goes on after it', async () => {
    const yard = verified('report', undefined, { tasks: [task('a')] });
    await yard.drive();
    await yard.ask({ type: 'task-added', task: task('late') });
    expect(await yard.drive()).toMatchObject(ended('drained'));
    expect(await yard.standing('late')).toMatchObject({ id: 'landed' });
    expect(await yard.count('run-verified')).toBe(2);
    expect(looks(yard)).toHaveLength(2);
  });
});
