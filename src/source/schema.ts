import { z } from 'zod';
import { attemptsSchema } from '../document/attempts.ts';
import { type Document, optional, type Problem, problemAt, quoted } from '../document/document.ts';
import { defined } from '../model/defined.ts';
import { parseDuration } from '../model/duration.ts';
import { limits } from '../model/limits.ts';
import {
  idFromTitle,
  idProblem,
  idRule,
  isTaskId,
  newTask,
  type Priority,
  type Task,
  type TaskId,
} from '../model/task.ts';
import { parseWait, waitRule } from '../model/wait.ts';

const typeChars = 80;

const oneLine = (text: string): boolean => !/[\r\n]/.test(text);
const nonEmpty = (text: string): boolean => text !== '';

const text = z.string({ error: quoted });

const listOf = <T extends z.ZodType>(item: T, hint: string) =>
  optional(
    z
      .preprocess(
        (value) => (value === undefined || Array.isArray(value) ? value : [value]),
        z.array(item, { error: hint }),
      )
      .meta({ or: item }),
  );

const title = text
  .trim()
  .refine(nonEmpty, { error: 'Describe the task in a few words.' })
  .refine(oneLine, { error: 'Keep the title to one line and put the rest into "body".' })
  .max(limits.titleChars, {
    error: `Keep the title to ${limits.titleChars} characters and put the rest into "body".`,
  });

/** An unquoted 12 is a number in YAML and TOML, but means the id "12". */
export const requiredId = z
  .union([z.string(), z.int()], {
    error: `Put the id in quotes, or choose another. ${idRule}`,
  })
  .transform(String)
  .refine(isTaskId, { error: ({ input }) => `${idProblem(String(input))} ${idRule}` });

const after = listOf(
  z
    .union([z.string(), z.int()], { error: 'Name a task by its id, in quotes.' })
    .transform(String)
    .refine(isTaskId, { error: 'Name one task by its id; write several as a list: [a, b].' }),
  'Give the ids of the tasks that come before, as a list.',
);

const priorityRule = 'Give 0 (first) to 4 (last), or P0 to P4.';

const priority = optional(
  z
    .union(
      [z.literal([0, 1, 2, 3, 4]), z.string().regex(/^[Pp]?[0-4]$/, { error: priorityRule })],
      { error: priorityRule },
    )
    .transform((value) => Number(String(value).replace(/^[Pp]/, '')) as Priority),
);

const label = text.trim().refine((value) => nonEmpty(value) && oneLine(value), {
  error: 'Give each label as one short line of text.',
});

const path = text.trim().refine(isInside, {
  error: 'Give globs relative to the repository, such as "src/api/**", without "..".',
});

function isInside(glob: string): boolean {
  return glob !== '' && !glob.startsWith('/') && !glob.split('/').includes('..');
}

const parent = optional(
  z
    .union([z.string(), z.int()], { error: 'Name the epic by its id, in quotes.' })
    .transform(String)
    .refine(isTaskId, { error: 'Name one epic by its id.' }),
);

const estimate = optional(
  text.trim().refine((value) => (parseDuration(value) ?? 0) > 0, {
    error: 'Give a duration, such as 30m or 1h30m.',
  }),
);

const link = optional(
  text.trim().refine((value) => /^https?:\/\/\S+$/.test(value), {
    error: 'Give a URL that begins with http:// or https://.',
  }),
);

const wait = z
  .string({ error: waitRule })
  .trim()
  .refine((value) => parseWait(value) !== undefined, { error: waitRule });

const command = text.trim().refine(nonEmpty, { error: 'Give a command, or leave the item out.' });

export const taskSchema = z.strictObject(
  {
    id: optional(requiredId),
    title,
    body: optional(
      text.max(limits.bodyChars, {
        error: `Keep the body to ${limits.bodyChars} characters; refer to a file for more.`,
      }),
    ),
    after,
    priority,
    type: optional(
      text
        .trim()
        .refine((value) => nonEmpty(value) && oneLine(value) && value.length <= typeChars, {
          error: 'Give one short word, such as feature or bug.',
        }),
    ),
    labels: listOf(label, 'Give the labels as a list of texts.'),
    paths: listOf(path, 'Give the globs as a list of texts.'),
    scope: optional(
      z.enum(['strict', 'predicted'], { error: 'Write "strict", or leave the key out.' }),
    ),
    checks: listOf(command, 'Give a command or a list of commands.'),
    acceptance: listOf(
      text.trim().refine(nonEmpty, { error: 'Say what must be true, or leave the item out.' }),
      'Give one text or a list of texts, each something that is true when the task is done.',
    ),
    parent,
    difficulty: optional(
      z.enum(['easy', 'medium', 'hard'], { error: 'Write easy, medium or hard.' }),
    ),
    estimate,
    link,
    wait: listOf(wait, waitRule).transform((waits) =>
      waits === undefined || waits.length === 0 ? undefined : [...new Set(waits)],
    ),
    agent: optional(
      text.trim().refine(nonEmpty, { error: 'Name an agent, or leave the key out.' }),
    ),
    attempts: optional(attemptsSchema.meta({ or: z.int() })),
  },
  { error: 'Write a task as a map of keys, with at least a title.' },
);

export type TaskInput = z.infer<typeof taskSchema>;

/** In front matter the title is optional: the first heading may be the title. */
export const frontMatterSchema = taskSchema.extend({ title: optional(title) });

export const planSchema = z.strictObject(
  {
    tasks: z
      .array(taskSchema, { error: 'Give the tasks as a list under "tasks:".' })
      .max(limits.tasksPerImport, {
        error: `Split it: at most ${limits.tasksPerImport} tasks are read at once.`,
      }),
  },
  { error: 'Begin with "tasks:" and give the tasks as a list below it.' },
);

/** The text of the JSON Schema of a plan file, for editors. */
export function planJsonSchema(): string {
  const options = { target: 'draft-7', io: 'input' } as const;
  const schema = z.toJSONSchema(planSchema, {
    ...options,
    override: ({ jsonSchema }) => {
      const { or, ...full } = jsonSchema;
      if (!(or instanceof z.ZodType)) return;
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
      const { $schema: _, ...short } = z.toJSONSchema(or, options);
      jsonSchema.anyOf = [short, full];
    },
  });
  const { $schema, ...plan } = schema;
  const { tasks = true } = plan.properties ?? {};
  const whole = {
    title: 'Yardmaster plan',
    $schema,
    // A plain list of tasks is a plan too.
    anyOf: [
      { ...plan, properties: { tasks: { $ref: '#/definitions/tasks' } } },
      { $ref: '#/definitions/tasks' },
    ],
    definitions: { tasks },
  };
  return `${JSON.stringify(whole, undefined, 2)}\n`;
}

export const taskKeys: readonly string[] = Object.keys(taskSchema.shape);

export function toTask(id: TaskId, input: TaskInput): Task {
  const { after = [], labels = [], ...rest } = input;
  return newTask({
    ...defined(rest),
    id,
    title: input.title,
    after: [...new Set(after)],
    labels: [...new Set(labels)],
  });
}

/** Gives every task of a document an id. Reports ids that are used twice; letter case does not tell ids apart. */
export function assemble(
  inputs: readonly TaskInput[],
  document: Document,
): { readonly tasks: readonly Task[]; readonly problems: readonly Problem[] } {
  const lineOf = (at: number): number | undefined => document.lineOf(['tasks', at, 'id']);
  const ids = inputs.map(({ id }) => id);
  const problems = repeatedIds(ids, lineOf);
  const taken = new Set(ids.flatMap((id) => (id === undefined ? [] : [id.toLowerCase()])));
  const next = new Map<string, number>();
  const tasks = inputs.map((input, at) => {
    if (input.id !== undefined) return toTask(input.id, input);
    const wanted = idFromTitle(input.title) || `task-${at + 1}`;
    const id = freeId(wanted, taken, next);
    taken.add(id);
    return toTask(id, input);
  });
  return { tasks, problems };
}

/** Reports ids that are used twice. `lineOf` gives the line of the id at an index. */
export function repeatedIds(
  ids: readonly (TaskId | undefined)[],
  lineOf: (at: number) => number | undefined,
): readonly Problem[] {
  const first = new Map<string, number>();
  return ids.flatMap((id, at) => {
    if (id === undefined) return [];
    const before = first.get(id.toLowerCase());
    if (before !== undefined) return [usedTwice(id, lineOf(at), lineOf(before))];
    first.set(id.toLowerCase(), at);
    return [];
  });
}

function usedTwice(id: TaskId, line: number | undefined, first: number | undefined): Problem {
  const where = first === undefined ? '' : ` (first on line ${first})`;
  return problemAt(
    line,
    `the id "${id}" is used a second time${where}`,
    'Give each task its own id; letter case does not tell ids apart.',
  );
}

/** Finds an id that is not taken. `next` keeps the last number of each name, so that many equal titles stay cheap. */
function freeId(wanted: TaskId, taken: ReadonlySet<string>, next: Map<string, number>): TaskId {
  let number = next.get(wanted) ?? 1;
  let id = number === 1 ? wanted : `${wanted}-${number}`;
  while (taken.has(id)) {
    number += 1;
    id = `${wanted}-${number}`;
  }
  next.set(wanted, number);
  return id;
}
