// Conformance suite for stores.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Actor } from '../../src/model/actor.ts';
import type { Store } from '../../src/port/store.ts';
import {
  added,
  built,
  captured,
  decided,
  judged,
  landed,
  ready,
  started,
  task,
  trouble,
  turn,
  turned,
  wish,
  worked,
} from '../record/life.ts';
import { need } from '../rig/need.ts';
import { until } from '../rig/until.ts';
import { describeClaims } from './store-claims.ts';
import { describeHistory } from './store-history.ts';
import { describeStatus } from './store-status.ts';

export interface StoreWorld {
  /** A way into the one store of this world; another call is another way into the same one. */
  open(): Promise<Store>;
  /** A way into it on behalf of a person. */
  openAs(actor: Actor): Promise<Store>;
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
      const differences = await store.audit();
      await world.end();
      expect(need(differences)).toEqual([]);
    });

    describe('the log', () => {
      it('is empty at first', async () => {
        expect(need(await store.lastSeq())).toBe(0);
        expect(need(await store.events({}))).toEqual([]);
        expect(need(await store.tasks())).toEqual([]);
        expect(need(await store.status()).counts).toEqual({});
        expect(need(await store.runs(5))).toEqual([]);
        expect(need(await store.task('a'))).toBeUndefined();
        expect(need(await store.run('r'))).toBeUndefined();
        expect(need(await store.verdict('t', 'g'))).toBeUndefined();
      });

      it('numbers events from 1 in the order in which they came', async () => {
        const first = need(await store.append(10, [added('a'), added('b')]));
        const second = need(await store.append(20, [added('c')]));
        expect([...first, ...second].map(({ seq, at }) => [seq, at])).toEqual([
          [1, 10],
          [2, 10],
          [3, 20],
        ]);
        expect(need(await store.events({}))).toEqual([...first, ...second]);
        expect(need(await store.lastSeq())).toBe(3);
        expect(need(await store.ids('tasks'))).toEqual(['a', 'b', 'c']);
      });

      it('has the person who caused an event, and none for what a run does', async () => {
        const ada: Actor = { name: 'Ada', through: 'ui' };
        const signed = await world.openAs(ada);
        need(await signed.append(10, [added('a')]));
        need(await signed.append(20, [added('b')], 'r'));
        const events = need(await store.events({}));
        expect(events.map(({ actor }) => actor)).toEqual([ada, undefined]);
        expect(need(await store.steps('a'))).toMatchObject([{ actor: ada }]);
      });

      it('keeps the order of calls that were not waited for', async () => {
        const ids = Array.from({ length: 30 }, (_, index) => `t${index}`);
        const all = await Promise.all(ids.map((id) => store.append(1, [added(id)])));
        expect(all.map((each) => need(each)[0]?.seq)).toEqual(ids.map((_, index) => index + 1));
        expect(need(await store.ids('tasks'))).toEqual(ids);
      });

      it('shows what one way in wrote through another', async () => {
        const other = await world.open();
        need(await store.append(1, [added('a')]));
        need(await other.append(2, [added('b', ['a'])]));
        expect(need(await store.ids('tasks'))).toEqual(['a', 'b']);
        expect(need(await other.task('b'))?.blockers).toBe(1);
        await until(async () => need(await store.lastSeq()) === 2, 'both events');
      });

      it('gives the events after a number, of a run, and no more than asked for', async () => {
        need(await store.append(1, [added('a'), added('b'), started('r')]));
        need(await store.claim(2, wish('r', 'a')));
        need(await store.append(3, worked('r', 'a'), 'r'));
        need(await store.append(4, [built('r', ['a']), landed('r', ['a'])], 'r'));
        const types = async (filter: Parameters<Store['events']>[0]) =>
          need(await store.events(filter)).map(({ type }) => type);
        expect(await types({ after: 9 })).toEqual(['candidate-built', 'landed']);
        expect(await types({ after: 11 })).toEqual([]);
        expect(await types({ run: 'r', limit: 3 })).toEqual([
          'run-started',
          'attempt-started',
          'worktree-ready',
        ]);
        expect(await types({ run: 'r', after: 4, limit: 1 })).toEqual(['worktree-ready']);
        expect(await types({ run: 'other' })).toEqual([]);
      });

      it('gives a log that is longer than one page whole', async () => {
        const many = Array.from({ length: 2_345 }, (_, index) => added(`t${index}`));
        need(await store.append(1, many));
        const events = need(await store.events({ after: 5 }));
        expect(events.map(({ seq }) => seq)).toEqual(many.map((_, index) => index + 1).slice(5));
        expect(need(await store.events({ after: 5, limit: 1_000 })).at(-1)?.seq).toBe(1_005);
      });
    });

    describe('the tables', () => {
      it('follow a task from its arrival to its landing', async () => {
        need(await store.append(1, [added('a'), added('b', ['a']), started('r')]));
        expect(need(await store.status()).counts).toEqual({ ready: 1, open: 1 });
        expect(need(await store.live())).toEqual([]);
        need(await store.claim(2, wish('r', 'a')));
        expect(need(await store.tasks(['working'])).map((each) => each.task.id)).toEqual(['a']);
        expect(need(await store.live())).toEqual([need(await store.task('a'))]);
        for (const [event, state] of [
          [ready('r', 'a'), 'working'],
          [turn('r', 'a'), 'working'],
          [turned('r', 'a'), 'working'],
          [captured('r', 'a'), 'gating'],
          [judged('r', 'a'), 'queued'],
          [built('r', ['a']), 'landing'],
        ] as const) {
          need(await store.append(3, [event], 'r'));
          expect(need(await store.status()).counts).toEqual({ [state]: 1, open: 1 });
        }
        expect(need(await store.verdict('tree-a', 'gate'))).toEqual({ id: 'passed', ms: 5 });
        expect(need(await store.verdict('tree-a', 'another gate'))).toBeUndefined();
        need(await store.append(9, [landed('r', ['a'])], 'r'));
        expect(need(await store.live())).toEqual([]);
        expect(need(await store.status()).counts).toEqual({ landed: 1, ready: 1 });
        expect(need(await store.task('b'))).toMatchObject({ blockers: 0, readySince: 9 });
        expect(need(await store.run('r'))).toMatchObject({
          spent: { starts: 1 },
          train: { landed: 1 },
        });
      });

      it('hold a task whose parent comes later, or in the same breath', async () => {
        need(await store.append(1, [added('b', ['a']), added('a'), decided('a', 'skip')]));
        expect(need(await store.task('b'))).toMatchObject({ blockers: 0, readySince: 1 });
        need(await store.append(2, [added('d', ['c'])]));
        need(await store.append(3, [added('c'), decided('c', 'skip')]));
        expect(need(await store.task('d'))).toMatchObject({ blockers: 0, readySince: 3 });
      });

      it('follow a task that is given other parents', async () => {
        need(await store.append(1, [added('a'), added('b'), added('c', ['a'])]));
        need(await store.append(2, [{ type: 'task-changed', task: task('c', ['b']) }]));
        need(await store.append(3, [decided('a', 'skip')]));
        expect(need(await store.task('c'))?.blockers).toBe(1);
        need(await store.append(4, [decided('b', 'skip')]));
        expect(need(await store.task('c'))?.blockers).toBe(0);
        const both = [
          { type: 'task-changed', task: task('c', ['d']) } as const,
          added('d'),
          decided('d', 'skip'),
        ];
        need(await store.append(5, both));
        expect(need(await store.task('c'))?.blockers).toBe(0);
        need(await store.append(6, [added('e'), added('f'), added('g', ['e'])]));
        const away = { type: 'task-changed', task: task('g', ['f']) } as const;
        need(await store.append(7, [away, decided('e', 'skip')]));
        expect(need(await store.task('g'))?.blockers).toBe(1);
      });

      it('give tasks in order of arrival, by state, and none for no state', async () => {
        need(
          await store.append(1, [added('z'), added('y', ['z']), added('x'), decided('x', 'block')]),
        );
        const ids = async (states?: Parameters<Store['tasks']>[0]) =>
          need(await store.tasks(states)).map((each) => each.task.id);
        expect(await ids()).toEqual(['z', 'y', 'x']);
        expect(await ids(['blocked', 'ready'])).toEqual(['z', 'x']);
        expect(await ids(['landed'])).toEqual([]);
        expect(await ids([])).toEqual([]);
      });

      it('give runs newest first', async () => {
        need(await store.append(10, [started('one')]));
        need(await store.append(20, [started('two')]));
        need(await store.append(20, [started('three')]));
        expect(need(await store.runs(2)).map(({ id }) => id)).toEqual(['three', 'two']);
        expect(need(await store.runs(9))).toHaveLength(3);
      });

      it('count open tasks behind a stuck one as blocked, however far behind', async () => {
        need(
          await store.append(1, [
            added('a'),
            added('b', ['a']),
            added('c', ['b']),
            added('free'),
            added('waits', ['free']),
            decided('a', 'cancel'),
          ]),
        );
        expect(need(await store.status()).counts).toEqual({
          canceled: 1,
          blocked: 2,
          ready: 1,
          open: 1,
        });
        need(await store.append(2, [decided('b', 'skip')]));
        expect(need(await store.status()).counts).toEqual({
          canceled: 1,
          skipped: 1,
          ready: 2,
          open: 1,
        });
      });

      it('tell when checks said two things of one tree, oldest first, from a time on', async () => {
        const flaked = (command: string) =>
          ({ type: 'check-flaked', run: 'r', command, tree: 't', log: 'l' }) as const;
        expect(need(await store.flakes(0))).toEqual([]);
        need(await store.append(10, [started('r'), flaked('lint'), added('a')]));
        need(await store.append(30, [flaked('test')]));
        // Clocks are set back now and then.
        need(await store.append(20, [flaked('test'), started('other')]));
        const all = [
          { command: 'lint', at: 10, seq: 2 },
          { command: 'test', at: 20, seq: 5 },
          { command: 'test', at: 30, seq: 4 },
        ];
        expect(need(await store.flakes(0))).toEqual(all);
        expect(need(await store.flakes(20))).toEqual(all.slice(1));
        expect(need(await store.flakes(31))).toEqual([]);
      });

      it('return the notes as they are, and as they were at a time', async () => {
        const origin = { by: 'person' } as const;
        const note = (text: string) =>
          ({
            type: 'note-added',
            kind: 'decision',
            text,
            labels: ['x'],
            paths: [],
            origin,
          }) as const;
        expect(need(await store.notes())).toEqual([]);
        const [first] = need(await store.append(10, [note('one'), added('a')]));
        const seq = first?.seq ?? 0;
        need(await store.append(20, [{ ...note('two'), supersedes: seq }]));
        need(await store.append(30, [{ type: 'note-removed', note: seq + 2, origin }]));
        const notes = need(await store.notes());
        expect(notes.map(({ text, state }) => [text, state.id])).toEqual([
          ['one', 'superseded'],
          ['two', 'removed'],
        ]);
        expect(notes[0]).toMatchObject({ number: 1, seq, at: 10, labels: ['x'], origin });
        const before = need(await store.notes(10));
        expect(before.map(({ text, state }) => [text, state.id])).toEqual([['one', 'current']]);
      });

      it('follow work that is handed over, and what waits for whoever takes it', async () => {
        const hand = (how: 'pr' | 'stack', id: string, candidate: string) =>
          ({
            type: 'delivered',
            run: 'r',
            candidate,
            how,
            entries: [{ id, attempt: 1, commit: `commit-${id}` }],
            branch: `yard/${id}`,
            url: `https://example.com/${id}`,
          }) as const;
        const ids = ['a', 'b'];
        const children = [added('c', ['a']), added('d', ['b']), added('e', ['c'])];
        need(await store.append(1, [...ids.map((id) => added(id)), ...children, started('r')]));
        for (const id of ids) need(await store.claim(2, wish('r', id)));
        for (const id of ids) need(await store.append(3, worked('r', id), 'r'));
        need(await store.append(4, [built('r', ['a']), hand('pr', 'a', 'c1')], 'r'));
        expect(need(await store.task('a'))?.status).toEqual({
          id: 'delivered',
          how: 'pr',
          branch: 'yard/a',
          commit: 'commit-a',
          url: 'https://example.com/a',
        });
        expect(need(await store.status()).counts).toEqual({
          delivered: 1,
          queued: 1,
          blocked: 2,
          open: 1,
        });
        need(await store.append(5, [built('r', ['b']), hand('stack', 'b', 'c1')], 'r'));
        expect(need(await store.status()).counts).toEqual({ delivered: 2, blocked: 2, ready: 1 });
        expect(need(await store.tasks(['delivered'])).map(({ task: { id } }) => id)).toEqual(ids);
      });

      it('count what waits behind a question as open: it goes on after the answer', async () => {
        need(await store.append(1, [added('a'), added('b', ['a']), started('r')]));
        need(await store.claim(2, wish('r', 'a')));
        const asked = { ok: true, tail: '', signal: { id: 'ask', question: 'Which?' } } as const;
        const ended = { type: 'turn-ended', run: 'r', id: 'a', attempt: 1, turn: 1 } as const;
        need(await store.append(3, [ready('r', 'a'), turn('r', 'a'), { ...ended, result: asked }]));
        expect(need(await store.status()).counts).toEqual({ blocked: 1, open: 1 });
      });

      it('are found wanting by the audit when they are not what the log says', async () => {
        need(await store.append(1, [added('a'), added('b', ['a'])]));
        await world.spoil('b');
        const lines = need(await store.audit());
        expect(lines).toContain('task b: differs from the log');
        need(await store.append(2, [{ type: 'task-changed', task: task('b', ['a']) }]));
      });
    });

    describeClaims(() => ({ world, store }));
    describeHistory(() => ({ world, store }));
    describeStatus(() => store);

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
