import { describe, expect, it } from 'vitest';
import type { EventBody } from '../model/event.ts';
import { newTask } from '../model/task.ts';
import { Draft, firstKeys, foldLater, type Loaded } from './draft.ts';
import { Keys } from './keys.ts';
import { append } from './ledger.ts';

const nothing: Loaded = { tasks: [], children: [], runs: [], runHistories: [], attempts: [] };

const added = (id: string, after: readonly string[] = []): EventBody => ({
  type: 'task-added',
  task: newTask({ id, title: id, after, priority: 0 }),
});

const counters = { lastSeq: 7, fence: 0 };

/** A draft of an empty database, and what it asked for. */
function emptyDraft(): { readonly draft: Draft; readonly asked: Keys[] } {
  const asked: Keys[] = [];
  const draft = new Draft(counters, (keys) => {
    asked.push(keys);
    return nothing;
  });
  return { draft, asked };
}

describe('A draft', () => {
  it('loads a record when it is read for the first time, also one that does not exist', () => {
    const { draft, asked } = emptyDraft();
    for (let time = 0; time < 2; time += 1) {
      expect([draft.task('a'), draft.claim('a'), draft.run('r')]).toEqual(
        Array.from({ length: 3 }),
      );
      expect([draft.attempt('a', 1), draft.runHistory('r'), draft.children('a')]).toEqual([
        undefined,
        undefined,
        [],
      ]);
    }
    expect(asked).toEqual([
      new Keys().add('tasks', 'a'),
      new Keys().add('runs', 'r'),
      new Keys().addAttempt('a', 1),
      new Keys().add('runHistories', 'r'),
      new Keys().add('parents', 'a'),
    ]);
  });

  it('asks a database once for all that the events of a call name, and writes nothing before their end', () => {
    const { draft, asked } = emptyDraft();
    const ids = Array.from({ length: 50 }, (_, index) => `t${index}`);
    const events = ids.map((id, index) => added(id, index === 0 ? ['far'] : [`t${index - 1}`]));
    expect(append(draft, 1, events, undefined, undefined)).toMatchObject({ ok: true });
    expect(asked.map(({ tasks }) => [...tasks].sort())).toEqual([[...ids, 'far'].sort()]);
    const { events: logged, tasks, runs, fence } = draft.changes();
    expect(logged.map(({ seq }) => seq)).toEqual(ids.map((_, index) => 8 + index));
    expect(tasks.map(({ before, after }) => [before, after.blockers])).toEqual(
      ids.map(() => [undefined, 1]),
    );
    expect([runs, fence]).toEqual([[], undefined]);
  });

  it('is begun again with each record that a database answers later, and nothing of a try is left', async () => {
    const asked: Keys[] = [];
    const load = async (keys: Keys): Promise<Loaded> => {
      asked.push(keys);
      return nothing;
    };
    const [fence, draft] = await foldLater(counters, load, (tried) => {
      const next = tried.nextFence();
      tried.setClaim(`try ${asked.length}`, undefined);
      tried.task('a');
      tried.run('r');
      return next;
    });
    expect(asked).toEqual([new Keys().add('tasks', 'a'), new Keys().add('runs', 'r')]);
    expect([fence, [...draft.changes().claims.keys()]]).toEqual([1, ['try 2']]);
  });

  it('needs no answer for records that are known already', async () => {
    const asked: Keys[] = [];
    const rules = (tried: Draft) => [tried.task('a'), tried.run('r'), tried.lastSeq];
    const first = firstKeys(rules);
    expect(first).toEqual(new Keys().add('tasks', 'a'));
    const load = async (keys: Keys): Promise<Loaded> => {
      asked.push(keys);
      return nothing;
    };
    const [result] = await foldLater(counters, load, rules, [[first, nothing]]);
    expect(result).toEqual([undefined, undefined, 7]);
    expect(asked).toEqual([new Keys().add('runs', 'r')]);
  });

  it('names no records first if it reads none', () => {
    expect(firstKeys((tried) => tried.nextFence())).toEqual(new Keys());
    const broken = () =>
      firstKeys(() => {
        throw new RangeError('a bug');
      });
    expect(broken).toThrow('a bug');
  });

  it('passes on an error of the rules', async () => {
    const broken = foldLater(
      counters,
      async () => nothing,
      () => {
        throw new RangeError('a bug');
      },
    );
    await expect(broken).rejects.toThrow('a bug');
  });
});
