import { describe, expect, test } from 'vitest';
import { MemoryGit } from '../../test/memory/git.ts';
import { limits } from '../model/limits.ts';
import { outcomeOf } from '../model/trouble.ts';
import { RefIndex } from './ref-index.ts';

async function repository(commits: number) {
  const git = new MemoryGit({ files: { start: '' } });
  const line: string[] = [];
  const note = async (): Promise<void> => {
    const tip = await outcomeOf(git.resolve('main'));
    if (tip.ok && tip.value !== undefined) line.push(tip.value);
  };
  await note();
  for (let n = 1; n < commits; n += 1) {
    git.commitByHand({ start: String(n) });
    await note();
  }
  const refIndex = await RefIndex.of(git);
  if (!refIndex.ok) throw new Error(refIndex.failure.kind);
  return { git, line, refIndex: refIndex.value };
}

const unknown = 'f'.repeat(40);

describe('a branch', () => {
  test('has its tip and everything behind it, and nothing that git does not know', async () => {
    const { line, refIndex } = await repository(4);
    const tip = line.at(-1);
    for (const commit of line) expect(await refIndex.tipWith('main', commit)).toBe(tip);
    expect(await refIndex.tipWith('main', unknown)).toBeUndefined();
    expect(await refIndex.tipWith('other', line[0] ?? '')).toBeUndefined();
  });

  test('is asked of git itself about what lies further back than the walk goes', async () => {
    const { git, line, refIndex } = await repository(limits.reachSteps + 20);
    let asked = 0;
    const { isAncestor } = MemoryGit.prototype;
    git.isAncestor = async (...pair) => {
      asked += 1;
      return isAncestor.apply(git, pair);
    };
    expect(await refIndex.tipWith('main', line[0] ?? '')).toBe(line.at(-1));
    expect(asked).toBe(1);
    expect(await refIndex.tipWith('main', line[18 + limits.reachSteps] ?? '')).toBe(line.at(-1));
    expect(asked).toBe(1);
    expect(await refIndex.tipWith('main', unknown)).toBeUndefined();
  });

  test('walks no commit twice, however many questions there are', async () => {
    const { git, line, refIndex } = await repository(30);
    const read: string[] = [];
    const { commit } = MemoryGit.prototype;
    git.commit = async (id) => {
      read.push(id);
      return commit.call(git, id);
    };
    for (const one of line) await refIndex.tipWith('main', one);
    expect(new Set(read).size).toBe(read.length);
  });
});

describe('of several refs', () => {
  test('the one that is exactly there comes before one that has it behind it', async () => {
    const { git, line } = await repository(3);
    const [first = '', second = ''] = line;
    await outcomeOf(git.moveRefs([{ ref: 'refs/yard/keep/exact', to: second }]));
    const refIndex = await RefIndex.of(git);
    if (!refIndex.ok) throw new Error(refIndex.failure.kind);
    expect(await refIndex.value.any(second)).toBe('refs/yard/keep/exact');
    expect(await refIndex.value.any(first)).toBe('refs/heads/main');
    expect(await refIndex.value.among(['refs/none', 'refs/heads/main'], second)).toBe(
      'refs/heads/main',
    );
    expect(await refIndex.value.any(unknown)).toBeUndefined();
  });

  test('what comes later is not seen: a ledger is made up at one moment', async () => {
    const { git, line, refIndex } = await repository(2);
    await outcomeOf(git.moveRefs([{ ref: 'refs/heads/late', to: line[0] ?? '' }]));
    expect(refIndex.at('refs/heads/late')).toBeUndefined();
    expect(refIndex.below('refs/heads/')).toEqual(['refs/heads/main']);
  });
});
