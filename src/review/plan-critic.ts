import { fenced } from '../document/fences.ts';
import { type Concern, concernSeverities, type Fix } from '../model/concern.ts';
import { limits } from '../model/limits.ts';
import type { Task, TaskId } from '../model/task.ts';
import { shortLine } from '../model/visible.ts';
import { list, oneLine } from '../prompt/wording.ts';
import { materialRule, prompt, taskPart, unattendedRule } from './prompt.ts';

/** A dependency of the plan. `found` ones are guesses of code and not part of the order. */
export interface PlanEdge {
  readonly task: TaskId;
  readonly parent: TaskId;
  readonly origin: 'stated' | 'applied' | 'found';
  /** Files or symbols that both tasks name, of a found edge. */
  readonly shared?: readonly string[];
}

export interface PlanCriticInput {
  /** Open tasks, parents first. */
  readonly tasks: readonly Task[];
  readonly edges: readonly PlanEdge[];
  /** True if the critic can read the repository. */
  readonly hasRepository: boolean;
}

/** Tasks that the critic is shown, and characters of all their texts. */
const shownTasks = 300;
const shownChars = 120_000;

/** Prompt for the critic of a plan. Repeating any part of it gives no concern. */
export function planCriticPrompt(input: PlanCriticInput): string {
  const shown = input.tasks.slice(0, shownTasks);
  const left = input.tasks.length - shown.length;
  const chars = Math.floor(shownChars / Math.max(1, shown.length));
  const ids = new Set(shown.map(({ id }) => id));
  const edges = input.edges.filter(({ task, parent }) => ids.has(task) && ids.has(parent));
  return prompt([
    rules(input.hasRepository),
    ...shown.map((task) => taskPart(task, undefined, chars)),
    left === 0 ? '' : `${left} more tasks come later and are not shown.`,
    '# Dependencies',
    edges.length === 0 ? 'No task waits for another one.' : list(edgesHead, edges.map(edgeText)),
    answer,
  ]);
}

const rules = (hasRepository: boolean): string =>
  [
    'You review a plan before agents work on it: tasks and the order between them. Each agent knows only its own task and the repository. Tasks that do not wait for each other run at the same time, on separate branches that are merged afterwards.',
    '',
    'Rules:',
    ...(hasRepository
      ? [
          '- The repository is your working directory. Read whatever you need there, and change nothing: no files, commits or branches.',
        ]
      : []),
    '- Look for missing dependencies: a task needs what another one makes, or both change the same lines.',
    '- Look for needless dependencies: a task waits for another one although it needs nothing of it.',
    '- Look for contradictions: two tasks ask for things that exclude each other, or do the same work.',
    '- Look for tasks that are too vague to be done correctly, or too large for one change.',
    '- Report only what would waste work. A plan without such problems is good.',
    materialRule,
    unattendedRule,
  ].join('\n');

const edgesHead = 'Each line is a task, the task it waits for, and where that is from:';

function edgeText({ task, parent, origin, shared = [] }: PlanEdge): string {
  switch (origin) {
    case 'stated':
      return `${task} waits for ${parent} (stated by the task)`;
    case 'applied':
      return `${task} waits for ${parent} (added by a person)`;
    case 'found':
      return `${task} does not wait for ${parent}, but both name ${shared.join(', ')} (found by code)`;
  }
}

/** The forms are indented or within sentences, so that a repeated prompt is not an answer. */
const answer = [
  '# Your answer',
  'Report each concern on one line, outside of code blocks and lists, followed by one line with its fix:',
  '    CONCERN severity: what is wrong, with the ids of the tasks\n    FIX: what to do about it',
  [
    '- severity: block (the plan cannot work like this), warn (it would probably waste work) or info (could be better).',
    '- A fix that adds a dependency has exactly the form `FIX: after TASK: PARENT`, and one that removes a dependency `FIX: not-after TASK: PARENT`, with the ids of two tasks: TASK then waits, or no longer waits, for PARENT. Any other fix is advice in one sentence.',
  ].join('\n'),
  'If you have no concern, your answer is the single word NONE on a line of its own.',
].join('\n\n');

type Critique =
  | { readonly ok: true; readonly concerns: readonly Concern[] }
  | { readonly ok: false; readonly problem: string };

/**
 * Reads the answer of the critic of a plan. Lines in code blocks do not count. An unknown severity becomes `info`. An
 * answer with neither a concern nor `NONE` is a problem.
 */
export function parsePlanCritique(text: string, tasks: ReadonlyMap<TaskId, Task>): Critique {
  const { outside } = fenced(text);
  const concerns: Concern[] = [];
  for (const line of outside) {
    const concern = concernIn(line);
    const fix = /^FIX\s*:\s*(.+)$/i.exec(line)?.[1];
    const last = concerns.at(-1);
    if (concern !== undefined) concerns.push(concern);
    else if (fix !== undefined && last?.fix.kind === 'none') {
      concerns[concerns.length - 1] = { ...last, fix: fixIn(fix, tasks) };
    }
  }
  if (concerns.length > 0) return { ok: true, concerns: concerns.slice(0, limits.findings) };
  if (outside.some((line) => /^NONE[.]?$/i.test(line))) return { ok: true, concerns: [] };
  return { ok: false, problem: 'its answer has neither a line CONCERN nor the line NONE' };
}

function concernIn(line: string): Concern | undefined {
  const [, word = '', text] = /^CONCERN\s+[<[(]?([\w-]+)[>\])]?\s*:\s*(\S.*)$/i.exec(line) ?? [];
  if (text === undefined) return undefined;
  const severity = concernSeverities.find((one) => one === word.toLowerCase()) ?? 'info';
  return { severity, text: shortLine(oneLine(text), limits.findingChars), fix: { kind: 'none' } };
}

/** A dependency can be added only between known tasks that lack it, and removed only where it is. */
function fixIn(text: string, tasks: ReadonlyMap<TaskId, Task>): Fix {
  const [, word, id = '', parent = ''] =
    /^(after|not-after)\s+([^\s:]+)\s*:\s*([^\s:]+?)[.]?$/.exec(text.trim()) ?? [];
  const task = tasks.get(id);
  const has = task?.after.includes(parent);
  if (task !== undefined && tasks.has(parent) && id !== parent) {
    if (word === 'after' && has === false) return { kind: 'after', task: id, parent };
    if (word === 'not-after' && has === true) return { kind: 'not-after', task: id, parent };
  }
  return { kind: 'advice', text: shortLine(oneLine(text), limits.findingChars) };
}
