import { z } from 'zod';
import {
  type Document,
  optional,
  type Path,
  type Problem,
  problemsOf,
} from '../document/document.ts';
import { blocksNamed, fenced } from '../document/fences.ts';
import { readJson } from '../document/json.ts';
import { defined } from '../model/defined.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { TaskId } from '../model/task.ts';
import { fieldsOf } from './foreign-task.ts';
import { repeatedIds, requiredId, taskSchema } from './schema.ts';

/** Info string of the block in which an agent proposes tasks. */
export const proposalBlock = 'tasks';

/**
 * A task as an agent proposes it. Of a stored task, `fields` replace what it has. Nothing that runs outside of the
 * sandbox or weakens the gate can be proposed: no `checks`, `wait` and `agent`.
 */
export type Proposed =
  | {
      readonly kind: 'task';
      readonly id: TaskId;
      readonly title: string;
      /** Further keys of a plan file. */
      readonly fields: Readonly<Record<string, unknown>>;
      readonly model?: string;
    }
  | { readonly kind: 'cancel'; readonly id: TaskId; readonly reason: string };

const proposedTask = taskSchema
  .pick({
    title: true,
    body: true,
    acceptance: true,
    paths: true,
    after: true,
    type: true,
    priority: true,
    estimate: true,
    difficulty: true,
  })
  .extend({
    id: requiredId,
    model: optional(
      z.string({ error: 'Name a model, or leave the key out.' }).regex(/^\S+$/, {
        error: 'Name one model without spaces, or leave the key out.',
      }),
    ),
  });

const canceledTask = z.strictObject({
  id: requiredId,
  cancel: z.literal(true, { error: 'Write true, or leave the key out.' }),
  reason: z
    .string({ error: 'Say why in one sentence.' })
    .trim()
    .min(1, { error: 'Say why in one sentence.' })
    .max(limits.titleChars, { error: `Keep it to ${limits.titleChars} characters.` }),
});

/**
 * Reads the proposal in the answer of an agent: exactly one fenced block named `tasks` with a JSON array. Reports
 * everything that is wrong with it; lines are those of the block. Tasks can be canceled only if `revise` is set.
 */
export function readProposal(
  answer: string,
  { revise }: { readonly revise: boolean },
): Result<readonly Proposed[], readonly Problem[]> {
  const blocks = blocksNamed(fenced(answer).blocks, proposalBlock);
  const [block] = blocks;
  if (block === undefined || blocks.length > 1) return fail([wrongBlocks(blocks.length)]);
  const parsed = readJson(block.text);
  if (!parsed.ok) return parsed;
  const document = parsed.value;
  const items = document.value;
  if (!Array.isArray(items)) return fail([{ problem: 'it is not a JSON array', remedy: asArray }]);
  if (items.length === 0 && !revise) {
    return fail([{ problem: 'it contains no task', remedy: asArray }]);
  }
  if (items.length > limits.tasksPerProposal) {
    const problem = `it contains ${items.length} tasks`;
    return fail([{ problem, remedy: `Propose at most ${limits.tasksPerProposal}.` }]);
  }
  const read = items.map((item: unknown, at) => readItem(item, at, document, revise));
  const ids = read.map((item) => (item.ok ? item.value.id : undefined));
  const problems = [
    ...read.flatMap((item) => (item.ok ? [] : item.failure)),
    ...repeatedIds(ids, (at) => document.lineOf([at, 'id'])),
  ];
  if (problems.length > 0) return fail(problems);
  return ok(read.flatMap((item) => (item.ok ? [item.value] : [])));
}

const asArray = 'Give a JSON array of objects, each with at least "id" and "title".';

function wrongBlocks(count: number): Problem {
  return {
    problem: count === 0 ? 'it is missing' : `there are ${count} of them`,
    remedy: `End with exactly one fenced block named ${proposalBlock}, in an answer of at most ${limits.answerBytes / 1024} kB.`,
  };
}

function readItem(
  item: unknown,
  at: number,
  document: Document,
  revise: boolean,
): Result<Proposed, readonly Problem[]> {
  const place: Document = { value: item, lineOf: (path) => document.lineOf([at, ...path]) };
  const problems = (error: z.ZodError, keys: readonly string[]) =>
    fail(problemsOf(error, place, { name: (path) => nameOf(at, path), keys: () => keys }));
  if (revise && 'cancel' in fieldsOf(item)) {
    const checked = canceledTask.safeParse(item);
    if (!checked.success) return problems(checked.error, Object.keys(canceledTask.shape));
    const { id, reason } = checked.data;
    return ok({ kind: 'cancel', id, reason });
  }
  const checked = proposedTask.safeParse(item);
  if (!checked.success) return problems(checked.error, Object.keys(proposedTask.shape));
  const { id, title, model, ...fields } = checked.data;
  return ok({ kind: 'task', id, title, fields: defined(fields), model });
}

function nameOf(at: number, [key, item]: Path): string {
  const task = `task ${at + 1}`;
  if (key === undefined) return task;
  return `${item === undefined ? '' : `item ${Number(item) + 1} of `}"${String(key)}" of ${task}`;
}
