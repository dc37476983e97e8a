import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { need } from '../../test/rig/need.ts';
import type { Failure } from '../model/failure.ts';
import { newTask, type Task } from '../model/task.ts';
import { differences, type Import, isSame, planImport, type StoredTask } from './merge.ts';

function task(id: string, more: Partial<Task> = {}): Task {
  return newTask({ id, title: id, ...more });
}

const nothing: Import = {
  added: [],
  changed: [],
  replaced: [],
  same: [],
  landed: [],
  moved: [],
  removed: [],
};

const known = (one: Task, state = 'ready', busy = false): StoredTask => ({
  task: one,
  busy,
  state,
});

function planned(existing: readonly StoredTask[], incoming: readonly Task[]): Import {
  const result = need(planImport(existing, incoming));
  return result;
}

function refused(existing: readonly StoredTask[], incoming: readonly Task[]): readonly Failure[] {
  const result = planImport(existing, incoming);
  return result.ok ? [] : result.failure;
}

describe('planImport', () => {
  it('names the unfinished tasks that a source has no more, and only its own', () => {
    const from = (id: string, source: string, state?: string) => known(task(id, { source }), state);
    const existing = [
      from('stays', 'plan.yaml'),
      from('gone', 'plan.yaml'),
      from('at-work', 'plan.yaml', 'working'),
      from('failed', 'plan.yaml', 'failed'),
      from('landed', 'plan.yaml', 'landed'),
      from('canceled', 'plan.yaml', 'canceled'),
      from('other', 'other.yaml'),
      known(task('by-hand')),
    ];
    const stays = task('stays', { source: 'plan.yaml' });
    const result = planImport(existing, [stays], ['plan.yaml']);
    expect(result).toMatchObject({ ok: true, value: { same: ['stays'], moved: [] } });
    expect(result.ok && result.value.removed).toEqual(
      ['gone', 'at-work', 'failed'].map((id) => ({ source: 'plan.yaml', id })),
    );
    const empty = planImport(existing, [], ['other.yaml']);
    expect(empty.ok && empty.value.removed).toEqual([{ source: 'other.yaml', id: 'other' }]);
  });

  it('notes the newest source of a task, also of one at work, and keeps it where there is none', () => {
    const before = task('a', { source: 'old.yaml' });
    const after = task('a', { source: 'new.yaml' });
    expect(planned([known(before, 'working', true)], [after]).moved).toEqual([after]);
    expect(planned([known(before)], [task('a')]).moved).toEqual([]);
    expect(planned([known(before)], [task('a', { title: 'b' })]).changed).toEqual([
      { ...before, title: 'b' },
    ]);
  });

  it('adds what is new, in the order it came', () => {
    const [b, a] = [task('b', { after: ['a'] }), task('a')];
    expect(planned([], [b, a])).toEqual({ ...nothing, added: [b, a] });
  });

  it('lets new tasks wait for known ones', () => {
    const child = task('b', { after: ['a'] });
    expect(planned([known(task('a'), 'landed')], [child]).added).toEqual([child]);
  });

  it('knows a task that says the same as before, whatever its state', () => {
    const existing = [known(task('a'), 'working', true), known(task('b'), 'landed')];
    expect(planned(existing, [task('a'), task('b')]).same).toEqual(['a', 'b']);
  });

  it('changes a task without an attempt at work', () => {
    const after = task('a', { body: 'new' });
    expect(planned([known(task('a'), 'failed')], [after])).toEqual({
      ...nothing,
      changed: [after],
      replaced: [task('a')],
    });
  });

  it('does not change a task that is being worked on', () => {
    expect(refused([known(task('a'), 'gating', true)], [task('a', { title: 'x' })])).toEqual([
      { kind: 'task-busy', task: 'a', state: 'gating', wanted: 'change it' },
    ]);
  });

  it('reports a task that has landed and comes with another text, and goes on with the rest', () => {
    const plan = planned([known(task('a'), 'landed')], [task('a', { title: 'x' }), task('b')]);
    expect(plan).toMatchObject({ changed: [], landed: ['a'], added: [{ id: 'b' }] });
  });

  it('refuses a dependency that is neither known nor incoming', () => {
    expect(refused([known(task('schema'))], [task('api', { after: ['shema'] })])).toEqual([
      {
        kind: 'missing-dependency',
        task: 'api',
        missing: 'shema',
        key: 'after',
        nearest: 'schema',
      },
    ]);
  });

  it('refuses a change that closes a cycle through known tasks', () => {
    const existing = [known(task('a')), known(task('b', { after: ['a'] }))];
    expect(refused(existing, [task('a', { after: ['b'] })])).toEqual([
      {
        kind: 'cycle',
        members: ['a', 'b'],
        edges: [
          { task: 'a', parent: 'b', origin: 'declared' },
          { task: 'b', parent: 'a', origin: 'declared' },
        ],
      },
    ]);
  });

  it('refuses an id that comes twice, also where it is known', () => {
    const twice = [{ kind: 'duplicate-task', task: 'a', times: 2 }];
    expect(refused([], [task('a'), task('a')])).toEqual(twice);
    expect(refused([known(task('a'))], [task('a'), task('a')])).toEqual(twice);
  });

  it('refuses an id that differs from a known one in letter case alone', () => {
    expect(refused([known(task('Fix'))], [task('fix')])).toEqual([
      { kind: 'duplicate-task', task: 'Fix', times: 2 },
    ]);
  });

  it('reports all that is wrong and stores none of it', () => {
    const failures = refused(
      [known(task('a'), 'working', true)],
      [task('a', { body: 'x' }), task('b', { after: ['zzz'] }), task('c')],
    );
    expect(failures.map(({ kind }) => kind)).toEqual(['task-busy', 'missing-dependency']);
  });

  it('changes nothing when the same tasks come a second time', () => {
    const ids = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,4}$/), { maxLength: 8 });
    fc.assert(
      fc.property(ids, (names) => {
        const tasks = names.map((id, at) => task(id, { after: names.slice(0, at).slice(-2) }));
        const first = planned([], tasks);
        expect(first.added).toEqual(tasks);
        const again = planned(
          first.added.map((one) => known(one)),
          tasks,
        );
        expect(again).toEqual({ ...nothing, same: names });
      }),
    );
  });
});

describe('decisions about found dependencies', () => {
  it('stay when the source is read again', () => {
    const stored = task('b', { after: ['a'], applied: ['a'], rejected: ['c'] });
    const others = [known(task('a')), known(task('c'))];
    expect(planned([...others, known(stored)], [task('b')])).toEqual({ ...nothing, same: ['b'] });
    const changed = planned([...others, known(stored)], [task('b', { title: 'New' })]).changed;
    expect(changed).toEqual([{ ...stored, title: 'New' }]);
  });
});

describe('an epic', () => {
  const epic = task('e', { type: 'epic' });

  it('waits for its tasks, and comes unchanged when it is read again', () => {
    const member = task('m', { parent: 'e' });
    const first = planned([], [epic, member]);
    expect(first.added).toEqual([{ ...epic, after: ['m'] }, member]);
    const stored = first.added.map((one) => known(one));
    expect(planned(stored, [epic, member])).toEqual({ ...nothing, same: ['e', 'm'] });
    expect(planned(stored, [epic])).toEqual({ ...nothing, same: ['e'] });
  });

  it('must exist', () => {
    expect(planImport([known(task('epic'))], [task('m', { parent: 'epics' })])).toEqual({
      ok: false,
      failure: [
        { kind: 'missing-dependency', task: 'm', missing: 'epics', key: 'parent', nearest: 'epic' },
      ],
    });
  });

  it('cannot be waited for by its own tasks', () => {
    const wrong = planImport([], [epic, task('m', { parent: 'e', after: ['e'] })]);
    expect(wrong).toMatchObject({ ok: false, failure: [{ kind: 'cycle' }] });
  });
});

describe('isSame', () => {
  it.each<[string, Partial<Task>]>([
    ['title', { title: 'x' }],
    ['body', { body: 'x' }],
    ['after', { after: ['b'] }],
    ['priority', { priority: 0 }],
    ['type', { type: 'bug' }],
    ['labels', { labels: ['x'] }],
    ['paths', { paths: ['x'] }],
    ['scope', { scope: 'strict' }],
    ['checks', { checks: ['x'] }],
    ['agent', { agent: 'x' }],
    ['acceptance', { acceptance: ['x'] }],
    ['parent', { parent: 'x' }],
    ['difficulty', { difficulty: 'hard' }],
    ['estimate', { estimate: '1h' }],
    ['wait', { wait: ['pull 1'] }],
    ['link', { link: 'https://x' }],
    ['attempts', { attempts: { best_of: 2 } }],
  ])('sees another %s', (_, more) => {
    expect(isSame(task('a'), task('a', more))).toBe(false);
    expect(isSame(task('a', more), task('a', more))).toBe(true);
  });

  it('looks past the order of labels, but not of checks', () => {
    expect(isSame(task('a', { labels: ['x', 'y'] }), task('a', { labels: ['y', 'x'] }))).toBe(true);
    expect(isSame(task('a', { checks: ['x', 'y'] }), task('a', { checks: ['y', 'x'] }))).toBe(
      false,
    );
  });
});

describe('differences', () => {
  it('names the keys that differ, with both values', () => {
    const before = task('a', { labels: ['x'], agent: 'mine' });
    const after = task('a', { labels: ['x', 'y'], priority: 0 });
    expect(differences(before, after)).toEqual([
      { key: 'priority', from: 2, to: 0 },
      { key: 'agent', from: 'mine', to: undefined },
      { key: 'labels', from: ['x'], to: ['x', 'y'] },
    ]);
    expect(differences(before, before)).toEqual([]);
  });
});
