import { z } from 'zod';
import { type Document, optional, type Problem, problemAt, quoted } from '../document/document.ts';
import { readJsonLines } from '../document/json-lines.ts';
import { formatDuration } from '../model/duration.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { TaskId } from '../model/task.ts';
import { isWork, labelsOf, linkIssues, linkKind, taskType } from './beads-links.ts';
import {
  bodyOf,
  checkItem,
  checkTask,
  counted,
  idsText,
  importedId,
  type KeyNames,
  listItems,
  type Place,
  type Reading,
  readingOf,
} from './foreign-task.ts';
import { repeatedIds, type TaskInput, toTask } from './schema.ts';

const text = optional(z.string({ error: quoted }));
const flag = optional(z.boolean({ error: 'Write true or false.' }));

/** Fields of every record, also that of a closed issue. */
const headSchema = z.object(
  { id: z.string({ error: quoted }).min(1, { error: 'Give the issue an id.' }), status: text },
  { error: 'Write each line as a JSON object with an issue of Beads.' },
);

const issueSchema = headSchema.extend({
  title: optional(z.unknown()),
  description: text,
  design: text,
  acceptance_criteria: text,
  notes: text,
  priority: optional(z.unknown()),
  issue_type: text,
  labels: optional(z.array(z.string({ error: quoted }), { error: 'Give a list of texts.' })),
  dependencies: optional(
    z.array(
      z.object(
        { depends_on_id: z.string({ error: quoted }), type: z.string({ error: quoted }) },
        { error: 'Give "depends_on_id" and "type".' },
      ),
      { error: 'Give a list of dependencies.' },
    ),
  ),
  external_ref: text,
  estimated_minutes: optional(
    z.int({ error: 'Give whole minutes.' }).min(0, { error: 'Give whole minutes.' }),
  ),
  is_template: flag,
  ephemeral: flag,
  pinned: flag,
});

type IssueRecord = z.output<typeof issueSchema>;

const keys: KeyNames = {
  body: 'description',
  type: 'issue_type',
  acceptance: 'acceptance_criteria',
  estimate: 'estimated_minutes',
  link: 'external_ref',
};

interface Issue {
  readonly id: TaskId;
  readonly input: TaskInput;
  readonly parent: TaskId | undefined;
  readonly blockers: readonly TaskId[];
  readonly held: boolean;
  readonly active: boolean;
}

/** True for the text of an export that came without the name of a file. */
export function isBeadsExport(text: string): boolean {
  const first = /^\s*(\{.*)/.exec(text.replace(/^\uFEFF/, ''))?.[1];
  const parsed = first === undefined ? undefined : readJsonLines(first);
  const [value]: readonly unknown[] =
    parsed?.ok === true && Array.isArray(parsed.value.value) ? parsed.value.value : [];
  if (typeof value !== 'object' || value === null) return false;
  return 'id' in value && ('issue_type' in value || ('_type' in value && value._type === 'issue'));
}

/** Reads the open issues of an export of Beads: one JSON object per line. */
export function readBeads(text: string): Result<Reading, readonly Problem[]> {
  const parsed = readJsonLines(text.replace(/^\uFEFF/, ''));
  if (!parsed.ok) return parsed;
  const records: readonly unknown[] = Array.isArray(parsed.value.value) ? parsed.value.value : [];
  const ids: (TaskId | undefined)[] = [];
  const done = new Set<TaskId>();
  const issues: Issue[] = [];
  const problems: Problem[] = [];
  for (const [at, record] of records.entries()) {
    if (isOtherRecord(record)) {
      ids.push(undefined);
      continue;
    }
    const place = placeOf(record, at, parsed.value);
    const head = checkItem(headSchema, record, place);
    ids.push(head.ok ? importedId(head.value.id) : undefined);
    if (head.ok && isDone(head.value.status)) done.add(importedId(head.value.id));
    else {
      const issue = readIssue(record, place);
      if (issue.ok) issues.push(issue.value);
      else problems.push(...issue.failure);
    }
  }
  problems.push(...repeatedIds(ids, (at) => parsed.value.lineOf([at])));
  if (issues.length > limits.tasksPerImport) problems.push(tooMany);
  if (ids.every((id) => id === undefined) && problems.length === 0) problems.push(nothing);
  return problems.length > 0 ? fail(problems) : ok(tasksOf(issues, done));
}

/** Memories and other records than issues. */
function isOtherRecord(record: unknown): boolean {
  if (typeof record !== 'object' || record === null || !('_type' in record)) return false;
  return record._type !== 'issue';
}

function placeOf(record: unknown, at: number, document: Document): Place {
  const line = document.lineOf([at]);
  const id = typeof record === 'object' && record !== null && 'id' in record ? record.id : '';
  const name = typeof id === 'string' && id !== '' ? `issue "${id.slice(0, 40)}"` : 'the issue';
  return { name, lineOf: () => line };
}

const isDone = (status: string | undefined): boolean =>
  status === 'closed' || status === 'tombstone';
const isActive = (status: string | undefined): boolean =>
  status === 'in_progress' || status === 'hooked';

/** Any other status, such as deferred or one of the user's own, keeps an issue from being ready. */
function isHeld({ status, issue_type, is_template, ephemeral, pinned }: IssueRecord): boolean {
  const isOpen = ['', 'open', 'blocked'].includes(status ?? '') || isActive(status);
  const isMarked = is_template === true || ephemeral === true || pinned === true;
  return !isOpen || isMarked || !isWork(issue_type);
}

function readIssue(record: unknown, place: Place): Result<Issue, readonly Problem[]> {
  const checked = checkItem(issueSchema, record, place);
  if (!checked.ok) return checked;
  const issue = checked.value;
  const id = importedId(issue.id);
  const input = checkTask(inputOf(issue, id), place, keys);
  const problems = linkProblems(issue, place);
  if (!input.ok) return fail([...input.failure, ...problems]);
  if (problems.length > 0) return fail(problems);
  const linked = (kind: string): readonly TaskId[] =>
    (issue.dependencies ?? [])
      .filter(({ type }) => linkKind(type) === kind)
      .map(({ depends_on_id }) => importedId(depends_on_id));
  return ok({
    id,
    input: input.value,
    parent: linked('parent')[0],
    blockers: linked('after'),
    held: isHeld(issue) || linked('held').length > 0,
    active: isActive(issue.status),
  });
}

function inputOf(issue: IssueRecord, id: TaskId): Readonly<Record<string, unknown>> {
  const { description = '', acceptance_criteria = '', estimated_minutes: minutes = 0 } = issue;
  return {
    id,
    title: issue.title,
    body: bodyOf(['', description], ['Design', issue.design], ['Notes', issue.notes]),
    priority: issue.priority,
    type: taskType(issue.issue_type),
    labels: labelsOf(issue.labels ?? [], description),
    acceptance: acceptance_criteria.trim() === '' ? undefined : listItems(acceptance_criteria),
    estimate: minutes === 0 ? undefined : formatDuration(minutes * 60_000),
    link: /^https?:\/\/\S+$/.test(issue.external_ref ?? '') ? issue.external_ref : undefined,
  };
}

function linkProblems({ dependencies = [] }: IssueRecord, place: Place): readonly Problem[] {
  const line = place.lineOf(['dependencies']);
  const problems = dependencies.flatMap(({ depends_on_id: id, type }) => {
    if (linkKind(type) === undefined || !id.startsWith('external:')) return [];
    const problem = `${place.name} waits for "${id}" of another project`;
    const remedy = 'Remove this dependency with `bd dep remove`, then export again.';
    return [problemAt(line, problem, remedy)];
  });
  if (dependencies.filter(({ type }) => linkKind(type) === 'parent').length > 1) {
    const remedy = 'Keep one dependency of type parent-child.';
    problems.push(problemAt(line, `${place.name} has more than one parent`, remedy));
  }
  return problems;
}

function tasksOf(issues: readonly Issue[], done: ReadonlySet<TaskId>): Reading {
  const links = linkIssues(issues, done);
  const tasks = issues.flatMap(({ id, input }) => {
    const link = links.tasks.get(id);
    if (link === undefined) return [];
    return [toTask(id, { ...input, after: [...link.after], parent: link.parent })];
  });
  const active = issues.filter((issue) => issue.active && links.tasks.has(issue.id));
  return readingOf(tasks, [activeNote(active.map(({ id }) => id)), heldNote(links.held)]);
}

function activeNote(ids: readonly TaskId[]): string {
  if (ids.length === 0) return '';
  const are =
    ids.length === 1 ? 'is in progress and becomes a task' : 'are in progress and become tasks';
  return `${counted(ids.length, 'issue')} ${are}: ${idsText(ids)}. End other work on ${ids.length === 1 ? 'it' : 'them'} first.`;
}

/** Says which issues of Beads are left out because they are on hold. */
export function heldNote(ids: readonly TaskId[]): string {
  if (ids.length === 0) return '';
  const are = ids.length === 1 ? 'is' : 'are';
  return `${counted(ids.length, 'issue')} ${are} left out, on hold or waiting for one that is: ${idsText(ids)}.`;
}

const tooMany: Problem = {
  problem: `it contains more than ${limits.tasksPerImport} open issues`,
  remedy: 'Export fewer issues at once.',
};

const nothing: Problem = {
  problem: 'it contains no issue',
  remedy: 'Write the file with `bd export -o .beads/issues.jsonl`.',
};
