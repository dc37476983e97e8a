import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defined } from '../model/defined.ts';
import { isTaskId, newTask, type Task } from '../model/task.ts';
import { readChecklist } from './checklist.ts';
import { readPlan } from './plan-file.ts';
import { writtenPlan } from './written-plan.ts';

const sign = fc.constantFrom(
  ...['a', 'Z', '0', ' ', '-', '#', ':', '"', "'", '`', '<!--', '-->', '[ ]', '{', '}', '\\'],
  ...['*', '&', '|', '>', '%', 'ü', '你', '\t', '~~~', '- [ ] x', '\u2028', '\u0085', '\u0001'],
);
const line = fc
  .array(sign, { minLength: 1, maxLength: 12 })
  .map((signs) => signs.join('').trim())
  .filter((text) => text !== '' && !/[\r\n]/.test(text));
const body = fc
  .array(fc.oneof(line, fc.constantFrom('', '```', '    code', '- [ ] box', '---', '# H')), {
    maxLength: 5,
  })
  .map((lines) => lines.join('\n'));
const id = fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,8}$/).filter(isTaskId);
const lines = fc.uniqueArray(line, { maxLength: 3 });
const maybe = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: undefined });

const anyTask: fc.Arbitrary<Task> = fc
  .record({
    id,
    title: line,
    body,
    after: fc.uniqueArray(id, { maxLength: 3 }),
    priority: fc.constantFrom(0, 1, 2, 3, 4),
    type: fc.constantFrom('task', 'bug', 'epic', '12', 'true'),
    labels: lines,
    paths: fc.constantFrom([], ['src/**', '*.md']),
    scope: fc.constantFrom('predicted', 'strict'),
    checks: lines,
    acceptance: lines,
    agent: maybe(fc.constantFrom('mine', '1.10', 'null')),
    parent: maybe(id),
    difficulty: maybe(fc.constantFrom('easy', 'hard')),
    estimate: maybe(fc.constant('1h30m')),
    wait: maybe(fc.constantFrom(['pull 12'], ['until 2026-12-01', 'command a --> "b", c'])),
    link: maybe(fc.constant('https://example.org/issues/7')),
    attempts: maybe(
      fc.constantFrom<NonNullable<Task['attempts']>>(
        { best_of: 3 },
        { best_of: 2, agents: ['a', 'b'], choose: 'person' },
      ),
    ),
  })
  .map((task) => newTask(defined(task) as Task));

const anyTasks = fc.uniqueArray(anyTask, { maxLength: 5, minLength: 1, selector: ({ id }) => id });

const open = (tasks: readonly Task[]) => tasks.map((task) => ({ task, done: false }));

describe('writtenPlan', () => {
  it.each(['json', 'yaml'] as const)('writes %s that is read back as the same tasks', (format) => {
    fc.assert(
      fc.property(anyTasks, (tasks) => {
        const text = writtenPlan(open(tasks), format);
        expect(readPlan('plan', text, format)).toMatchObject({ ok: true, value: { tasks } });
      }),
    );
  });

  it('writes a checklist that is read back as the same tasks', () => {
    fc.assert(
      fc.property(anyTasks, (tasks) => {
        const text = writtenPlan(open(tasks), 'markdown');
        expect(readChecklist('TODO.md', text)).toEqual({ ok: true, value: tasks });
      }),
    );
  });

  it('writes a checklist as a person would, where lines can say it', () => {
    const task = newTask({
      id: 'docs',
      title: 'Write docs',
      body: 'All of it.\n\nSoon.',
      priority: 1,
    });
    expect(
      writtenPlan(
        [
          { task, done: false },
          { task: newTask({ id: 'b', title: 'B' }), done: true },
        ],
        'markdown',
      ),
    ).toBe(
      '# Tasks\n\n- [ ] Write docs <!-- {"id":"docs","priority":1} -->\n  All of it.\n\n  Soon.\n- [x] B <!-- {"id":"b"} -->\n',
    );
  });

  it('leaves out keys that have their default', () => {
    const tasks = open([newTask({ id: 'a', title: 'A', after: ['b'] })]);
    expect(JSON.parse(writtenPlan(tasks, 'json'))).toEqual({
      tasks: [{ id: 'a', title: 'A', after: ['b'] }],
    });
  });
});
