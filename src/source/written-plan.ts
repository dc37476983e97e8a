import { yamlText } from '../document/yaml.ts';
import { newTask, type Task } from '../model/task.ts';
import { readChecklist } from './checklist.ts';
import { taskKeys } from './schema.ts';

/** Formats that tasks are written in and read back from. */
export type WrittenFormat = 'json' | 'yaml' | 'markdown';

/** A task to write; only a checklist marks what is done. */
interface WrittenTask {
  readonly task: Task;
  readonly done: boolean;
}

/** Writes tasks so that `ym import` reads the same ones. Keys that have their default are left out. */
export function writtenPlan(tasks: readonly WrittenTask[], format: WrittenFormat): string {
  const plan = { tasks: tasks.map(({ task }) => keysOf(task)) };
  switch (format) {
    case 'json':
      return `${JSON.stringify(plan, undefined, 2)}\n`;
    case 'yaml':
      return yamlText(plan);
    case 'markdown':
      return `# Tasks\n\n${tasks.map(itemOf).join('')}`;
  }
}

type Keys = Readonly<Record<string, unknown>>;

function keysOf(task: Task): Keys {
  const bare: Keys = newTask({ id: '', title: '' });
  const values: Keys = task;
  return Object.fromEntries(
    taskKeys.flatMap((key) => {
      const value = values[key];
      const isDefault = JSON.stringify(value) === JSON.stringify(bare[key]);
      return value === undefined || isDefault ? [] : [[key, value]];
    }),
  );
}

/** An item of a checklist. What its lines cannot say exactly goes into the comment with the keys. */
function itemOf({ task, done }: WrittenTask): string {
  const { title, body, ...keys } = keysOf(task);
  const sign = done ? 'x' : ' ';
  const item = (shown: string, comment: Keys, lines: string): string =>
    `- [${sign}] ${shown} <!-- ${jsonLine(comment)} -->\n${lines}`;
  const indented = task.body === '' ? '' : `${task.body.replace(/^(?=.)/gm, '  ')}\n`;
  const plain = item(task.title, keys, indented);
  if (readsBack(plain, sign, task)) return plain;
  const exact = { ...keys, ...(title === undefined ? {} : { title }), body: body ?? '' };
  return item(shownTitle(task.title), exact, '');
}

/** True if the item is read as this task, and ends before the next item. */
function readsBack(item: string, sign: string, task: Task): boolean {
  const next = '- [ ] Next <!-- {"id":"next"} -->\n';
  const open = sign === ' ' ? item : item.replace('[x]', '[ ]');
  const read = readChecklist('', `${open}${next}`);
  if (!read.ok || read.value.length !== 2 || task.id.toLowerCase() === 'next') return false;
  return JSON.stringify(keysOf(read.value[0] ?? task)) === JSON.stringify(keysOf(task));
}

/** JSON on one line. The separators that only some readers take for line breaks are written as escapes. */
const jsonLine = (keys: Keys): string =>
  JSON.stringify(keys).replace(
    /[\u0085\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** A title that cannot be taken for a comment or several lines; its key has the exact text. */
const shownTitle = (title: string): string =>
  title
    .replace(/[\p{Cc}\u2028\u2029]/gu, ' ')
    .replaceAll('<!--', '<! --')
    .trim() || 'Task';
