import { describe, expect, it } from 'vitest';
import { checkWaits } from '../../src/engine/waits.ts';
import { need } from '../conformance/git.ts';
import { MemoryForge } from '../memory/forge.ts';
import { MemoryOutside } from '../memory/outside.ts';

const run = { run: 'r1', target: 'main' };

/** Three pull requests: #1 into main, #2 into next, #3 into main. Main contains the commit `inside`. */
async function world() {
  const forge = new MemoryForge();
  for (const [branch, base] of [
    ['a', 'main'],
    ['b', 'next'],
    ['c', 'main'],
  ] as const) {
    await forge.open({ branch, base, title: branch, body: '' });
  }
  const outside = new MemoryOutside();
  const git = { isAncestor: async (commit: string) => commit === 'inside' };
  const clock = { now: () => Date.UTC(2026, 11, 1), sleep: async () => {} };
  const ports = { forge, outside, clock, git } as never;
  const check = (...waits: readonly string[]) =>
    need(
      checkWaits(ports, run, {
        type: 'check-waits',
        waits: waits.map((wait, at) => ({ id: `t${at}`, wait })),
      }),
    );
  return { forge, outside, check };
}

describe('checking waits', () => {
  it('asks the forge once for all pull requests, and runs a shared command once', async () => {
    const { forge, outside, check } = await world();
    const before = forge.calls;
    outside.successes.add('go');
    const events = await check('pull 1', 'pull 2', 'pull 3', 'command go', 'command go');
    expect(forge.calls - before).toBe(1);
    expect(outside.ran).toEqual(['go']);
    expect(events).toEqual([
      {
        type: 'waits-checked',
        run: 'r1',
        waits: ['pull 1', 'pull 2', 'pull 3', 'command go'],
        over: ['command go'],
        notes: ['pull 1', 'pull 2', 'pull 3'].map((wait) => ({ wait, note: 'it is open' })),
      },
      { type: 'wait-over', id: 't3', wait: 'command go' },
      { type: 'wait-over', id: 't4', wait: 'command go' },
    ]);
  });

  it('counts a merged pull request when the local target contains it, or it has another base', async () => {
    const { forge, check } = await world();
    forge.merge('a', 'inside');
    forge.merge('b', 'elsewhere');
    forge.merge('c', 'not here');
    const [checked, ...over] = await check('pull 1', 'pull 2', 'pull 3');
    expect(over.map((event) => 'id' in event && event.id)).toEqual(['t0', 't1']);
    expect(checked).toMatchObject({ notes: [{ note: expect.stringContaining('pull it') }] });
  });

  it('gives the reason why each other wait is not over', async () => {
    const { forge, outside, check } = await world();
    forge.close('a');
    outside.files.add('here');
    const [checked, ...over] = await check(
      'pull 1',
      'pull 9',
      'command no',
      'file no',
      'file here',
    );
    expect(checked).toMatchObject({
      notes: [
        { wait: 'pull 1', note: 'it was closed without being merged' },
        { wait: 'pull 9', note: 'there is no such pull request' },
        { wait: 'command no', note: 'exit status 1' },
      ],
    });
    expect(over).toEqual([{ type: 'wait-over', id: 't4', wait: 'file here' }]);
  });

  it('goes on without a forge that cannot be reached', async () => {
    const { forge, outside, check } = await world();
    forge.refuse('gh is not signed in');
    outside.files.add('here');
    const [checked, ...over] = await check('pull 1', 'file here');
    expect(checked).toMatchObject({ notes: [{ wait: 'pull 1', note: 'gh is not signed in' }] });
    expect(over).toHaveLength(1);
  });

  it('stores nothing but the end of dates that have come', async () => {
    const { check } = await world();
    expect(await check('until 2026-12-01', 'until 2026-12-02')).toEqual([
      { type: 'wait-over', id: 't0', wait: 'until 2026-12-01' },
    ]);
  });
});
