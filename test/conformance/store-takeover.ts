// What a store refuses to a process whose run another process has taken over.
import { expect, it } from 'vitest';
import type { Owner } from '../../src/model/run.ts';
import type { Holder, Store } from '../../src/port/store.ts';
import { added, good, started, trouble, turn, wish } from '../record/life.ts';

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
    good(await stale.append(1, [added('a'), added('b'), started('r')]));
    expect(good(await stale.lock('run r', holderUntil(1, 100)))).toBeUndefined();
    good(await stale.claim(2, wish('r', 'a')));
    await world().vanish();
    expect(
      good(await other.lock('run r', holderUntil(2, 300), holderUntil(1, 100))),
    ).toBeUndefined();

    const refused = { kind: 'run-taken-over', run: 'r', pid: 2, host: 'host-2' };
    const before = good(await other.lastSeq());
    expect(trouble(await stale.append(3, [turn('r', 'a')], 'r'))).toEqual(refused);
    expect(trouble(await stale.claim(4, wish('r', 'b')))).toEqual(refused);
    expect(trouble(await stale.renew('r', 500))).toEqual(refused);
    expect(good(await other.events({ after: before }))).toEqual([]);
    expect(good(await other.holder('run r'))).toEqual(holderUntil(2, 300));

    good(await other.claim(5, wish('r', 'b')));
    good(await other.renew('r', 600));
    expect(good(await other.holder('run r'))).toEqual(holderUntil(2, 600));
  });

  it('lets the first process do what a person does, and give nothing back', async () => {
    const stale = await world().open();
    const other = await world().open();
    good(await stale.append(1, [added('a'), started('r')]));
    good(await stale.lock('run r', holderUntil(1, 100)));
    await world().vanish();
    good(await other.lock('run r', holderUntil(2, 300), holderUntil(1, 100)));
    good(await stale.append(2, [added('b')]));
    good(await stale.unlock('run r', ownerOf(1)));
    expect(good(await other.holder('run r'))).toEqual(holderUntil(2, 300));
    good(await other.unlock('run r', ownerOf(2)));
    expect(good(await stale.holder('run r'))).toBeUndefined();
  });

  it('accepts the writes of a process that has locked a run again, and of one that gave it back', async () => {
    const first = await world().open();
    const other = await world().open();
    good(await first.append(1, [added('a'), started('r')]));
    good(await first.lock('run r', holderUntil(1, 100)));
    good(await first.lock('run r', holderUntil(1, 200)));
    good(await first.claim(2, wish('r', 'a')));
    good(await first.unlock('run r', ownerOf(1)));
    good(await other.lock('run r', holderUntil(2, 300)));
    good(await first.append(3, [added('b')], 'r'));
    good(await other.append(4, [turn('r', 'a')], 'r'));
  });
}
