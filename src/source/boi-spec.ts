import { z } from 'zod';
import {
  type Document,
  optional,
  type Path,
  type Problem,
  problemAt,
  quoted,
} from '../document/document.ts';
import { nearest } from '../graph/nearest.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { idFromTitle, type TaskId } from '../model/task.ts';
import {
  bodyOf,
  checkItem,
  checkTask,
  counted,
  fieldsOf,
  idsText,
  importedId,
  type KeyNames,
  type Place,
  type Reading,
  readingOf,
} from './foreign-task.ts';
import { repeatedIds, type TaskInput, taskKeys, toTask } from './schema.ts';

const text = z.string({ error: quoted });
const name = z
  .union([z.string(), z.int()], { error: 'Put the id in quotes.' })
  .transform(String)
  .refine((id) => id !== '', { error: 'Give an id, or leave the key out.' });
const names = optional(z.array(name, { error: 'Give a list of ids.' }));

const verification = z.object(
  { name: optional(text), intent: optional(text), command: optional(text) },
  { error: 'Give a map with "command" or "intent".' },
);
const verifications = optional(
  z.array(verification, { error: 'Give a list of maps, each with "command" or "intent".' }),
);

/** A task of either generation: the older one has a title and a spec, the newer one a behavior. */
const taskSchema = z.object(
  {
    id: optional(name),
    ref: optional(name),
    title: optional(text),
    behavior: optional(text),
    status: optional(
      z.enum(['PENDING', 'RUNNING', 'DONE', 'FAILED', 'SKIPPED'], {
        error: 'Write PENDING, RUNNING, DONE, FAILED or SKIPPED.',
      }),
    ),
    spec: optional(text),
    verify: optional(text),
    verify_prompt: optional(text),
    depends: names,
    blocked_by: names,
    verifications,
  },
  { error: 'Write a task as a map of keys.' },
);

const specSchema = z.object(
  {
    title: text.trim().min(1, { error: 'Give the spec a title.' }),
    context: optional(text),
    outcomes: optional(z.array(z.unknown(), { error: 'Give a list of outcomes.' })),
    contract: optional(
      z.object(
        {
          scope: optional(text),
          exclusions: optional(z.array(text, { error: 'Give a list of texts.' })),
          verifications,
        },
        { error: 'Write the contract as a map of keys.' },
      ),
    ),
    tasks: z
      .array(z.unknown(), { error: 'Give the tasks as a list under "tasks".' })
      .min(1, { error: 'Give the spec at least one task.' })
      .max(limits.tasksPerImport, {
        error: `Split it: at most ${limits.tasksPerImport} tasks are read at once.`,
      }),
  },
  { error: 'Begin with "title" and "tasks".' },
);

type Spec = z.output<typeof specSchema>;
type SpecTask = z.output<typeof taskSchema>;

/** Keys of a spec, or of its tasks, that a plan file does not have. */
const specKeys = new Set(
  'mode workspace initiative context outcomes spec_phases task_phases context_files phase_overrides pipeline delivery contract decision skill max_iterations clean_state'.split(
    ' ',
  ),
);
const specTaskKeys = new Set(
  'status spec verify verify_prompt depends phases ref behavior blocked_by verifications self_evolution'.split(
    ' ',
  ),
);
const planTaskKeys = new Set(taskKeys.filter((key) => key !== 'id' && key !== 'title'));

/**
 * Tells a spec of boi from a plan file by its keys. A spec has a title or a contract next to its tasks, which no valid
 * plan file has. A plan file with a title by mistake is still one if its tasks have the keys of a plan.
 */
export function isBoiSpec(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  if (!('tasks' in value)) return false;
  if ('contract' in value) return true;
  if (!('title' in value)) return false;
  if (Object.keys(value).some((key) => specKeys.has(key))) return true;
  const tasks: readonly unknown[] = Array.isArray(value.tasks) ? value.tasks : [];
  const keys = new Set(tasks.flatMap((task) => Object.keys(fieldsOf(task))));
  const has = (known: ReadonlySet<string>): boolean => [...keys].some((key) => known.has(key));
  return has(specTaskKeys) || !has(planTaskKeys);
}

interface Item {
  readonly id: TaskId;
  readonly task: SpecTask;
  readonly input: TaskInput;
}

/** Reads the tasks of a spec that are not done. Ids begin with the title of the spec, because `t-1` is in every one. */
export function readBoiSpec(document: Document): Result<Reading, readonly Problem[]> {
  const whole: Place = { name: 'the spec', lineOf: (path) => document.lineOf(path) };
  const checked = checkItem(specSchema, document.value, whole);
  if (!checked.ok) return checked;
  const spec = checked.value;
  const items: Item[] = [];
  const ids: (TaskId | undefined)[] = [];
  const problems: Problem[] = [];
  for (const [at, value] of spec.tasks.entries()) {
    const item = readItem(spec, value, at, document);
    ids.push(item.ok ? item.value.id : undefined);
    if (item.ok) items.push(item.value);
    else problems.push(...item.failure);
  }
  const lineOf = (at: number): number | undefined =>
    document.lineOf(['tasks', at, idKey(spec.tasks[at])]);
  problems.push(...repeatedIds(ids, lineOf));
  if (problems.length === 0) problems.push(...missing(spec, items, document));
  return problems.length > 0 ? fail(problems) : ok(tasksOf(spec, items));
}

const idKey = (value: unknown): string => ('ref' in fieldsOf(value) ? 'ref' : 'id');

function readItem(
  spec: Spec,
  value: unknown,
  at: number,
  document: Document,
): Result<Item, readonly Problem[]> {
  const place: Place = {
    name: `task ${at + 1}`,
    lineOf: (path: Path) => document.lineOf(['tasks', at, ...path]),
  };
  const misspelled = misspelledKeys(value, place);
  const checked = checkItem(taskSchema, value, place);
  if (!checked.ok) return fail([...misspelled, ...checked.failure]);
  const task = checked.value;
  const written = task.ref ?? task.id;
  const title = task.behavior === undefined ? task.title : firstLine(task.behavior);
  const own =
    written ??
    (idFromTitle(title ?? '')
      .slice(0, 32)
      .replace(/-$/, '') ||
      `task-${at + 1}`);
  const id = specId(spec, own);
  const input = checkTask({ ...inputOf(spec, task), id, title }, place, keysOf(task));
  const problems = [...misspelled, ...unclear(task, place), ...(input.ok ? [] : input.failure)];
  return input.ok && problems.length === 0 ? ok({ id, task, input: input.value }) : fail(problems);
}

/** Names of `depends` in other formats. To ignore one would start a task too early. */
const otherOrders = new Set(['after', 'deps', 'dependencies', 'depends_on', 'needs', 'requires']);

/** A key that is close to a known one is a slip; others are ignored, since boi has had many. */
function misspelledKeys(value: unknown, place: Place): readonly Problem[] {
  const known = Object.keys(taskSchema.shape);
  return Object.keys(fieldsOf(value)).flatMap((key) => {
    if (known.includes(key) || specTaskKeys.has(key)) return [];
    const near = otherOrders.has(key) ? 'depends' : nearest(key, known);
    if (near === undefined) return [];
    const problem = `"${key}" of ${place.name} is not a known key`;
    return [problemAt(place.lineOf([key]), problem, `Did you mean "${near}"?`)];
  });
}

function unclear({ verifications = [] }: SpecTask, place: Place): readonly Problem[] {
  return verifications.flatMap(({ command, intent }, at) => {
    if ((command === undefined) !== (intent === undefined)) return [];
    const which =
      command === undefined ? 'neither a command nor an intent' : 'a command and an intent';
    const problem = `item ${at + 1} of "verifications" of ${place.name} has ${which}`;
    const line = place.lineOf(['verifications', at]);
    return [problemAt(line, problem, 'Give either "command" or "intent".')];
  });
}

const keysOf = ({ behavior }: SpecTask): KeyNames =>
  behavior === undefined
    ? { body: 'spec', checks: 'verify', acceptance: 'verify_prompt' }
    : { title: 'behavior', body: 'behavior', checks: 'verifications', acceptance: 'verifications' };

function inputOf({ context, contract }: Spec, task: SpecTask): Readonly<Record<string, unknown>> {
  const { behavior, verifications = [] } = task;
  const own = behavior === undefined ? task.spec : restOf(behavior);
  const excluded = (contract?.exclusions ?? []).map((line) => `- ${line}`).join('\n');
  const commands = [task.verify, ...verifications.map(({ command }) => command)];
  const intents = [task.verify_prompt, ...verifications.map(({ intent }) => intent)];
  return {
    body: bodyOf(
      ['', own?.replace(/\n+$/, '')],
      ['Context', context?.trim()],
      ['Scope of the whole spec', contract?.scope?.trim()],
      ['Not part of the spec', excluded],
    ),
    checks: commands.filter((command) => command !== undefined),
    acceptance: intents.filter((intent) => intent !== undefined),
  };
}

const firstLine = (behavior: string): string => behavior.trim().split('\n')[0]?.trim() ?? '';

/** The behavior below its first line, which is the title. */
function restOf(behavior: string): string {
  const [, ...rest] = behavior.trim().split('\n');
  return rest.join('\n').trim();
}

function specId({ title }: Spec, own: string): TaskId {
  const prefix = idFromTitle(title).slice(0, 32).replace(/-$/, '') || importedId(title);
  return importedId(`${prefix}.${importedId(own)}`);
}

const blockersOf = ({ depends = [], blocked_by = [] }: SpecTask): readonly string[] => [
  ...depends,
  ...blocked_by,
];

function missing(spec: Spec, items: readonly Item[], document: Document): readonly Problem[] {
  const known = new Set(items.map(({ id }) => id));
  return items.flatMap(({ task }, at) =>
    blockersOf(task)
      .filter((name) => !known.has(specId(spec, name)))
      .map((name) => {
        const key = task.depends === undefined ? 'blocked_by' : 'depends';
        const problem = `task ${at + 1} waits for "${name}", which the spec does not have`;
        const near = nearest(
          name,
          items.flatMap((item) => item.task.ref ?? item.task.id ?? []),
        );
        const remedy =
          near === undefined ? `Correct "${key}", or add the task.` : `Did you mean "${near}"?`;
        return problemAt(document.lineOf(['tasks', at, key]), problem, remedy);
      }),
  );
}

function tasksOf(spec: Spec, items: readonly Item[]): Reading {
  const isDone = ({ task: { status } }: Item): boolean => status === 'DONE' || status === 'SKIPPED';
  const open = items.filter((item) => !isDone(item));
  const left = new Set(open.map(({ id }) => id));
  const tasks = open.map(({ id, task, input }) => {
    const after = blockersOf(task).map((name) => specId(spec, name));
    return toTask(id, { ...input, after: after.filter((one) => left.has(one)) });
  });
  const again = open.filter(({ task: { status } }) => status === 'RUNNING' || status === 'FAILED');
  return readingOf(tasks, [againNote(again), wholeNote(spec)]);
}

function againNote(items: readonly Item[]): string {
  if (items.length === 0) return '';
  const become = items.length === 1 ? 'becomes a task' : 'become tasks';
  return `${counted(items.length, 'running or failed task')} of the spec ${become} again: ${idsText(items.map(({ id }) => id))}.`;
}

/** Outcomes belong to no task. */
function wholeNote({ outcomes = [], contract }: Spec): string {
  const count = outcomes.length + (contract?.verifications?.length ?? 0);
  if (count === 0) return '';
  return count === 1
    ? '1 check of the whole spec is left out. If it is a command, add it to the gate.'
    : `${count} checks of the whole spec are left out. Add the commands among them to the gate.`;
}
