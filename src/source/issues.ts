import {
  type Document,
  type Path,
  type Problem,
  problemsOf,
  type Wording,
} from '../document/document.ts';
import { fenceTracker } from '../document/fences.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import { defaultPriority, defaultType, epicType, type Priority, type Task } from '../model/task.ts';
import { assemble, planSchema, taskKeys } from './schema.ts';

export interface Issue {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly labels: readonly string[];
  readonly milestone: string | undefined;
  readonly state: IssueState;
  readonly url: string;
}

export type IssueState = 'open' | 'closed';

/** An issue that another waits for. `number` is undefined if it is in another repository. */
export interface Blocker {
  readonly name: string;
  readonly number: number | undefined;
  readonly state: IssueState;
}

/** Relations of an issue to others, as the tracker knows them. */
export interface Relations {
  readonly parent: number | undefined;
  readonly blockers: readonly Blocker[];
}

export interface IssueList {
  /** Begins the ids of the tasks: `gh` gives gh-12. */
  readonly prefix: string;
  readonly issues: readonly Issue[];
  readonly relations: ReadonlyMap<number, Relations>;
  /** States of issues that only texts name. One that is absent does not exist. */
  readonly others: ReadonlyMap<number, IssueState>;
}

const dependency =
  /^[ \t]*(?:[-*+][ \t]+)?(?:\*\*|__)?(?:depends on|blocked by)(?:\*\*|__)?:?(?:\*\*|__)?[ \t]+(.*)$/i;

/** Numbers of the issues that a text waits for: those after "Depends on" or "Blocked by" at the start of a line. */
export function blockersIn(body: string): readonly number[] {
  const isCode = fenceTracker();
  const numbers = new Set<number>();
  for (const line of body.split(/\r?\n/)) {
    if (isCode(line.trimStart())) continue;
    const rest = dependency.exec(line)?.[1] ?? '';
    const listed =
      /^#\d{1,9}\b(?:(?:[ \t]*(?:,|&|and\b)[ \t]*)+#\d{1,9}\b)*/i.exec(rest)?.[0] ?? '';
    for (const [, digits] of listed.matchAll(/#(\d+)/g)) numbers.add(Number(digits));
  }
  return [...numbers];
}

/** Turns issues into tasks, in the order of their numbers, or reports everything that is wrong with them. */
export function tasksOfIssues(list: IssueList): Result<readonly Task[], readonly Problem[]> {
  const issues = list.issues.toSorted((a, b) => a.number - b.number);
  const byNumber = new Map(issues.map((issue) => [issue.number, issue]));
  const parents = new Map(
    issues.flatMap(({ number }) => {
      const parent = list.relations.get(number)?.parent;
      return parent === undefined || !byNumber.has(parent) ? [] : [[number, parent] as const];
    }),
  );
  const epics = new Set(parents.values());
  const problems: Problem[] = [];
  const inputs = issues.map((issue) => {
    const waits = waitsOf(issue, list, byNumber);
    problems.push(...waits.problems);
    const { priority, type, labels } = meaningOf(issue.labels);
    const parent = parents.get(issue.number);
    return {
      id: idOf(list, issue.number),
      title: issue.title,
      body: issue.body.replace(/\r\n/g, '\n'),
      after: waits.after.map((number) => idOf(list, number)),
      priority,
      type: epics.has(issue.number) ? epicType : type,
      labels: issue.milestone === undefined ? labels : [...labels, `milestone:${issue.milestone}`],
      link: issue.url,
      parent: parent === undefined ? undefined : idOf(list, parent),
    };
  });
  const document: Document = { value: { tasks: inputs }, lineOf: () => undefined };
  const checked = planSchema.safeParse(document.value);
  if (!checked.success) {
    return fail([...problems, ...problemsOf(checked.error, document, wordingFor(issues))]);
  }
  const assembled = assemble(checked.data.tasks, document);
  problems.push(...assembled.problems);
  return problems.length > 0 ? fail(problems) : ok(assembled.tasks);
}

const idOf = ({ prefix }: IssueList, number: number): string => `${prefix}-${number}`;

/** Open issues that one waits for. Closed ones are done. An open one outside of the list could never land. */
function waitsOf(
  { number, title, body }: Issue,
  { relations, others }: IssueList,
  byNumber: ReadonlyMap<number, Issue>,
): { readonly after: readonly number[]; readonly problems: readonly Problem[] } {
  const named = blockersIn(body).map((other) => ({
    name: `#${other}`,
    number: other,
    state: byNumber.get(other)?.state ?? others.get(other),
  }));
  const known = relations.get(number)?.blockers ?? [];
  const after = new Set<number>();
  const problems = new Map<string, Problem>();
  const of = `#${number} (${shortened(title)})`;
  for (const { name, number: other, state } of [...known, ...named]) {
    const listed = other === undefined ? undefined : byNumber.get(other);
    if ((listed?.state ?? state) === 'closed') continue;
    if (listed !== undefined) after.add(listed.number);
    else if (state === undefined) {
      problems.set(name, {
        problem: `${of} waits for ${name}, which does not exist`,
        remedy: `Correct the text of #${number}.`,
      });
    } else {
      problems.set(name, {
        problem: `${of} waits for ${name}, which is open but not among the issues that were asked for`,
        remedy: `Ask for ${name} too (with fewer filters), close it, or remove the dependency from #${number}.`,
      });
    }
  }
  return { after: [...after], problems: [...problems.values()] };
}

const titleShown = 40;

const shortened = (title: string): string =>
  title.length > titleShown ? `${title.slice(0, titleShown)}…` : title;

const priorityNames: Readonly<Record<string, Priority>> = {
  critical: 0,
  urgent: 0,
  highest: 0,
  high: 1,
  medium: 2,
  normal: 2,
  low: 3,
  lowest: 4,
};
const typeNames: Readonly<Record<string, string>> = {
  bug: 'bug',
  enhancement: 'feature',
  feature: 'feature',
  documentation: 'docs',
};

/** Reads priority and type from labels. The most urgent priority and the first type count; these are no labels then. */
export function meaningOf(labels: readonly string[]): Pick<Task, 'priority' | 'type' | 'labels'> {
  const rest: string[] = [];
  const priorities: Priority[] = [];
  let type: string | undefined;
  for (const label of labels) {
    const priority = priorityOf(label);
    const kind = typeOf(label);
    if (priority !== undefined) priorities.push(priority);
    else if (kind !== undefined && type === undefined) type = kind;
    else rest.push(label);
  }
  const [first] = priorities.sort((a, b) => a - b);
  return { priority: first ?? defaultPriority, type: type ?? defaultType, labels: rest };
}

function priorityOf(label: string): Priority | undefined {
  const digit =
    /^p([0-4])$/i.exec(label) ?? /^prio(?:rity)?[ \t]*[:/_-]+[ \t]*p?([0-4])$/i.exec(label);
  if (digit !== null) return Number(digit[1]) as Priority;
  const word = /^prio(?:rity)?[ \t]*[:/_-]+[ \t]*([a-z]+)$/i.exec(label)?.[1] ?? '';
  return meant(priorityNames, word);
}

const typeOf = (label: string): string | undefined =>
  meant(typeNames, label.replace(/^(?:type|kind)[ \t]*[:/]+[ \t]*/i, ''));

function meant<T>(names: Readonly<Record<string, T>>, word: string): T | undefined {
  return Object.hasOwn(names, word.toLowerCase()) ? names[word.toLowerCase()] : undefined;
}

const wordingFor = (issues: readonly Issue[]): Wording => ({
  name: ([, at, key, item]: Path) => {
    const issue = `issue #${issues[Number(at)]?.number ?? '?'}`;
    if (key === undefined) return issue;
    const place = item === undefined ? '' : `item ${Number(item) + 1} of `;
    return `${place}"${String(key)}" of ${issue}`;
  },
  keys: () => taskKeys,
});
