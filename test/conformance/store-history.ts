// History that a store keeps: attempts, steps of tasks, and numbers of runs.

import { beforeEach, describe, expect, it } from 'vitest';
import type { EventBody } from '../../src/model/event.ts';
import type { AttemptFilter, Store } from '../../src/port/store.ts';
import {
  added,
  built,
  decided,
  failed,
  judged,
  landed,
  ready,
  red,
  started,
  task,
  trouble,
  turn,
  turned,
  wish,
  worked,
} from '../record/life.ts';
import { need } from '../rig/need.ts';
import type { StoreWorld } from './store.ts';

const flaked = (run: string, command: string): EventBody => ({
  type: 'check-flaked',
  run,
  command,
  tree: 't',
  log: 'l',
});

export function describeHistory(
  now: () => { readonly world: StoreWorld; readonly store: Store },
): void {
  let world: StoreWorld;
  let store: Store;
  beforeEach(() => {
    ({ world, store } = now());
  });
  const attempts = async (filter: AttemptFilter) =>
    need(await store.attempts(filter)).map(({ task: id, number }) => `${id}-${number}`);
  const steps = async (id: string) => need(await store.steps(id)).map(({ what }) => what.type);

  describe('the history', () => {
    it('is empty at first', async () => {
      for (const filter of [{}, { run: 'r' }, { task: 'a' }, { live: true }] as const) {
        expect(await attempts(filter)).toEqual([]);
      }
      expect(need(await store.steps('a'))).toEqual([]);
      expect(need(await store.runHistory('r'))).toBeUndefined();
    });

    it('gives attempts in order of their start: all, of a run, of a task, and live ones', async () => {
      need(await store.append(1, [added('z'), added('a'), started('r'), started('s')]));
      need(await store.claim(2, wish('r', 'z')));
      need(await store.claim(3, wish('s', 'a')));
      need(await store.append(4, [failed('r', 'z')], 'r'));
      need(await store.claim(5, wish('s', 'z', 2)));
      expect(await attempts({})).toEqual(['z-1', 'a-1', 'z-2']);
      expect(await attempts({ run: 'r' })).toEqual(['z-1']);
      expect(await attempts({ run: 's' })).toEqual(['a-1', 'z-2']);
      expect(await attempts({ task: 'z' })).toEqual(['z-1', 'z-2']);
      expect(await attempts({ live: true })).toEqual(['a-1', 'z-2']);
      expect(await attempts({ newest: 2 })).toEqual(['a-1', 'z-2']);
      expect(await attempts({ newest: 9 })).toEqual(['z-1', 'a-1', 'z-2']);
      const other = await world.open();
      expect(need(await other.attempts({}))).toEqual(need(await store.attempts({})));
    });

    it('counts an attempt as live until it has ended', async () => {
      need(
        await store.append(
          1,
          ['a', 'b', 'c'].map((id) => added(id)),
        ),
      );
      need(await store.append(1, [started('r')]));
      for (const id of ['a', 'b', 'c']) need(await store.claim(2, wish('r', id)));
      need(await store.append(3, [...worked('r', 'a'), built('r', ['a'])], 'r'));
      const of = { run: 'r', id: 'b', attempt: 1 };
      need(await store.append(4, [{ ...of, type: 'attempt-given-up', failure: red }], 'r'));
      expect(await attempts({ live: true })).toEqual(['a-1', 'b-1', 'c-1']);
      const planned = { ...of, id: 'c', type: 'work-planned', filed: [] } as const;
      need(await store.append(5, [landed('r', ['a']), failed('r', 'b'), planned], 'r'));
      expect(await attempts({ live: true })).toEqual([]);
      expect(need(await store.attempts({})).map(({ end }) => end.id)).toEqual([
        'landed',
        'failed',
        'planned',
      ]);
    });

    it('gives an attempt to every run that drove it', async () => {
      need(await store.append(1, [added('a'), started('r'), started('s')]));
      need(await store.claim(2, wish('r', 'a', 1, 100)));
      need(await store.append(3, [ready('r', 'a'), turn('r', 'a'), turned('r', 'a')], 'r'));
      const adoption = { run: 's', id: 'a', attempt: 1, from: 'r', slot: 2, leaseUntil: 900 };
      need(await store.adopt(101, adoption));
      need(await store.append(102, [turn('s', 'a', 2, 1, 2)], 's'));
      expect(await attempts({ run: 'r' })).toEqual(['a-1']);
      expect(await attempts({ run: 's' })).toEqual(['a-1']);
      expect(need(await store.attempts({ task: 'a' }))).toMatchObject([
        { runs: ['r', 's'], slot: 2, turns: [{ run: 'r' }, { run: 's' }] },
      ]);
    });

    it('knows the run of an attempt also if much of it comes in one call', async () => {
      const claimed = { ...wish('r', 'a'), fence: 1, type: 'attempt-started' } as const;
      const all = [added('a'), started('r'), claimed, ready('r', 'a'), turn('r', 'a')];
      need(await store.append(1, all));
      expect(await attempts({ run: 'r' })).toEqual(['a-1']);
      expect(await attempts({ live: true })).toEqual(['a-1']);
      need(await store.append(2, [failed('r', 'a')]));
    });

    it('tells the steps of a task, oldest first, and of no other', async () => {
      need(await store.append(1, [added('a'), added('b'), started('r')]));
      need(await store.claim(2, wish('r', 'a')));
      need(await store.append(3, worked('r', 'a'), 'r'));
      need(await store.append(4, [built('r', ['a']), landed('r', ['a'])], 'r'));
      need(
        await store.append(5, [{ type: 'task-changed', task: task('b') }, decided('b', 'skip')]),
      );
      expect(await steps('a')).toEqual([
        'added',
        'attempt-started',
        'worktree-ready',
        'turn-started',
        'turn-ended',
        'work-captured',
        'branch-judged',
        'candidate-built',
        'landed',
      ]);
      expect(need(await store.steps('b'))).toEqual([
        { at: 1, what: { type: 'added' } },
        { at: 5, what: { type: 'changed' } },
        { at: 5, what: { type: 'decided', decision: { kind: 'skip', reason: 'because' } } },
      ]);
      expect(await steps('nobody')).toEqual([]);
    });

    it('counts what happened in a run besides its attempts', async () => {
      need(await store.append(1, [added('a'), started('r'), started('s')]));
      need(await store.claim(2, wish('r', 'a')));
      need(await store.append(3, [...worked('r', 'a'), flaked('r', 'test')], 'r'));
      need(await store.append(4, [flaked('r', 'test'), flaked('s', 'lint')]));
      need(await store.append(5, [{ ...judged('r', 'a'), cached: true } as EventBody], 'r'));
      expect(need(await store.runHistory('r'))).toMatchObject({
        run: 'r',
        changedAt: 5,
        gates: { branch: { passed: 2, cached: 1, ms: 5 }, candidate: { passed: 0 } },
        flakes: { test: 2 },
      });
      expect(need(await store.runHistory('s'))).toMatchObject({ flakes: { lint: 1 } });
      expect(need(await store.runHistory('nobody'))).toBeUndefined();
    });

    it('keeps nothing of a call that was refused', async () => {
      need(await store.append(1, [added('a'), started('r'), started('s')]));
      need(await store.claim(2, wish('s', 'a')));
      const look = async () => [
        need(await store.attempts({})),
        need(await store.steps('a')),
        need(await store.runHistory('r')),
      ];
      const before = await look();
      const call = [decided('a', 'skip'), flaked('r', 'test'), ready('r', 'a')];
      expect(trouble(await store.append(3, call, 'r')).kind).toBe('fenced');
      expect(await look()).toEqual(before);
    });
  });
}
