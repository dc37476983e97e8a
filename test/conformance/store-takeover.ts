// What a store refuses to a process whose run another process has taken over.

import { expect, it } from 'vitest';
import type { Owner } from '../../src/model/run.ts';
import type { Holder, Store } from '../../src/port/store.ts';
import { added, started, trouble, turn, wish } from '../record/life.ts';
import { need } from '../rig/need.ts';

export const ownerOf = (pid: number): Owner => ({
  pid,
  startedAt: `${pid}@machine-${pid}/boot`,
  host: `host-${pid}`,
});
export const holderUntil = (pid: number, until: number): Holder => ({ ...ownerOf(pid), until });

/** Two processes use a store; both `open` it. `vanish` ends the connection of the first one, which does not notice. */
export interface TakeoverWorld {
  open(): Promise<Store>;
  vanish(): Promise<void>;
}

export function describeTakeover(world: () => TakeoverWorld): void {
  it('refuses all writes of a process whose run another one has resumed', async () => {
    const stale = await world().open();
    const other = await world().open();
    need(await stale.append(1, [added('a'), added('b'), started('r')]));
    expect(need(await stale.lock('run r', holderUntil(1, 100)))).toBeUndefined();
    need(await stale.claim(2, wish('r', 'a')));
    await world().vanish();
    expect(
      need(await other.lock('run r', holderUntil(2, 300), holderUntil(1, 100))),
    ).toBeUndefined();

    const refused = { kind: 'run-taken-over', run: 'r', pid: 2, host: 'host-2' };
    const before = need(await other.lastSeq());
    expect(trouble(await stale.append(3, [turn('r', 'a')], 'r'))).toEqual(refused);
    expect(trouble(await stale.claim(4, wish('r', 'b')))).toEqual(refused);
    expect(trouble(await stale.renew('r', 500))).toEqual(refused);
    expect(need(await other.events({ after: before }))).toEqual([]);
    expect(need(await other.holder('run r'))).toEqual(holderUntil(2, 300));

    need(await other.claim(5, wish('r', 'b')));
    need(await other.renew('r', 600));
    expect(need(await other.holder('run r'))).toEqual(holderUntil(2, 600));
  });

  it('lets the first process do what a person does, and give nothing back', async () => {
    const stale = await world().open();
    const other = await world().open();
    need(await stale.append(1, [added('a'), started('r')]));
    need(await stale.lock('run r', holderUntil(1, 100)));
    await world().vanish();
    need(await other.lock('run r', holderUntil(2, 300), holderUntil(1, 100)));
    need(await stale.append(2, [added('b')]));
    need(await stale.unlock('run r', ownerOf(1)));
    expect(need(await other.holder('run r'))).toEqual(holderUntil(2, 300));
    need(await other.unlock('run r', ownerOf(2)));
    expect(need(await stale.holder('run r'))).toBeUndefined();
  });

  it('accepts the writes of a process that has locked a run again, and of one that gave it back', async () => {
    const first = await world().open();
    const other = await world().open();
    need(await first.append(1, [added('a'), started('r')]));
    need(await first.lock('run r', holderUntil(1, 100)));
    need(await first.lock('run r', holderUntil(1, 200)));
    need(await first.claim(2, wish('r', 'a')));
    need(await first.unlock('run r', ownerOf(1)));
    need(await other.lock('run r', holderUntil(2, 300)));
    need(await first.append(3, [added('b')], 'r'));
    need(await other.append(4, [turn('r', 'a')], 'r'));
  });
}
