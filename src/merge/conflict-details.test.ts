import { beforeEach, describe, expect, test } from 'vitest';
import { MemoryGit } from '../../test/memory/git.ts';
import { limits } from '../model/limits.ts';
import { Trouble } from '../model/trouble.ts';
import { explain } from '../report/explain/explain.ts';
import { conflictWith } from './conflict-details.ts';

const dir = '/pool/work';
const branch = 'yard/r1/a-1';
let git: MemoryGit;

beforeEach(async () => {
  git = new MemoryGit({ files: { a: '1' } });
  await git.addWorktree(dir, await tip());
});

async function tip(): Promise<string> {
  return (await git.resolve('refs/heads/main')) ?? '';
}

async function works(text: string, message: string): Promise<string> {
  git.write(dir, 'a', text);
  return await git.commitAll(dir, message);
}

describe('a conflict as it is told', () => {
  test('names the files and what both sides did since they had the same', async () => {
    await works('2', 'one step');
    const commit = await works('3', 'another step');
    git.commitByHand({ a: '4' });
    const target = await tip();
    const story = await conflictWith(git, { target, commit, branch, files: ['a'] });
    expect(story).toMatchObject({ kind: 'conflict', files: ['a'], target, branch });
    expect(story.branchLog?.split('\n').map((line) => line.slice(8))).toEqual([
      'another step',
      'one step',
    ]);
    expect(story.targetLog?.slice(8)).toBe('by hand');
    expect(story.changedBy?.slice(8)).toBe('by hand');
    expect(story.stat).toContain('a |');
  });

  test('names the commit of the target that changed the files, not its tip', async () => {
    const commit = await works('2', 'one step');
    git.commitByHand({ a: '4' });
    const culprit = (await tip()).slice(0, 7);
    git.commitByHand({ b: '1' });
    const story = await conflictWith(git, { target: await tip(), commit, branch, files: ['a'] });
    expect(story.changedBy).toBe(`${culprit} by hand`);
    expect(explain(story).what).toBe(`Conflicts with ${culprit} in a.`);
  });

  test('has a bounded number of lines, the newest of them', async () => {
    let commit = '';
    for (let step = 0; step < limits.conflictLogLines + 5; step += 1) {
      commit = await works(`v${step}`, `step ${step}`);
    }
    git.commitByHand({ a: '4' });
    const story = await conflictWith(git, { target: await tip(), commit, branch, files: ['a'] });
    const lines = story.branchLog?.split('\n') ?? [];
    expect(lines).toHaveLength(limits.conflictLogLines);
    expect(lines[0]).toContain(`step ${limits.conflictLogLines + 4}`);
  });

  test('has a bounded size', async () => {
    let commit = '';
    for (let step = 0; step < limits.conflictLogLines; step += 1) {
      commit = await works(`v${step}`, `${step} ${'x'.repeat(1_000)}`);
    }
    git.commitByHand({ a: '4' });
    const long = new Proxy(git, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (name === 'stat') return async () => 'y'.repeat(100_000);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
    const story = await conflictWith(long, { target: await tip(), commit, branch, files: ['a'] });
    expect(story.branchLog?.length).toBeLessThanOrEqual(limits.conflictTextBytes);
    expect(story.stat).toHaveLength(limits.conflictTextBytes);
  });

  test('is told without history where git tells none', async () => {
    const commit = await works('2', 'one step');
    git.commitByHand({ a: '4' });
    const target = await tip();
    const trouble = { kind: 'git-failed', args: [], exit: 1, stderr: 'odd' } as const;
    const without = (...verbs: readonly string[]) =>
      new Proxy(git, {
        get(real, name) {
          const member: unknown = Reflect.get(real, name);
          if (verbs.includes(String(name)))
            return async () => {
              throw new Trouble(trouble);
            };
          return typeof member === 'function' ? member.bind(real) : member;
        },
      });
    const clash = { target, commit, branch, files: ['a'] };
    const bare = { kind: 'conflict', files: ['a'], target, branch };
    expect(await conflictWith(without('mergeBase'), clash)).toEqual(bare);
    expect(await conflictWith(without('log', 'stat'), clash)).toEqual(bare);
    expect(await conflictWith(without('stat'), clash)).toHaveProperty('branchLog');
  });

  test('is told without history where there is none in common', async () => {
    const { tree } = await git.commit(await tip());
    const commit = await git.commitTree(tree, [], 'alone');
    const clash = { target: await tip(), commit, branch, files: ['a'] };
    expect(Object.keys(await conflictWith(git, clash))).toEqual([
      'kind',
      'files',
      'target',
      'branch',
    ]);
  });
});
