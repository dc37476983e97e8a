import { beforeEach, describe, expect, test } from 'vitest';
import { MemoryGit } from '../../test/memory/git.ts';
import { need } from '../../test/rig/need.ts';
import { limits } from '../model/limits.ts';
import { Trouble } from '../model/trouble.ts';
import { landingCommit } from './build-candidate.ts';

const dir = '/pool/work';
let git: MemoryGit;
let base: string;
let work: string;

beforeEach(async () => {
  git = new MemoryGit({ files: { a: '1', b: '1' } });
  base = await tip();
  await git.addWorktree(dir, base);
});

async function tip(): Promise<string> {
  return (await git.resolve('refs/heads/main')) ?? '';
}

/** One more commit of the work. */
async function commits(path: string, text: string, message = `write ${path}`): Promise<string> {
  git.write(dir, path, text);
  work = await git.commitAll(dir, message);
  return work;
}

/** The work on top of the target, in a shape. */
async function shaped(style: 'merge' | 'squash' | 'rebase', port = git): Promise<string> {
  const head = await tip();
  const merged = await git.merge(head, work);
  if (merged.id !== 'clean') throw new Error(merged.id);
  const wish = { head, commit: work, tree: merged.tree, message: 'Do it\n\nYard-Task: a\n' };
  return need(await landingCommit(port, style, wish));
}

/** Commits from one down to the target, newest first, by their subjects. */
async function line(from: string): Promise<readonly string[]> {
  const subjects: string[] = [];
  for (let at = from; at !== (await tip()); ) {
    const { message, parents } = await git.commit(at);
    subjects.push(message.split('\n')[0] ?? '');
    expect(parents).toHaveLength(1);
    at = parents[0] ?? '';
  }
  return subjects;
}

describe('work that lands', () => {
  test('has the same tree whatever its shape', async () => {
    await commits('a', '2');
    await commits('c', '1');
    git.commitByHand({ b: '2' });
    const shapes = ['merge', 'squash', 'rebase'] as const;
    const trees = new Set<string>();
    for (const style of shapes) trees.add((await git.commit(await shaped(style))).tree);
    expect(trees.size).toBe(1);
  });

  test('as a merge has the target first and then itself', async () => {
    await commits('a', '2');
    const made = await git.commit(await shaped('merge'));
    expect(made.parents).toEqual([base, work]);
    expect(made.message).toContain('Yard-Task: a');
  });

  test('squashed is one commit, however many there were', async () => {
    await commits('a', '2');
    await commits('a', '3');
    expect(await line(await shaped('squash'))).toEqual(['Do it']);
  });
});

describe('work that lands rebased', () => {
  test('is its own commits on top of the target, the last with the message of the landing', async () => {
    await commits('a', '2', 'first');
    await commits('a', '3', 'second');
    await commits('c', '1', 'third');
    git.commitByHand({ b: '2' });
    const made = await shaped('rebase');
    expect(await line(made)).toEqual(['Do it', 'second', 'first']);
    expect([...git.tree(made)]).toEqual([
      ['a', '3'],
      ['b', '2'],
      ['c', '1'],
    ]);
  });

  test('has in each commit what that one changed and no more', async () => {
    await commits('a', '2', 'first');
    await commits('c', '1', 'second');
    git.commitByHand({ b: '2' });
    const { parents } = await git.commit(await shaped('rebase'));
    expect([...git.tree(parents[0] ?? '')]).toEqual([
      ['a', '2'],
      ['b', '2'],
    ]);
  });

  test('is one commit where the target was merged in between', async () => {
    await commits('a', '2');
    git.commitByHand({ b: '2' });
    await git.beginMerge(dir, await tip());
    work = await git.commitAll(dir, 'merge');
    await commits('c', '1');
    git.commitByHand({ d: '1' });
    expect(await line(await shaped('rebase'))).toEqual(['Do it']);
  });

  test('is one commit where a step does not apply by itself', async () => {
    await commits('b', '9', 'in the way');
    await commits('b', '1', 'out of it');
    await commits('c', '1', 'and more');
    git.commitByHand({ b: '2' });
    expect(await line(await shaped('rebase'))).toEqual(['Do it']);
  });

  test('is one commit where there are too many to go through', async () => {
    for (let step = 0; step <= limits.ancestrySteps; step += 1) await commits('a', `v${step}`);
    git.commitByHand({ b: '2' });
    expect(await line(await shaped('rebase'))).toEqual(['Do it']);
  });

  test('says when git is in trouble instead of landing something else', async () => {
    await commits('a', '2');
    await commits('c', '1');
    const trouble = { kind: 'git-failed', args: ['pick'], exit: 1, stderr: 'odd' } as const;
    for (const verb of ['mergeBase', 'pick', 'commitTree']) {
      const broken = new Proxy(git, {
        get(target, name) {
          const member: unknown = Reflect.get(target, name);
          if (name === verb)
            return async () => {
              throw new Trouble(trouble);
            };
          return typeof member === 'function' ? member.bind(target) : member;
        },
      });
      const wish = { head: base, commit: work, tree: 'x', message: 'm' };
      const landing = landingCommit(broken, 'rebase', wish);
      await expect(landing).rejects.toMatchObject({ failure: trouble });
    }
  });
});
