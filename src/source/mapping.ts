import { readCsv } from '../document/csv.ts';
import {
  type Document,
  type Path,
  type Problem,
  problemAt,
  problemsOf,
  type Wording,
} from '../document/document.ts';
import { readJson } from '../document/json.ts';
import { didYouMean, nearest } from '../graph/nearest.ts';
import { defined } from '../model/defined.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import { epicType, type Priority, type Task } from '../model/task.ts';
import { assemble, planSchema, taskKeys } from './schema.ts';

/** How the rows of a tracker's export become tasks. */
export interface Mapping {
  /** Columns by the key of a task, or `status`. A `?` at the end of a column says that it may be missing. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  readonly priorities: Readonly<Record<string, Priority>>;
  readonly types: Readonly<Record<string, string>>;
  /** Values of `status` of rows that are done: these become no tasks, and nothing waits for them. */
  readonly done: readonly string[];
  readonly idPrefix: string;
}

/** Mappings that need no config. */
export const readyMappings: Readonly<Record<string, Mapping>> = {
  jira: {
    fields: {
      id: ['Issue key'],
      title: ['Summary'],
      body: ['Description?'],
      priority: ['Priority?'],
      type: ['Issue Type?'],
      labels: ['Labels?'],
      after: ['Inward issue link (Blocks)?'],
      parent: ['Parent key?', 'Epic Link?'],
      status: ['Status'],
    },
    priorities: {
      Blocker: 0,
      Critical: 0,
      Highest: 0,
      Major: 1,
      High: 1,
      Medium: 2,
      Minor: 3,
      Low: 3,
      Trivial: 4,
      Lowest: 4,
    },
    types: { Story: 'feature', 'New Feature': 'feature', Improvement: 'feature' },
    done: ['Done', 'Closed', 'Resolved', 'Canceled', 'Cancelled', "Won't Do"],
    idPrefix: '',
  },
  linear: {
    fields: {
      id: ['ID'],
      title: ['Title'],
      body: ['Description?'],
      priority: ['Priority?'],
      labels: ['Labels?'],
      after: ['Blocked by?'],
      parent: ['Parent issue?'],
      link: ['URL?'],
      status: ['Status'],
    },
    priorities: { Urgent: 0, High: 1, Medium: 2, Low: 3, 'No priority': 2 },
    types: {},
    done: ['Done', 'Canceled', 'Cancelled', 'Duplicate'],
    idPrefix: '',
  },
};

/**
 * Keys that a mapping may give columns for. Not `wait`: it could run a command that any user of the tracker wrote. Not
 * `attempts`, which is no text.
 */
export const mappedKeys: readonly string[] = [
  ...taskKeys.filter((key) => key !== 'wait' && key !== 'attempts'),
  'status',
];

/** One row: the values of each column. A column that occurs several times has several. */
interface Row {
  lineOf(): number | undefined;
  values(column: string): readonly string[];
}

interface Rows {
  readonly columns: readonly string[];
  has(column: string): boolean;
  readonly rows: readonly Row[];
}

/** Reads the tasks of an export. `name` is that of the mapping, for messages. */
export function readExport(
  text: string,
  format: 'csv' | 'json',
  mapping: Mapping,
  name: string,
): Result<readonly Task[], readonly Problem[]> {
  const read = format === 'csv' ? csvRows(text) : jsonRows(text);
  if (!read.ok) return read;
  const missing = missingColumns(mapping, read.value, name);
  return missing.length > 0 ? fail(missing) : tasksOf(read.value.rows, mapping, name);
}

function csvRows(text: string): Result<Rows, readonly Problem[]> {
  const table = readCsv(text);
  if (!table.ok) return table;
  const { columns } = table.value;
  const places = new Map<string, number[]>();
  for (const [at, column] of columns.entries()) {
    places.set(column, [...(places.get(column) ?? []), at]);
  }
  const rows = table.value.rows.map(({ line, cells }) => ({
    lineOf: () => line,
    values: (column: string) => (places.get(column) ?? []).map((at) => cells[at] ?? ''),
  }));
  return ok({ columns: [...places.keys()], has: (column) => places.has(column), rows });
}

/** A list of objects, or an object with such a list as `issues`, as the API of Jira prints it. */
function jsonRows(text: string): Result<Rows, readonly Problem[]> {
  const parsed = readJson(text.replace(/^\uFEFF/, ''));
  if (!parsed.ok) return parsed;
  const { value, lineOf } = parsed.value;
  const path = isMap(value) ? ['issues'] : [];
  const issues = isMap(value) ? value.issues : value;
  const list: readonly unknown[] = Array.isArray(issues) ? issues : [undefined];
  const wrong = list.findIndex((row) => !isMap(row));
  if (wrong !== -1) {
    const remedy = 'Give a list of objects, one for each task.';
    return fail([problemAt(lineOf([...path, wrong]), 'it is not a list of objects', remedy)]);
  }
  const maps = list.filter(isMap);
  const rows = maps.map((row, at) => ({
    lineOf: () => lineOf([...path, at]),
    values: (column: string) => valuesAt(row, column),
  }));
  return ok({
    columns: [...new Set(maps.flatMap((row) => Object.keys(row)))],
    has: (column) => maps.length === 0 || maps.some((row) => isKey(row, column)),
    rows,
  });
}

type JsonMap = Readonly<Record<string, unknown>>;

const isMap = (value: unknown): value is JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** True if the row has the column, or the beginning of a path such as `fields.summary`. */
const isKey = (row: JsonMap, column: string): boolean =>
  Object.hasOwn(row, column) || Object.hasOwn(row, column.split('.')[0] ?? '');

/** Texts at a column of an object; `fields.labels.name` goes into objects and lists. */
function valuesAt(row: JsonMap, column: string): readonly string[] {
  let found: readonly unknown[] = [row];
  for (const part of Object.hasOwn(row, column) ? [column] : column.split('.')) {
    found = found.flatMap((one): readonly unknown[] => {
      const inner = isMap(one) && Object.hasOwn(one, part) ? one[part] : undefined;
      return Array.isArray(inner) ? inner : [inner];
    });
  }
  return found.flatMap((one) => (one === undefined || one === null ? [] : [textOf(one)]));
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

const columnName = (column: string): string => column.replace(/\?$/, '');

const shownColumns = 40;

function missingColumns({ fields }: Mapping, { columns, has }: Rows, name: string): Problem[] {
  const wanted = Object.values(fields).flat();
  const absent = wanted.filter((column) => !column.endsWith('?') && !has(column));
  const shown = columns.slice(0, shownColumns).join(', ');
  const more = columns.length > shownColumns ? ` and ${columns.length - shownColumns} more` : '';
  return absent.map((column) => ({
    line: 1,
    problem: `there is no column "${column}", which the mapping "${name}" names`,
    remedy: `${didYouMean(nearest(column, columns))}Columns here: ${shown}${more}. Correct "sources.${name}.fields", or write "${column}?" for a column that may be missing.`,
  }));
}

/** Keys whose cells list several values, separated by commas; other lists have one value per line. */
const commaLists = new Set(['after', 'labels', 'paths']);
const lineLists = new Set(['checks', 'acceptance']);

type Input = Readonly<Record<string, unknown>>;

function tasksOf(
  rows: readonly Row[],
  mapping: Mapping,
  name: string,
): Result<readonly Task[], readonly Problem[]> {
  const problems: Problem[] = [];
  const done = new Set<string>();
  const finished = new Set(mapping.done.map((status) => status.toLowerCase()));
  const open: { readonly row: Row; readonly input: Input }[] = [];
  for (const row of rows) {
    const [status = ''] = cellsOf(row, mapping, 'status');
    const input = inputOf(row, mapping);
    if (finished.has(status.toLowerCase())) done.add(String(input.id));
    else {
      problems.push(...priorityProblem(row, mapping, name));
      open.push({ row, input });
    }
  }
  const ids = new Set(open.map(({ input }) => input.id));
  const parents = new Set(open.map(({ input }) => input.parent).filter((id) => ids.has(id)));
  const inputs = open.map(({ input: { after, parent, ...input } }) => ({
    ...input,
    after: (Array.isArray(after) ? after : []).filter((id: unknown) => !done.has(String(id))),
    ...(parents.has(parent) ? { parent } : {}),
    ...(parents.has(input.id) ? { type: epicType } : {}),
  }));
  const document: Document = {
    value: { tasks: inputs },
    lineOf: ([, at]: Path) => open[Number(at)]?.row.lineOf(),
  };
  if (problems.length > 0) return fail(problems);
  const checked = planSchema.safeParse(document.value);
  if (!checked.success) return fail(problemsOf(checked.error, document, wordingOf(mapping)));
  const assembled = assemble(checked.data.tasks, document);
  return assembled.problems.length > 0 ? fail(assembled.problems) : ok(assembled.tasks);
}

/** The trimmed values of a key that are not empty. */
function cellsOf(row: Row, { fields }: Mapping, key: string): readonly string[] {
  const columns = (Object.hasOwn(fields, key) ? fields[key] : undefined) ?? [];
  return columns
    .flatMap((column) => row.values(columnName(column)))
    .map((cell) => cell.replace(/\r\n/g, '\n').trim())
    .filter((cell) => cell !== '');
}

function inputOf(row: Row, mapping: Mapping): Input {
  const prefixed = (id: string): string => `${mapping.idPrefix}${id}`;
  const input: Record<string, unknown> = {};
  for (const key of taskKeys) {
    const cells = cellsOf(row, mapping, key);
    const [first] = cells;
    if (commaLists.has(key)) input[key] = cells.flatMap((cell) => listed(cell, ','));
    else if (lineLists.has(key)) input[key] = cells.flatMap((cell) => listed(cell, '\n'));
    else if (key === 'priority') input[key] = priorityOf(first, mapping);
    else if (key === 'type') input[key] = typeOf(first, mapping);
    else if (first !== undefined) input[key] = first;
  }
  const { id, after, parent } = input;
  const ids = Array.isArray(after) ? after.map((one: unknown) => prefixed(String(one))) : [];
  return {
    ...defined(input),
    // An absent id is refused, because one from the title would change with the title.
    id: typeof id === 'string' ? prefixed(id) : '',
    after: ids,
    ...(typeof parent === 'string' ? { parent: prefixed(parent) } : {}),
  };
}

const listed = (cell: string, separator: string): readonly string[] =>
  cell
    .split(separator)
    .map((one) => one.trim())
    .filter((one) => one !== '');

function priorityOf(cell: string | undefined, { priorities }: Mapping): Priority | undefined {
  if (cell === undefined) return undefined;
  const named = Object.entries(priorities).find(([word]) => isSameWord(word, cell))?.[1];
  if (named !== undefined) return named;
  const digit = /^[Pp]?([0-4])$/.exec(cell)?.[1];
  return digit === undefined ? undefined : (Number(digit) as Priority);
}

function priorityProblem(row: Row, mapping: Mapping, name: string): readonly Problem[] {
  const [cell] = cellsOf(row, mapping, 'priority');
  if (cell === undefined || priorityOf(cell, mapping) !== undefined) return [];
  const known = Object.keys(mapping.priorities).join(', ') || 'none';
  const remedy = `Add it to "sources.${name}.priorities" with a number from 0 (first) to 4 (last). Known: ${known}.`;
  return [problemAt(row.lineOf(), `the priority "${cell}" is not known`, remedy)];
}

function typeOf(cell: string | undefined, { types }: Mapping): string | undefined {
  if (cell === undefined) return undefined;
  return Object.entries(types).find(([word]) => isSameWord(word, cell))?.[1] ?? cell.toLowerCase();
}

const isSameWord = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

const wordingOf = ({ fields }: Mapping): Wording => ({
  name: ([, , key]: Path) => {
    if (key === undefined) return 'the row';
    const columns = (Object.hasOwn(fields, key) ? fields[String(key)] : undefined) ?? [];
    const from = columns.length === 0 ? '' : ` (${columns.map(columnName).join(', ')})`;
    return `"${String(key)}"${from}`;
  },
  keys: () => taskKeys,
});
