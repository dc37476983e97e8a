// What every store must do, whatever it is made of.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../src/record/store.ts';
import {
  added,
  built,
  captured,
  decided,
  failed,
  good,
  judged,
  landed,
  owner,
  ready,
  retried,
  started,
  task,
  trouble,
  turn,
  turned,
  wish,
  worked,
} from '../record/life.ts';

export interface StoreWorld {
  /** A way into the one store of this world; another call is another way into the same one. */
  open(): Promise<Store>;
  /** Makes the record of a task say that it has 7 blockers, past the log. */
  spoil(id: string): Promise<void>;
  /** Leaves nothing behind. */
  end(): Promise<void>;
}

export function storeConformance(name: string, begin: () => Promise<StoreWorld>): void {
  describe(`${name} keeps the contract of a store`, () => {
    let world: StoreWorld;
    let store: Store;

    beforeEach(async () => {
      world = await begin();
      store = await world.open();
    });
    afterEach(async () => {
      expect(good(await store.audit())).toEqual([]);
      await world.end();
    });

    describe('the log', () => {
      it('is empty at first', async () => {
        expect(good(await store.lastSeq())).toBe(0);
        expect(good(await store.events({}))).toEqual([]);
        expect(good(await store.tasks())).toEqual([]);
        expect(good(await store.counts())).toEqual({});
        expect(good(await store.runs(5))).toEqual([]);
        expect(good(await store.task('a'))).toBeUndefined();
        expect(good(await store.run('r'))).toBeUndefined();
        expect(good(await store.verdict('t', 'g'))).toBeUndefined();
      });

      it('numbers events from 1 in the order in which they came', async () => {
        const first = good(await store.append(10, [added('a'), added('b')]));
        const second = good(await store.append(20, [added('c')]));
        expect([...first, ...second].map(({ seq, at }) => [seq, at])).toEqual([
          [1, 10],
          [2, 10],
          [3, 20],
        ]);
        expect(good(await store.events({}))).toEqual([...first, ...second]);
        expect(good(await store.lastSeq())).toBe(3);
        expect(good(await store.taskIds())).toEqual(['a', 'b', 'c']);
      });

      it('keeps the order of calls that were not waited for', async () => {
        const ids = Array.from({ length: 30 }, (_, index) => `t${index}`);
        const all = await Promise.all(ids.map((id) => store.append(1, [added(id)])));
        expect(all.map((each) => good(each)[0]?.seq)).toEqual(ids.map((_, index) => index + 1));
        expect(good(await store.taskIds())).toEqual(ids);
      });

      it('shows what one way in wrote through another', async () => {
        const other = await world.open();
        good(await store.append(1, [added('a')]));
        good(await other.append(2, [added('b', ['a'])]));
        expect(good(await store.taskIds())).toEqual(['a', 'b']);
        expect(good(await other.task('b'))?.blockers).toBe(1);
        expect(good(await store.lastSeq())).toBe(2);
      });

      it('gives the events after a number, of a run, of a task, and no more than asked for', async () => {
        good(await store.append(1, [added('a'), added('b'), started('r')]));
        good(await store.claim(2, wish('r', 'a')));
        good(await store.append(3, worked('r', 'a'), 'r'));
        good(await store.append(4, [built('r', ['a']), landed('r', ['a'])], 'r'));
        const types = async (filter: Parameters<Store['events']>[0]) =>
          good(await store.events(filter)).map(({ type }) => type);
        expect(await types({ after: 9 })).toEqual(['candidate-built', 'landed']);
        expect(await types({ after: 11 })).toEqual([]);
        expect(await types({ task: 'b' })).toEqual(['task-added']);
        expect(await types({ task: 'a', after: 8 })).toEqual([
          'branch-judged',
          'candidate-built',
          'landed',
        ]);
        expect(await types({ run: 'r', limit: 3 })).toEqual([
          'run-started',
          'attempt-started',
          'worktree-ready',
        ]);
        expect(await types({ run: 'r', task: 'a', after: 4, limit: 1 })).toEqual([
          'worktree-ready',
        ]);
        expect(await types({ run: 'other' })).toEqual([]);
      });

      it('gives a log that is longer than one page whole', async () => {
        const many = Array.from({ length: 2_345 }, (_, index) => added(`t${index}`));
        good(await store.append(1, many));
        const events = good(await store.events({ after: 5 }));
        expect(events.map(({ seq }) => seq)).toEqual(many.map((_, index) => index + 1).slice(5));
        expect(good(await store.events({ after: 5, limit: 1_000 })).at(-1)?.seq).toBe(1_005);
      });
    });

    describe('the tables', () => {
      it('follow a task from its arrival to its landing', async () => {
        good(await store.append(1, [added('a'), added('b', ['a']), started('r')]));
        expect(good(await store.counts())).toEqual({ ready: 1, open: 1 });
        good(await store.claim(2, wish('r', 'a')));
        expect(good(await store.tasks(['working'])).map((each) => each.task.id)).toEqual(['a']);
        for (const [event, state] of [
          [ready('r', 'a'), 'working'],
          [turn('r', 'a'), 'working'],
          [turned('r', 'a'), 'working'],
          [captured('r', 'a'), 'gating'],
          [judged('r', 'a'), 'queued'],
          [built('r', ['a']), 'landing'],
        ] as const) {
          good(await store.append(3, [event], 'r'));
          expect(good(await store.counts())).toEqual({ [state]: 1, open: 1 });
        }
        expect(good(await store.verdict('tree-a', 'gate'))).toEqual({ id: 'passed', ms: 5 });
        expect(good(await store.verdict('tree-a', 'another gate'))).toBeUndefined();
        good(await store.append(9, [landed('r', ['a'])], 'r'));
        expect(good(await store.counts())).toEqual({ landed: 1, ready: 1 });
        expect(good(await store.task('b'))).toMatchObject({ blockers: 0, readySince: 9 });
        expect(good(await store.run('r'))).toMatchObject({ starts: 1, landed: 1 });
      });

      it('hold a task whose parent comes later, or in the same breath', async () => {
        good(await store.append(1, [added('b', ['a']), added('a'), decided('a', 'skip')]));
        expect(good(await store.task('b'))).toMatchObject({ blockers: 0, readySince: 1 });
        good(await store.append(2, [added('d', ['c'])]));
        good(await store.append(3, [added('c'), decided('c', 'skip')]));
        expect(good(await store.task('d'))).toMatchObject({ blockers: 0, readySince: 3 });
      });

      it('follow a task that is given other parents', async () => {
        good(await store.append(1, [added('a'), added('b'), added('c', ['a'])]));
        good(await store.append(2, [{ type: 'task-changed', task: task('c', ['b']) }]));
        good(await store.append(3, [decided('a', 'skip')]));
        expect(good(await store.task('c'))?.blockers).toBe(1);
        good(await store.append(4, [decided('b', 'skip')]));
        expect(good(await store.task('c'))?.blockers).toBe(0);
        const both = [
          { type: 'task-changed', task: task('c', ['d']) } as const,
          added('d'),
          decided('d', 'skip'),
        ];
        good(await store.append(5, both));
        expect(good(await store.task('c'))?.blockers).toBe(0);
      });

      it('give tasks in order of arrival, by state, and none for no state', async () => {
        good(
          await store.append(1, [added('z'), added('y', ['z']), added('x'), decided('x', 'block')]),
        );
        const ids = async (states?: Parameters<Store['tasks']>[0]) =>
          good(await store.tasks(states)).map((each) => each.task.id);
        expect(await ids()).toEqual(['z', 'y', 'x']);
        expect(await ids(['blocked', 'ready'])).toEqual(['z', 'x']);
        expect(await ids(['landed'])).toEqual([]);
        expect(await ids([])).toEqual([]);
      });

      it('give runs newest first', async () => {
        good(await store.append(10, [started('one')]));
        good(await store.append(20, [started('two')]));
        good(await store.append(20, [started('three')]));
        expect(good(await store.runs(2)).map(({ id }) => id)).toEqual(['three', 'two']);
        expect(good(await store.runs(9))).toHaveLength(3);
      });

      it('count open tasks behind a stuck one as blocked, however far behind', async () => {
        good(
          await store.append(1, [
            added('a'),
            added('b', ['a']),
            added('c', ['b']),
            added('free'),
            added('waits', ['free']),
            decided('a', 'cancel'),
          ]),
        );
        expect(good(await store.counts())).toEqual({ cancelled: 1, blocked: 2, ready: 1, open: 1 });
        good(await store.append(2, [decided('b', 'skip')]));
        expect(good(await store.counts())).toEqual({ cancelled: 1, skipped: 1, ready: 2, open: 1 });
      });

      it('are found wanting by the audit when they are not what the log says', async () => {
        good(await store.append(1, [added('a'), added('b', ['a'])]));
        await world.spoil('b');
        const lines = good(await store.audit());
        expect(lines).toContain('task b: blockers is 7 in the table, 1 by the log');
        good(await store.append(2, [{ type: 'task-changed', task: task('b', ['a']) }]));
      });
    });

    describe('a claim', () => {
      beforeEach(async () => {
        good(await store.append(1, [added('a'), added('b', ['a']), started('r'), started('s')]));
      });

      it('stores that the attempt has started', async () => {
        const event = good(await store.claim(5, { ...wish('r', 'a'), slot: 2 }));
        expect(event).toMatchObject({ type: 'attempt-started', id: 'a', run: 'r', slot: 2, at: 5 });
        expect(good(await store.task('a'))).toMatchObject({
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
        const winner = good(won[0] as (typeof tries)[0]);
        for (const lost of tries.filter((each) => !each.ok)) {
          expect(trouble(lost)).toMatchObject({ kind: 'claim-lost', task: 'a' });
          expect(trouble(lost)).toMatchObject({ owner: 'run' in winner ? winner.run : '' });
        }
        expect(good(await store.events({ task: 'a' }))).toHaveLength(2);
      });

      it('is lost for a task that is unknown, waits, is stuck, done, in work or seen too late', async () => {
        const lost = async (id: string, attempt = 1) =>
          expect(trouble(await store.claim(5, wish('r', id, attempt))).kind).toBe('claim-lost');
        await lost('nobody');
        await lost('b');
        await lost('a', 2);
        good(await store.append(2, [decided('a', 'block')]));
        await lost('a');
        good(await store.append(2, [retried('a')]));
        good(await store.claim(3, wish('r', 'a')));
        await lost('a', 2);
        good(
          await store.append(4, [...worked('r', 'a'), built('r', ['a']), landed('r', ['a'])], 'r'),
        );
        await lost('a', 2);
        await lost('b', 0);
        expect(good(await store.lastSeq())).toBe(14);
      });

      it('is lost for a task whose work was returned and waits for its own agent', async () => {
        good(await store.claim(2, wish('r', 'a')));
        good(await store.append(3, worked('r', 'a').slice(0, 4), 'r'));
        const refused = {
          ...judged('r', 'a'),
          verdict: { id: 'failed', ms: 1, failure: { kind: 'other', message: 'red' } },
        };
        good(await store.append(3, [refused as ReturnType<typeof judged>], 'r'));
        expect(good(await store.tasks(['ready'])).map((each) => each.task.id)).toEqual(['a']);
        expect(trouble(await store.claim(9_999, wish('s', 'a', 2)))).toEqual({
          kind: 'claim-lost',
          task: 'a',
          owner: 'r',
        });
      });

      it('has a fence higher than any before, also after it was given back', async () => {
        const fences: number[] = [];
        for (const attempt of [1, 2]) {
          const event = good(await store.claim(5, wish('r', 'a', attempt)));
          if (event.type === 'attempt-started') fences.push(event.fence);
          good(await store.append(6, [failed('r', 'a', attempt)], 'r'));
        }
        good(await store.append(6, [added('other')]));
        const last = good(await store.claim(7, wish('s', 'other')));
        if (last.type === 'attempt-started') fences.push(last.fence);
        expect(fences).toEqual([...fences].sort((x, y) => x - y));
        expect(new Set(fences).size).toBe(3);
      });

      it('that was lost uses up nothing', async () => {
        good(await store.claim(5, wish('r', 'a')));
        const before = good(await store.task('a'));
        await store.claim(6, wish('s', 'a', 2));
        expect(good(await store.task('a'))).toEqual(before);
      });

      it('ends when its attempt fails, and another run may take the task', async () => {
        good(await store.claim(5, wish('r', 'a', 1, 9_999)));
        good(await store.append(6, [failed('r', 'a')], 'r'));
        expect(good(await store.claim(7, wish('s', 'a', 2)))).toMatchObject({ run: 's' });
      });
    });

    describe('a fence', () => {
      const late = [ready('r', 'a'), failed('r', 'a'), landed('r', ['a'])];

      beforeEach(async () => {
        good(await store.append(1, [added('a'), added('b'), started('r'), started('s')]));
        good(await store.claim(2, wish('r', 'a')));
        good(await store.append(3, [failed('r', 'a')], 'r'));
        good(await store.claim(4, wish('s', 'a', 2)));
      });

      it('keeps out every late word of the run that held the task before', async () => {
        const before = good(await store.lastSeq());
        for (const event of late) {
          const fenced = { kind: 'fenced', task: 'a', owner: 's' };
          expect(trouble(await store.append(5, [event], 'r'))).toEqual(fenced);
        }
        const refused = { ...failed('r', 'a'), type: 'coupling-refused' } as const;
        expect(trouble(await store.append(5, [refused as (typeof late)[0]], 'r')).kind).toBe(
          'fenced',
        );
        expect(good(await store.lastSeq())).toBe(before);
      });

      it('keeps out nothing of the run that holds the task, or of a person', async () => {
        good(await store.append(5, [ready('s', 'a', 2)], 's'));
        good(await store.append(6, [decided('a', 'cancel')], 'r'));
        good(await store.append(7, [failed('s', 'a', 2)]));
      });

      it('keeps out an earlier attempt of the same run', async () => {
        good(await store.append(5, [failed('s', 'a', 2)], 's'));
        good(await store.claim(6, wish('s', 'a', 3)));
        expect(trouble(await store.append(7, [ready('s', 'a', 2)], 's')).kind).toBe('fenced');
        good(await store.append(7, [ready('s', 'a', 3)], 's'));
      });

      it('keeps out a landing as a whole when one of its cars is not the run’s', async () => {
        good(await store.claim(5, wish('r', 'b')));
        const before = good(await store.lastSeq());
        expect(trouble(await store.append(6, [landed('r', ['b', 'a'])], 'r')).kind).toBe('fenced');
        expect(good(await store.lastSeq())).toBe(before);
        expect(good(await store.task('b'))?.standing.id).toBe('open');
      });

      it('undoes what came before it in the same call', async () => {
        const before = good(await store.lastSeq());
        const call = [added('new'), decided('b', 'block'), started('t'), ready('r', 'a')];
        expect(trouble(await store.append(5, call, 'r')).kind).toBe('fenced');
        expect(good(await store.lastSeq())).toBe(before);
        expect(good(await store.task('new'))).toBeUndefined();
        expect(good(await store.task('b'))?.standing.id).toBe('open');
        expect(good(await store.run('t'))).toBeUndefined();
      });

      it('does not let a late failure of an old attempt give back the claim of the new one', async () => {
        good(await store.append(5, [failed('r', 'a', 1)]));
        expect(trouble(await store.append(6, [ready('r', 'a', 2)], 'r')).kind).toBe('fenced');
        good(await store.append(6, [ready('s', 'a', 2)], 's'));
      });
    });

    describe('a lease', () => {
      it('can be prolonged and is never shortened', async () => {
        good(await store.append(1, [added('a'), started('r')]));
        good(await store.claim(2, wish('r', 'a', 1, 100)));
        good(await store.renew('r', 500));
        good(await store.renew('r', 50));
        good(await store.renew('nobody', 9_999));
        expect(trouble(await store.claim(400, wish('s', 'a', 2))).kind).toBe('claim-lost');
      });

      it('that has run out does not make a task free while its attempt is under way', async () => {
        good(await store.append(1, [added('a'), started('r')]));
        good(await store.claim(2, wish('r', 'a', 1, 100)));
        expect(trouble(await store.claim(101, wish('s', 'a', 2)))).toMatchObject({ owner: 'r' });
        good(await store.append(102, [failed('r', 'a')], 'r'));
        good(await store.claim(103, wish('s', 'a', 2)));
      });
    });

    describe('a lock', () => {
      it('has one holder', async () => {
        expect(good(await store.holder('run'))).toBeUndefined();
        expect(good(await store.lock('run', owner(1)))).toBeUndefined();
        expect(good(await store.holder('run'))).toEqual(owner(1));
        expect(good(await store.lock('run', owner(2)))).toEqual(owner(1));
        expect(good(await store.lock('other', owner(2)))).toBeUndefined();
      });

      it('may be taken again by its holder', async () => {
        good(await store.lock('run', owner(1)));
        expect(good(await store.lock('run', owner(1)))).toBeUndefined();
      });

      it('may be taken from the one that is known to be dead, and by one only', async () => {
        good(await store.lock('run', owner(1)));
        expect(good(await store.lock('run', owner(2), owner(3)))).toEqual(owner(1));
        expect(good(await store.lock('run', owner(2), owner(1)))).toBeUndefined();
        expect(good(await store.lock('run', owner(4), owner(1)))).toEqual(owner(2));
      });

      it('is told apart by more than the pid', async () => {
        good(await store.lock('run', owner(1)));
        const reused = { ...owner(1), startedAt: 'later' };
        expect(good(await store.lock('run', reused))).toEqual(owner(1));
        expect(good(await store.unlock('run', reused))).toBeUndefined();
        expect(good(await store.holder('run'))).toEqual(owner(1));
      });

      it('is free after its holder opened it', async () => {
        good(await store.lock('run', owner(1)));
        good(await store.unlock('run', owner(1)));
        good(await store.unlock('run', owner(1)));
        expect(good(await store.lock('run', owner(2)))).toBeUndefined();
      });
    });

    it('answers with a failure after it was closed', async () => {
      const other = await world.open();
      const same = other === store;
      await other.close();
      await other.close();
      expect(trouble(await other.append(1, [added('a')])).kind).toBe('store-failed');
      expect(trouble(await other.tasks()).kind).toBe('store-failed');
      if (same) {
        await world.end();
        world = await begin();
        store = await world.open();
      }
    });
  });
}
