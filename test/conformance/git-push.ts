// Refs of another repository, as every implementation of the git port moves them.
import { expect, it } from 'vitest';
import { outcomeOf } from '../../src/model/trouble.ts';
import { kindOf, NOWHERE, type World } from './git-world.ts';

const one = 'refs/heads/yard/r1/a-1';
const two = 'refs/heads/yard/r1/b-1';

export function pushConformance(at: () => World): void {
  it('makes branches in a remote, moves them forward, and finds them there already', async () => {
    const { git, remote, remoteTip, start, grow } = at();
    const next = await grow('next', start, { 'a.txt': 'next\n' });
    expect(await git.push(remote, [{ from: start, to: one }])).toEqual({ id: 'pushed' });
    expect(remoteTip(one)).toBe(start);
    const moves = [
      { from: next, to: one },
      { from: start, to: two },
    ];
    for (const _time of ['first', 'second']) {
      expect(await git.push(remote, moves)).toEqual({ id: 'pushed' });
      expect([remoteTip(one), remoteTip(two)]).toEqual([next, start]);
    }
  });

  it('sends what a name stands for, and moves no ref here', async () => {
    const { git, remote, remoteTip, start, tip } = at();
    expect(await git.push(remote, [{ from: 'main', to: one }])).toEqual({ id: 'pushed' });
    expect(remoteTip(one)).toBe(start);
    expect(await tip(one)).toBe('nothing');
  });

  it('never moves a branch backwards or to another history', async () => {
    const { git, remote, remoteTip, start, grow } = at();
    const next = await grow('next', start, { 'a.txt': 'next\n' });
    const other = await grow('other', start, { 'a.txt': 'other\n' });
    await git.push(remote, [{ from: next, to: one }]);
    for (const from of [start, other]) {
      const answer = await git.push(remote, [{ from, to: one }]);
      expect(answer.id === 'refused' && answer.cause).toContain('yard/r1/a-1');
      expect(remoteTip(one)).toBe(next);
    }
  });

  it('moves all refs or none', async () => {
    const { git, remote, remoteTip, start, grow } = at();
    const next = await grow('next', start, { 'a.txt': 'next\n' });
    const other = await grow('other', start, { 'a.txt': 'other\n' });
    await git.push(remote, [{ from: next, to: one }]);
    const moves = [
      { from: other, to: two },
      { from: other, to: one },
    ];
    expect((await git.push(remote, moves)).id).toBe('refused');
    expect([remoteTip(one), remoteTip(two)]).toEqual([next, undefined]);
  });

  it('is refused where there is no such remote, or the name of the ref is not whole', async () => {
    const { git, remote, start } = at();
    const nowhere = await git.push('nowhere', [{ from: start, to: one }]);
    expect(nowhere.id === 'refused' && nowhere.cause).toContain('nowhere');
    for (const to of ['short', '']) {
      expect((await git.push(remote, [{ from: start, to }])).id).toBe('refused');
    }
  });

  it('fails where there is no such commit, and asks nobody where there is nothing to move', async () => {
    const { git, remote, remoteTip } = at();
    for (const from of [NOWHERE, '', '+main']) {
      expect(await kindOf(outcomeOf(git.push(remote, [{ from, to: one }])))).toBe('git-failed');
    }
    expect(remoteTip(one)).toBeUndefined();
    expect(await git.push('nowhere', [])).toEqual({ id: 'pushed' });
  });
}
