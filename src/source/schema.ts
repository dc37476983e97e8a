import { z } from 'zod';
import { optional, quoted } from '../document/issues.ts';
import { limits } from '../model/limits.ts';
import { idProblem, idRule, isTaskId, type Priority } from '../model/task.ts';

const typeChars = 80;

const oneLine = (text: string): boolean => !/[\r\n]/.test(text);
const nonEmpty = (text: string): boolean => text !== '';

const text = z.string({ error: quoted });

/** One value or a list of values. */
const listOf = <T extends z.ZodType>(item: T, hint: string) =>
  optional(
    z.preprocess(
      (value) => (value === undefined || Array.isArray(value) ? value : [value]),
      z.array(item, { error: hint }),
    ),
  );

const title = text
  .trim()
  .refine(nonEmpty, { error: 'Describe the task in a few words.' })
  .refine(oneLine, { error: 'Keep the title to one line and put the rest into "body".' })
  .max(limits.titleChars, {
    error: `Keep the title to ${limits.titleChars} characters and put the rest into "body".`,
  });

/** An unquoted 12 is a number in YAML and TOML, but means the id "12". */
const id = z
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

const priority = optional(
  z
    .union([z.literal([0, 1, 2, 3, 4]), z.string().regex(/^[Pp]?[0-4]$/)], {
      error: 'Give 0 (first) to 4 (last), or P0 to P4.',
    })
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

const command = text.trim().refine(nonEmpty, { error: 'Give a command, or leave the item out.' });

export const taskSchema = z.strictObject(
  {
    id: optional(id),
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
    agent: optional(
      text.trim().refine(nonEmpty, { error: 'Name an agent, or leave the key out.' }),
    ),
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

export const taskKeys: readonly string[] = Object.keys(taskSchema.shape);
