// The short status of a store, and the ids that a shell completes.

import { beforeEach, describe, expect, it } from 'vitest';
import type { EventBody } from '../../src/model/event.ts';
import type { Task } from '../../src/model/task.ts';
import type { Store } from '../../src/port/store.ts';
import { added, decided, ready, started, turn, wish, worked } from '../record/life.ts';
import { need } from '../rig/need.ts';

function add(id: string, given: Partial<Task>): EventBody {
  const event = added(id) as Extract<EventBody, { type: 'task-added' }>;
  return { ...event, task: { ...event.task, ...given } };
}

/** Runs for every store, also for one that can only read what `store` wrote. */
export function describeStatus(
  now: () => Store,
  reader: () => Pick<Store, 'status' | 'ids'> = now,
): void {
  let store: Store;
  beforeEach(() => {
    store = now();
  });

  describe('the ids', () => {
    it('are those of tasks in order of arrival, and of runs with the newest first', async () => {
      expect(need(await reader().ids('tasks'))).toEqual([]);
      need(await store.append(1, [added('b'), added('a'), started('first')]));
      need(await store.append(2, [started('second')]));
      expect(need(await reader().ids('tasks'))).toEqual(['b', 'a']);
      expect(need(await reader().ids('runs'))).toEqual(['second', 'first']);
      expect(need(await reader().ids('tasks', 1))).toEqual(['b']);
      expect(need(await reader().ids('runs', 1))).toEqual(['second']);
    });
  });

  describe('a run', () => {
    it('has the time of its newest event until it has ended', async () => {
      need(await store.append(1, [added('a'), started('r'), started('other')]));
      need(await store.claim(2, wish('r', 'a')));
      need(await store.append(5, [ready('r', 'a')], 'r'));
      need(await store.append(8, [added('b'), decided('b', 'block')]));
      const times = async () =>
        [
          need(await store.run('r')),
          need(await store.runs(9)).find(({ id }) => id === 'r'),
          need(await reader().status((runs) => runs.find(({ id }) => id === 'r'))).run,
        ].map((run) => run?.lastEventAt);
      expect(await times()).toEqual([5, 5, 5]);
      need(await store.append(9, [{ type: 'run-ended', run: 'r', stop: { reason: 'drained' } }]));
      expect((await times()).slice(0, 2)).toEqual([undefined, undefined]);
    });
  });

  describe('the short status', () => {
    it('is empty at first', async () => {
      expect(need(await reader().status())).toEqual({
        counts: {},
        blocked: [],
        outside: 0,
        activeOutside: [],
        run: undefined,
        active: [],
        troubled: [],
        lastSeq: 0,
      });
    });

    it('contains active and troubled tasks, the newest run and the counts', async () => {
      const ids = Array.from({ length: 25 }, (_, index) => `stuck${index}`);
      need(await store.append(1, [...['a', 'b', 'c'].map((id) => added(id)), started('old')]));
      need(await store.append(2, [started('r'), ...ids.map((id) => added(id))]));
      const behind = added('behind', ['stuck3']);
      need(await store.append(2, [behind, ...ids.map((id) => decided(id, 'block'))]));
      need(await store.append(2, [decided('c', 'cancel')]));
      for (const id of ['a', 'b']) need(await store.claim(3, wish('r', id)));
      need(await store.append(4, worked('r', 'b').slice(0, 4), 'r'));
      const returned = {
        type: 'branch-judged',
        run: 'r',
        id: 'b',
        attempt: 1,
        tree: 'tree-b',
        gate: 'gate',
        verdict: { id: 'failed', ms: 1, failure: { kind: 'other', message: 'red' } },
        cached: false,
      } as const;
      need(await store.append(5, [returned], 'r'));
      const status = need(await reader().status());
      expect(status.counts).toEqual({ working: 1, ready: 1, canceled: 1, blocked: 26 });
      expect(status.blocked).toEqual([
        ['blocked-by-person', 25],
        ['parent-stuck', 1],
      ]);
      expect(status.run).toEqual(need(await store.run('r')));
      expect(status.active).toEqual(need(await store.live()));
      expect(status.active.map((each) => each.task.id)).toEqual(['a', 'b']);
      expect(status.troubled.map((each) => each.task.id)).toEqual(ids.slice(0, 20));
      expect(status.lastSeq).toBe(need(await store.lastSeq()));
    });

    it('counts a task that waits for an answer by its question', async () => {
      need(await store.append(1, [added('a'), added('b', ['a']), started('r')]));
      need(await store.claim(2, wish('r', 'a')));
      const signal = { id: 'ask', question: 'Which?' } as const;
      const ended = { type: 'turn-ended', run: 'r', id: 'a', attempt: 1, turn: 1 } as const;
      const asked = { ...ended, result: { ok: true, tail: '', signal } } as const;
      need(await store.append(3, [ready('r', 'a'), turn('r', 'a'), asked], 'r'));
      expect(need(await reader().status())).toMatchObject({
        counts: { blocked: 1, open: 1 },
        blocked: [['question-open', 1]],
      });
    });

    it('offers the newest run and all active ones to the function that chooses', async () => {
      const ended = (run: string): EventBody => ({
        type: 'run-ended',
        run,
        stop: { reason: 'drained' },
      });
      need(await store.append(1, [added('a'), started('first'), started('second')]));
      need(await store.append(2, [ended('second'), started('third'), ended('third')]));
      need(await store.claim(3, wish('first', 'a')));
      const offered: string[] = [];
      const status = need(
        await reader().status((runs, active) => {
          offered.push(...runs.map(({ id }) => id), ...active.map(({ task }) => task.id));
          return runs.at(-1);
        }),
      );
      expect(offered).toEqual(['third', 'first', 'a']);
      expect(status.run?.id).toBe('first');
    });

    it('counts the named tasks of a run, and the number of the others', async () => {
      const run = started('r') as Extract<EventBody, { type: 'run-started' }>;
      const settings = {
        ...run.settings,
        scope: { kind: 'only', tasks: ['a', 'c', 'e'] },
      } as const;
      const tasks = [added('a'), added('b'), added('c', ['b']), added('d'), added('e')];
      need(await store.append(1, [...tasks, { ...run, settings }]));
      expect(need(await reader().status())).toMatchObject({
        counts: { ready: 2, open: 1 },
        outside: 2,
      });
      need(await store.append(2, [added('f'), decided('f', 'cancel')]));
      expect(need(await reader().status())).toMatchObject({ outside: 2 });
      need(await store.append(2, [decided('b', 'block'), decided('e', 'block')]));
      expect(need(await reader().status())).toMatchObject({
        counts: { ready: 1, blocked: 2 },
        blocked: [
          ['blocked-by-person', 1],
          ['parent-stuck', 1],
        ],
        outside: 2,
      });
    });

    it.each([
      [{ kind: 'only', tasks: ['big'] }, { working: 1, ready: 1 }, 2],
      [{ kind: 'epics', epics: ['big'] }, { working: 1, ready: 1 }, 2],
      [{ kind: 'ready', labels: ['ui'] }, { working: 1, ready: 2 }, 1],
      [{ kind: 'ready', types: ['bug'] }, { ready: 1 }, 3],
      [{ kind: 'only', tasks: ['big', 'x'], except: ['c2'] }, { working: 1, ready: 1 }, 2],
      [{ kind: 'ready', except: ['big'] }, { ready: 2 }, 2],
      [{ kind: 'ready', except: ['c1', 'y'] }, { ready: 2 }, 2],
      [{ kind: 'ready', except: ['gone'] }, { working: 1, ready: 3 }, 0],
      [{ kind: 'ready' }, { working: 1, ready: 3 }, 0],
    ] as const)(
      'counts the tasks that a run with the scope %j works on',
      async (scope, counts, outside) => {
        const run = started('r') as Extract<EventBody, { type: 'run-started' }>;
        const tasks = [
          add('c1', { parent: 'big' }),
          add('c2', { parent: 'big' }),
          add('big', { type: 'epic', labels: ['ui'], after: ['c1', 'c2'] }),
          add('x', { labels: ['ui'] }),
          add('y', { type: 'bug' }),
        ];
        need(await store.append(1, [...tasks, { ...run, settings: { ...run.settings, scope } }]));
        need(await store.claim(2, wish('r', 'c1')));
        const variant = add('c1-v1', { variantOf: 'c1', title: 'Another try' });
        need(await store.append(3, [variant]));
        const status = need(await reader().status());
        expect([status.counts, status.outside]).toEqual([counts, outside]);
        // The claimed task is either counted as the working one, or named.
        const named = 'working' in counts ? [] : ['c1'];
        expect(status.activeOutside).toEqual(named);
      },
    );

    it('counts the tasks of epics, and no epic, whatever its state', async () => {
      const tasks = [
        add('a', { parent: 'held-up' }),
        add('b', { parent: 'stopped' }),
        add('c', { parent: 'finished' }),
        add('held-up', { type: 'epic', after: ['a'] }),
        add('stopped', { type: 'epic', after: ['b'] }),
        add('finished', { type: 'epic', after: ['c'] }),
        add('d', { after: ['held-up'], title: 'says "type":"epic"' }),
      ];
      need(await store.append(1, tasks));
      expect(need(await reader().status()).counts).toEqual({ ready: 3, open: 1 });
      const skipped = { type: 'task-decided', id: 'c', decision: { kind: 'skip', reason: 'x' } };
      const ended = [decided('a', 'block'), decided('stopped', 'block'), skipped as EventBody];
      need(await store.append(2, ended));
      const status = need(await reader().status());
      expect(status.counts).toEqual({ blocked: 2, ready: 1, skipped: 1 });
      expect(status.blocked).toEqual([
        ['blocked-by-person', 1],
        ['parent-stuck', 1],
      ]);
      // A person blocked the epic, so it is listed.
      expect(status.troubled.map(({ task }) => task.id)).toEqual(['a', 'stopped']);
    });

    it('counts no excepted task that is blocked, and none that waits for it', async () => {
      const run = started('r') as Extract<EventBody, { type: 'run-started' }>;
      const scope = { kind: 'ready', except: ['a', 'behind-a'] } as const;
      const tasks = [added('a'), added('b'), added('c')];
      const behind = [added('behind-a', ['a']), added('behind-b', ['b']), added('also', ['a'])];
      const settings = { ...run.settings, scope };
      need(await store.append(1, [...tasks, ...behind, { ...run, settings }]));
      need(await store.append(2, [decided('a', 'block'), decided('b', 'block')]));
      expect(need(await reader().status())).toMatchObject({
        counts: { ready: 1, blocked: 3 },
        blocked: [
          ['blocked-by-person', 1],
          ['parent-stuck', 2],
        ],
        outside: 2,
      });
    });

    it('counts tasks behind an epic that a person blocked, and lists the epic', async () => {
      const epic = add('big', { type: 'epic', after: ['a'] });
      need(await store.append(1, [added('a'), epic, added('b', ['big']), decided('big', 'block')]));
      const status = need(await reader().status());
      expect(status.counts).toEqual({ ready: 1, blocked: 1 });
      expect(status.blocked).toEqual([['parent-stuck', 1]]);
      expect(status.troubled.map(({ task }) => task.id)).toEqual(['big']);
    });

    it('counts tasks filed in the run with those that it names, until it has ended', async () => {
      const run = started('r') as Extract<EventBody, { type: 'run-started' }>;
      const settings = { ...run.settings, scope: { kind: 'only', tasks: ['a'] } } as const;
      need(await store.append(1, [added('a'), added('b'), { ...run, settings }]));
      need(await store.claim(2, wish('r', 'a')));
      const filed = added('c') as Extract<EventBody, { type: 'task-added' }>;
      const task = { ...filed.task, labels: ['follow-up-of:a'] };
      need(await store.append(3, [{ ...filed, task }]));
      const counts = { working: 1, ready: 1 };
      expect(need(await reader().status())).toMatchObject({ counts, outside: 1 });
      const ended = { type: 'run-ended', run: 'r', stop: { reason: 'drained' } } as const;
      need(await store.append(4, [ended]));
      expect(need(await reader().status())).toMatchObject({ outside: 0 });
    });
  });
}
