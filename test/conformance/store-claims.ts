// Claims, fences, leases and locks of a store.

import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../src/port/store.ts';
import {
  added,
  built,
  decided,
  failed,
  judged,
  landed,
  owner,
  ready,
  retried,
  started,
  trouble,
  wish,
  worked,
} from '../record/life.ts';
import { need } from '../rig/need.ts';
import type { StoreWorld } from './store.ts';

const holder = (pid: number) => ({ ...owner(pid), until: 50 });

export function describeClaims(
  now: () => { readonly world: StoreWorld; readonly store: Store },
): void {
  let world: StoreWorld;
  let store: Store;
  beforeEach(() => {
    ({ world, store } = now());
  });

  describe('a claim', () => {
    beforeEach(async () => {
      need(await store.append(1, [added('a'), added('b', ['a']), started('r'), started('s')]));
    });

    it('stores that the attempt has started', async () => {
      const event = need(await store.claim(5, { ...wish('r', 'a'), slot: 2 }));
      expect(event).toMatchObject({ type: 'attempt-started', id: 'a', run: 'r', slot: 2, at: 5 });
      expect(need(await store.task('a'))).toMatchObject({
        attempts: 1,
        attempt: { run: 'r', number: 1, state: { id: 'preparing', slot: 2 } },
      });
    });

    it('is won by one of many', async () => {
      const ways = await Promise.all(Array.from({ length: 8 }, () => world.open()));
      const tries = await Promise.all(
        ways.map((way, index) => way.claim(5, wish(`run${index}`, 'a'))),
      );
      const won = tries.filter((each) => each.ok);
      expect(won).toHaveLength(1);
      const winner = need(won[0] as (typeof tries)[0]);
      for (const lost of tries.filter((each) => !each.ok)) {
        expect(trouble(lost)).toMatchObject({ kind: 'claim-lost', task: 'a' });
        expect(trouble(lost)).toMatchObject({ owner: 'run' in winner ? winner.run : '' });
      }
      expect(need(await store.steps('a'))).toHaveLength(2);
    });

    it('is lost for a task that is unknown, waits, is stuck, done, in work or seen too late', async () => {
      const lost = async (id: string, attempt = 1) =>
        expect(trouble(await store.claim(5, wish('r', id, attempt))).kind).toBe('claim-lost');
      await lost('nobody');
      await lost('b');
      await lost('a', 2);
      need(await store.append(2, [decided('a', 'block')]));
      await lost('a');
      need(await store.append(2, [retried('a')]));
      need(await store.claim(3, wish('r', 'a')));
      await lost('a', 2);
      need(
        await store.append(4, [...worked('r', 'a'), built('r', ['a']), landed('r', ['a'])], 'r'),
      );
      await lost('a', 2);
      await lost('b', 0);
      expect(need(await store.lastSeq())).toBe(14);
    });

    it('is lost for a task whose work was returned and waits for its own agent', async () => {
      need(await store.claim(2, wish('r', 'a')));
      need(await store.append(3, worked('r', 'a').slice(0, 4), 'r'));
      const refused = {
        ...judged('r', 'a'),
        verdict: { id: 'failed', ms: 1, failure: { kind: 'other', message: 'red' } },
      };
      need(await store.append(3, [refused as ReturnType<typeof judged>], 'r'));
      expect(need(await store.tasks(['ready'])).map((each) => each.task.id)).toEqual(['a']);
      expect(trouble(await store.claim(9_999, wish('s', 'a', 2)))).toEqual({
        kind: 'claim-lost',
        task: 'a',
        owner: 'r',
      });
    });

    it('has a fence higher than any before, also after it was given back', async () => {
      const fences: number[] = [];
      for (const attempt of [1, 2]) {
        const event = need(await store.claim(5, wish('r', 'a', attempt)));
        if (event.type === 'attempt-started') fences.push(event.fence);
        need(await store.append(6, [failed('r', 'a', attempt)], 'r'));
      }
      need(await store.append(6, [added('other')]));
      const last = need(await store.claim(7, wish('s', 'other')));
      if (last.type === 'attempt-started') fences.push(last.fence);
      expect(fences).toEqual([...fences].sort((x, y) => x - y));
      expect(new Set(fences).size).toBe(3);
    });

    it('that was lost uses up nothing', async () => {
      need(await store.claim(5, wish('r', 'a')));
      const before = need(await store.task('a'));
      await store.claim(6, wish('s', 'a', 2));
      expect(need(await store.task('a'))).toEqual(before);
    });

    it('ends when its attempt fails, and another run may take the task', async () => {
      need(await store.claim(5, wish('r', 'a', 1, 9_999)));
      need(await store.append(6, [failed('r', 'a')], 'r'));
      expect(need(await store.claim(7, wish('s', 'a', 2)))).toMatchObject({ run: 's' });
    });
  });

  describe('a fence', () => {
    const late = [ready('r', 'a'), failed('r', 'a'), landed('r', ['a'])];

    beforeEach(async () => {
      need(await store.append(1, [added('a'), added('b'), started('r'), started('s')]));
      need(await store.claim(2, wish('r', 'a')));
      need(await store.append(3, [failed('r', 'a')], 'r'));
      need(await store.claim(4, wish('s', 'a', 2)));
    });

    it('keeps out every late word of the run that held the task before', async () => {
      const before = need(await store.lastSeq());
      for (const event of late) {
        const fenced = { kind: 'fenced', task: 'a', owner: 's' };
        expect(trouble(await store.append(5, [event], 'r'))).toEqual(fenced);
      }
      const refused = { ...failed('r', 'a'), type: 'merge-refused' } as const;
      expect(trouble(await store.append(5, [refused as (typeof late)[0]], 'r')).kind).toBe(
        'fenced',
      );
      expect(need(await store.lastSeq())).toBe(before);
    });

    it('keeps out nothing of the run that holds the task, or of a person', async () => {
      need(await store.append(5, [ready('s', 'a', 2)], 's'));
      need(await store.append(6, [decided('a', 'cancel')], 'r'));
      need(await store.append(7, [failed('s', 'a', 2)]));
    });

    it('keeps out a turn of an attempt that a person holds', async () => {
      const of = { run: 's', id: 'a', attempt: 2 } as const;
      const turn = (number: number) =>
        ({ type: 'turn-started', ...of, turn: number, slot: 1, agent: 'scripted' }) as const;
      const asks = { ok: true, tail: '', signal: { id: 'ask', question: 'Which?' } } as const;
      const ended = { type: 'turn-ended', ...of, turn: 1, result: asks } as const;
      need(await store.append(5, [ready('s', 'a', 2), turn(1), ended], 's'));
      const by = { pid: 1, startedAt: '1', host: 'here' };
      const hold = { kind: 'hold', attempt: 2, by } as const;
      need(await store.append(6, [{ type: 'task-decided', id: 'a', decision: hold }]));
      expect(trouble(await store.append(7, [turn(2)], 's')).kind).toBe('fenced');
    });

    it('keeps out an earlier attempt of the same run', async () => {
      need(await store.append(5, [failed('s', 'a', 2)], 's'));
      need(await store.claim(6, wish('s', 'a', 3)));
      expect(trouble(await store.append(7, [ready('s', 'a', 2)], 's')).kind).toBe('fenced');
      need(await store.append(7, [ready('s', 'a', 3)], 's'));
    });

    it('keeps out a landing as a whole when one of its branches is not the run’s', async () => {
      need(await store.claim(5, wish('r', 'b')));
      const before = need(await store.lastSeq());
      expect(trouble(await store.append(6, [landed('r', ['b', 'a'])], 'r')).kind).toBe('fenced');
      expect(need(await store.lastSeq())).toBe(before);
      expect(need(await store.task('b'))?.status.id).toBe('open');
    });

    it('undoes what came before it in the same call', async () => {
      const before = need(await store.lastSeq());
      const call = [added('new'), decided('b', 'block'), started('t'), ready('r', 'a')];
      expect(trouble(await store.append(5, call, 'r')).kind).toBe('fenced');
      expect(need(await store.lastSeq())).toBe(before);
      expect(need(await store.task('new'))).toBeUndefined();
      expect(need(await store.task('b'))?.status.id).toBe('open');
      expect(need(await store.run('t'))).toBeUndefined();
    });

    it('does not let a late failure of an old attempt give back the claim of the new one', async () => {
      need(await store.append(5, [failed('r', 'a', 1)]));
      const again = { type: 'attempt-started', run: 'r', id: 'a', attempt: 3, slot: 1 } as const;
      const rival = { ...again, fence: 9, agent: 'scripted', branch: 'yard/a' };
      expect(trouble(await store.append(6, [rival], 'r'))).toMatchObject({ owner: 's' });
      expect(trouble(await store.append(6, [ready('r', 'a', 2)], 'r')).kind).toBe('fenced');
      need(await store.append(6, [ready('s', 'a', 2)], 's'));
    });
  });

  describe('an adoption', () => {
    const adoption = { run: 's', id: 'a', attempt: 1, from: 'r', slot: 2, leaseUntil: 900 };
    beforeEach(async () => {
      need(await store.append(1, [added('a'), started('r'), started('s')]));
      need(await store.claim(2, wish('r', 'a', 1, 100)));
    });

    it('gives a live attempt to another run once the claim has run out, with a new fence', async () => {
      expect(trouble(await store.adopt(50, adoption))).toMatchObject({ kind: 'claim-lost' });
      const event = need(await store.adopt(101, adoption));
      expect(event).toMatchObject({ type: 'attempt-adopted', run: 's', from: 'r', id: 'a' });
      expect(need(await store.task('a'))).toMatchObject({
        attempts: 1,
        attempt: { run: 's', number: 1, state: { id: 'preparing', slot: 2 } },
      });
      expect(trouble(await store.append(102, [ready('r', 'a', 1)], 'r')).kind).toBe('fenced');
      need(await store.append(102, [ready('s', 'a', 1)], 's'));
      expect(trouble(await store.adopt(103, adoption))).toMatchObject({ kind: 'claim-lost' });
    });

    it('does not wait for the lease of a run that has ended', async () => {
      need(await store.append(3, [{ type: 'run-ended', run: 'r', stop: { reason: 'died' } }]));
      need(await store.adopt(4, adoption));
    });

    it('is refused for another attempt, and for one that is over', async () => {
      const other = { ...adoption, attempt: 2 };
      expect(trouble(await store.adopt(101, other))).toMatchObject({ kind: 'claim-lost' });
      need(await store.append(102, [failed('r', 'a')], 'r'));
      expect(trouble(await store.adopt(103, adoption))).toMatchObject({ kind: 'claim-lost' });
    });
  });

  describe('a lease', () => {
    it('can be prolonged and is never shortened', async () => {
      need(await store.append(1, [added('a'), started('r')]));
      need(await store.claim(2, wish('r', 'a', 1, 100)));
      need(await store.renew('r', 500));
      need(await store.renew('r', 50));
      need(await store.renew('nobody', 9_999));
      expect(trouble(await store.claim(400, wish('s', 'a', 2))).kind).toBe('claim-lost');
    });

    it('that has run out does not make a task free while its attempt is under way', async () => {
      need(await store.append(1, [added('a'), started('r')]));
      need(await store.claim(2, wish('r', 'a', 1, 100)));
      expect(trouble(await store.claim(101, wish('s', 'a', 2)))).toMatchObject({ owner: 'r' });
      need(await store.append(102, [failed('r', 'a')], 'r'));
      need(await store.claim(103, wish('s', 'a', 2)));
    });
  });

  it('shows a run with the lease of its lock', async () => {
    need(await store.append(1, [started('r')]));
    expect(need(await store.run('r'))?.leaseUntil).toBeUndefined();
    need(await store.lock('run r', holder(7)));
    need(await store.renew('r', 500));
    expect(need(await store.run('r'))?.leaseUntil).toBe(500);
    expect(need(await store.runs(5)).map(({ leaseUntil }) => leaseUntil)).toEqual([500]);
  });

  it('renews all locks of the process that drives a run, and of no other', async () => {
    need(await store.lock('run r', holder(7)));
    need(await store.lock('project', holder(7)));
    need(await store.lock('run s', holder(8)));
    need(await store.renew('r', 500));
    need(await store.renew('s', 700));
    for (const [name, until] of [
      ['run r', 500],
      ['project', 500],
      ['run s', 700],
    ] as const) {
      expect(need(await store.holder(name))?.until).toBe(until);
    }
  });

  describe('a lock', () => {
    it('has one holder', async () => {
      expect(need(await store.holder('run'))).toBeUndefined();
      expect(need(await store.lock('run', holder(1)))).toBeUndefined();
      expect(need(await store.holder('run'))).toEqual(holder(1));
      expect(need(await store.lock('run', holder(2)))).toEqual(holder(1));
      expect(need(await store.lock('other', holder(2)))).toBeUndefined();
    });

    it('may be taken again by its holder', async () => {
      need(await store.lock('run', holder(1)));
      expect(need(await store.lock('run', holder(1)))).toBeUndefined();
    });

    it('may be taken from the one that is known to be dead, and by one only', async () => {
      need(await store.lock('run', holder(1)));
      expect(need(await store.lock('run', holder(2), holder(3)))).toEqual(holder(1));
      expect(need(await store.lock('run', holder(2), holder(1)))).toBeUndefined();
      expect(need(await store.lock('run', holder(4), holder(1)))).toEqual(holder(2));
    });

    it('stays with a holder that renewed its lease after it was found dead', async () => {
      need(await store.lock('run', { ...holder(1), until: 500 }));
      const found = { ...holder(1), until: 400 };
      expect(need(await store.lock('run', holder(2), found))).toMatchObject({ until: 500 });
      expect(need(await store.lock('run', holder(2), { ...found, until: 500 }))).toBeUndefined();
    });

    it('is told apart by more than the pid', async () => {
      need(await store.lock('run', holder(1)));
      const reused = { ...holder(1), startedAt: 'later' };
      expect(need(await store.lock('run', reused))).toEqual(holder(1));
      expect(need(await store.unlock('run', reused))).toBeUndefined();
      expect(need(await store.holder('run'))).toEqual(holder(1));
    });

    it('is free after its holder opened it', async () => {
      need(await store.lock('run', holder(1)));
      need(await store.unlock('run', holder(1)));
      need(await store.unlock('run', holder(1)));
      expect(need(await store.lock('run', holder(2)))).toBeUndefined();
    });
  });
}
