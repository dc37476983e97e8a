// Conformance suite for task sources.
import { describe, expect, it } from 'vitest';
import { isTaskId, type Task, type TaskId } from '../../src/model/task.ts';
import type { TaskSource } from '../../src/source/plan-file.ts';

/** Fields that a format may be unable to carry. An id, a title and a body are in all of them. */
export type Field = Exclude<keyof Task, 'id' | 'title' | 'body' | 'source'>;

/** `all`: the format has no place for the field. `rest`: it has a place for the first item of the list only. */
export type Losses = Readonly<Partial<Record<Field, 'all' | 'rest'>>>;

/** Puts one kind of source into a known state. */
export interface SourceKit {
  /** A source that holds exactly these tasks, in this order, as far as `losses` allow. */
  holding(tasks: readonly Task[]): Promise<TaskSource>;
  /** A source in which at least one item is good and `count` items are broken. */
  broken(count: number): Promise<TaskSource>;
  /** Fields that the format cannot carry. The documentation says the same. */
  readonly losses: Losses;
  /** The id that a task with this id gets; the same id unless ids are only unique inside one file. */
  idOf(id: TaskId): TaskId;
}

export const plainTask: Task = {
  id: 'plain',
  title: 'A plain task',
  body: '',
  after: [],
  priority: 2,
  type: 'task',
  labels: [],
  paths: [],
  scope: 'predicted',
  checks: [],
  acceptance: [],
};

export const fullTask: Task = {
  id: 'whole.task_2-b',
  title: 'Everything: "set", ünïcode # and - dashes',
  body: 'What to do.\n\n- with: a list\n\n```sh\n# not a heading\n```',
  after: ['plain'],
  priority: 0,
  type: 'feature',
  labels: ['model:opus', 'epic:search'],
  paths: ['src/api/**', '*.md'],
  scope: 'strict',
  checks: ['npm test -- api', "grep -q 'a b' x"],
  agent: 'mine',
  acceptance: ['Searching for nothing answers 400', 'The index is documented'],
  parent: 'plain',
  difficulty: 'hard',
  estimate: '1h30m',
  link: 'https://example.org/issues/7',
  wait: ['pull 12', 'until 2026-12-01', 'command test -f "a, b"'],
};

/** The task as a format with these losses can hold it. */
function carried(task: Task, { losses, idOf }: SourceKit): Task {
  const { parent } = task;
  const fields: Record<string, unknown> = {
    ...task,
    id: idOf(task.id),
    after: task.after.map(idOf),
    ...(parent === undefined ? {} : { parent: idOf(parent) }),
  };
  for (const [field, loss] of Object.entries(losses)) {
    const value = fields[field];
    const empty = plainTask[field as Field];
    if (loss === 'rest' && Array.isArray(value)) fields[field] = value.slice(0, 1);
    else if (empty === undefined) delete fields[field];
    else fields[field] = empty;
  }
  return fields as Task;
}

export function sourceConformance(name: string, kit: SourceKit): void {
  const whole = [fullTask, plainTask];
  const held = whole.map((task) => carried(task, kit));

  describe(`${name} as a task source`, () => {
    it('has a name for people', async () => {
      expect((await kit.holding([plainTask])).name).not.toBe('');
    });

    it('gives every field of a task back as it was written', async () => {
      const source = await kit.holding(whole);
      expect(await source.list()).toEqual({ ok: true, value: held });
    });

    it('gives usable ids, each once, in a steady order', async () => {
      const tasks = ['a', 'b', 'c', 'd'].map((id) => ({ ...plainTask, id }));
      const source = await kit.holding(tasks);
      const listed = await source.list();
      expect(listed.ok && listed.value.map(({ id }) => id)).toEqual(
        ['a', 'b', 'c', 'd'].map(kit.idOf),
      );
      expect(new Set(['a', 'b', 'c', 'd'].map(kit.idOf)).size).toBe(4);
      expect(listed.ok && listed.value.every(({ id }) => isTaskId(id))).toBe(true);
    });

    it('gives the same again when it is asked again', async () => {
      const source = await kit.holding([fullTask, plainTask]);
      const first = await source.list();
      expect(await source.list()).toEqual(first);
    });

    it('gives no task at all when one item is broken, and says where and how to fix it', async () => {
      const listed = await (await kit.broken(1)).list();
      expect(listed.ok).toBe(false);
      if (listed.ok) return;
      expect(listed.failure).toHaveLength(1);
      const [failure] = listed.failure;
      expect(failure?.kind).toBe('source-invalid');
      if (failure?.kind !== 'source-invalid') return;
      expect(failure.file).not.toBe('');
      expect(failure.problem).not.toBe('');
      expect(failure.remedy).toMatch(/\.$/);
    });

    it('reports all broken items together', async () => {
      const listed = await (await kit.broken(3)).list();
      expect(listed.ok ? [] : listed.failure).toHaveLength(3);
    });
  });
}
