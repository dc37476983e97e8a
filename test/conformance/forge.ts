// Conformance suite for the forge port.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Pull } from '../../src/model/run-record.ts';
import type { Forge, PullRequest } from '../../src/port/forge.ts';
import { kindOf, need } from './git.ts';

export interface ForgeHarness {
  readonly forge: Forge;
  /** People merge and close, machines check. */
  merge(branch: string, commit: string): void;
  close(branch: string): void;
  check(branch: string, checks: Exclude<Pull['checks'], 'none'>): void;
  /** From now on everything is refused in these words. */
  refuse(cause: string): void;
  /** Number of calls to the forge. */
  calls(): number;
  /** Text of a branch's pull request. */
  said(branch: string): Omit<PullRequest, 'branch'> | undefined;
  dispose(): void;
}

const wish = (branch: string, more: Partial<PullRequest> = {}): PullRequest => ({
  branch,
  base: 'main',
  title: `Title of ${branch}`,
  body: `Body of ${branch}\n`,
  ...more,
});

export function forgeConformance(name: string, make: () => ForgeHarness): void {
  describe(`${name} as forge`, () => {
    let at: ForgeHarness;
    beforeEach(() => {
      at = make();
    });
    afterEach(() => at.dispose());
    describe('opening', () => opening(() => at));
    describe('looking', () => looking(() => at));
  });
}

function opening(at: () => ForgeHarness): void {
  it('makes a pull request that says what was wished', async () => {
    const { forge, said } = at();
    const body = 'First line\n\n`$(rm -rf .)` "quoted" \\ ü 🚂\n';
    const opened = await need(
      forge.open(wish('yard/r/a-1', { base: 'next', title: '--draft "x"', body })),
    );
    expect(opened.url).toMatch(/^https:\/\/.+\/1$/);
    expect(opened.number).toBe(1);
    expect(said('yard/r/a-1')).toEqual({ base: 'next', title: '--draft "x"', body });
  });

  it('makes none where the branch has one, and says which', async () => {
    const { forge, said } = at();
    const first = await need(forge.open(wish('yard/r/a-1')));
    const again = await need(forge.open(wish('yard/r/a-1', { title: 'Another title' })));
    expect(again).toEqual(first);
    expect(said('yard/r/a-1')?.title).toBe('Title of yard/r/a-1');
  });

  it('makes none where the one of the branch was merged or closed meanwhile', async () => {
    const { forge, merge, close } = at();
    const merged = await need(forge.open(wish('yard/r/a-1')));
    const closed = await need(forge.open(wish('yard/r/b-1')));
    merge('yard/r/a-1', 'c0ffee');
    close('yard/r/b-1');
    expect(await need(forge.open(wish('yard/r/a-1')))).toEqual(merged);
    expect(await need(forge.open(wish('yard/r/b-1')))).toEqual(closed);
  });

  it('hands on a refusal in the words of the forge', async () => {
    const { forge, refuse } = at();
    refuse('the moon is full');
    const refused = await forge.open(wish('yard/r/a-1'));
    expect(refused).toMatchObject({
      ok: false,
      failure: { kind: 'delivery-failed', how: 'pr' },
    });
    expect(JSON.stringify(refused)).toContain('the moon is full');
  });
}

function looking(at: () => ForgeHarness): void {
  it('says how each branch stands, in the order of the question, with one call', async () => {
    const { forge, merge, close, calls } = at();
    for (const branch of ['a', 'b', 'c']) await need(forge.open(wish(branch)));
    merge('b', 'c0ffee');
    close('c');
    const before = calls();
    const states = await need(forge.states(['c', 'b', 'a']));
    expect(calls() - before).toBe(1);
    expect(states.map(({ branch, number, state }) => [branch, number, state])).toEqual([
      ['c', 3, 'closed'],
      ['b', 2, 'merged'],
      ['a', 1, 'open'],
    ]);
    expect(states.map(({ mergeCommit }) => mergeCommit)).toEqual([undefined, 'c0ffee', undefined]);
  });

  it('tells passed, failed and pending checks from none', async () => {
    const { forge, check } = at();
    for (const branch of ['a', 'b', 'c', 'd']) await need(forge.open(wish(branch)));
    check('a', 'passed');
    check('b', 'failed');
    check('c', 'pending');
    const states = await need(forge.states(['a', 'b', 'c', 'd']));
    expect(states.map(({ checks }) => checks)).toEqual(['passed', 'failed', 'pending', 'none']);
  });

  it('leaves out branches without a pull request', async () => {
    const { forge } = at();
    await need(forge.open(wish('a')));
    expect((await need(forge.states(['x', 'a']))).map(({ branch }) => branch)).toEqual(['a']);
  });

  it('asks nobody about nothing', async () => {
    const { forge, calls, refuse } = at();
    refuse('no');
    expect(await need(forge.states([]))).toEqual([]);
    expect(calls()).toBe(0);
  });

  it('finds pull requests by number with one call, and leaves out the others', async () => {
    const { forge, merge, close, calls } = at();
    for (const branch of ['a', 'b', 'c']) await need(forge.open(wish(branch, { base: 'next' })));
    merge('b', 'c0ffee');
    close('c');
    const before = calls();
    const found = await need(forge.numbered([3, 2, 1, 99]));
    expect(calls() - before).toBe(1);
    expect(new Map(found.map((pull) => [pull.number, pull]))).toEqual(
      new Map([
        [1, { number: 1, state: 'open', base: 'next' }],
        [2, { number: 2, state: 'merged', base: 'next', mergeCommit: 'c0ffee' }],
        [3, { number: 3, state: 'closed', base: 'next' }],
      ]),
    );
    expect(await need(forge.numbered([]))).toEqual([]);
    expect(calls() - before).toBe(1);
  });

  it('hands on a refusal', async () => {
    const { forge, refuse } = at();
    refuse('no');
    expect(await kindOf(forge.states(['a']))).toBe('delivery-failed');
    expect(await kindOf(forge.numbered([1]))).toBe('delivery-failed');
  });
}
