import type { Task } from '../model/task.ts';
import type { Action } from '../web/action.ts';

/** Fields of a task by the keys of a plan file; null clears a value. */
export type Fields = Extract<Action, { kind: 'edit' }>['changes'];

/** A field of the form. `bestOf` and `agents` are the two parts of `attempts`. */
export interface Field {
  readonly key: Exclude<keyof Task, 'attempts' | 'id'> | 'bestOf' | 'agents';
  readonly label: string;
  /** `names` are separated by commas, `lines` by line breaks. */
  readonly kind: 'line' | 'text' | 'names' | 'lines' | 'number';
  /** Value of an empty field that cannot be cleared. */
  readonly ifEmpty?: string;
  /** Hidden until a person asks for more. */
  readonly isRare?: true;
}

export const fields: readonly Field[] = [
  { key: 'title', label: 'Title', kind: 'line' },
  { key: 'body', label: 'Description: what to do and when it is done', kind: 'text' },
  { key: 'after', label: 'After: ids of tasks that must land first', kind: 'names' },
  { key: 'labels', label: 'Labels', kind: 'names' },
  { key: 'paths', label: 'Files it is expected to change, as globs', kind: 'names' },
  { key: 'acceptance', label: 'Acceptance: one condition a line', kind: 'lines' },
  { key: 'agent', label: 'Agent', kind: 'line' },
  { key: 'estimate', label: 'Estimate, such as 30m', kind: 'line' },
  { key: 'parent', label: 'Parent: epic that it belongs to', kind: 'line', isRare: true },
  { key: 'checks', label: 'Checks: one gate command a line', kind: 'lines', isRare: true },
  {
    key: 'bestOf',
    label: 'Attempts side by side, one of which lands',
    kind: 'number',
    isRare: true,
  },
  { key: 'agents', label: 'Agents of these attempts, in turn', kind: 'names', isRare: true },
  { key: 'type', label: 'Type', kind: 'line', ifEmpty: 'task', isRare: true },
  { key: 'difficulty', label: 'Difficulty: easy, medium or hard', kind: 'line', isRare: true },
  {
    key: 'wait',
    label: 'Wait: one condition a line, such as pull 12',
    kind: 'lines',
    isRare: true,
  },
  { key: 'link', label: 'Link', kind: 'line', isRare: true },
];

/** Texts of the form, by the key of their field. */
export type Texts = Readonly<Record<string, string>>;

export function textsOf({ attempts, ...task }: Partial<Task>): Texts {
  const values = { ...task, bestOf: attempts?.best_of, agents: attempts?.agents };
  return Object.fromEntries(fields.map(({ key, kind }) => [key, textOf(values[key], kind)]));
}

function textOf(value: unknown, kind: Field['kind']): string {
  if (Array.isArray(value)) return value.join(kind === 'lines' ? '\n' : ', ');
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** Fields that a person changed in the form. Both parts of `attempts` change together. */
export function changesIn(before: Texts, texts: Texts): Fields {
  const changed = fields.filter(({ key }) => texts[key] !== before[key]);
  const values = Object.fromEntries(changed.map((field) => [field.key, valueIn(texts, field)]));
  const { bestOf, agents, ...rest } = values;
  return bestOf === undefined && agents === undefined
    ? rest
    : { ...rest, attempts: attemptsIn(texts) };
}

/** Without a number there is one attempt for each agent. */
function attemptsIn(texts: Texts): Fields[string] {
  const agents = namesIn(texts.agents ?? '', ',');
  const written = texts.bestOf?.trim() ?? '';
  const best_of = written === '' && agents.length > 0 ? undefined : Number(written || 1);
  return {
    best_of,
    ...(agents.length === 0 ? {} : { agents }),
  };
}

function valueIn(texts: Texts, { key, kind, ifEmpty = '' }: Field): string | string[] | null {
  const text = texts[key] ?? '';
  if (kind === 'names') return namesIn(text, ',');
  return kind === 'lines' ? namesIn(text, '\n') : text || ifEmpty || null;
}

const namesIn = (text: string, separator: string): string[] =>
  text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');
