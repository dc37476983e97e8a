import { blocksNamed, fenced } from '../document/fences.ts';
import type { Finding } from '../model/review.ts';
import type { Task } from '../model/task.ts';
import { limits } from '../plan/limits.ts';
import { findingList } from '../prompt/finding.ts';
import { list } from '../prompt/wording.ts';
import {
  answerPart,
  beforePart,
  materialRule,
  ownPart,
  prompt,
  taskPart,
  unattendedRule,
} from './prompt.ts';

/** Input of a critique: a task before any work on it. */
export interface CritiqueInput {
  readonly run: string;
  readonly task: Task;
  /** The latest task text; absent if unchanged. */
  readonly body?: string;
  readonly attempt: number;
  /** Commands that judge the work. */
  readonly gate: readonly string[];
  /** Findings of the previous round. */
  readonly before?: readonly Finding[];
  /** The user's prompt files for this agent. */
  readonly own?: readonly string[];
}

export interface ImproveInput extends Omit<CritiqueInput, 'before'> {
  readonly findings: readonly Finding[];
}

/** Prompt for a critic of the task text. The answer has the format of a review. */
export function critiquePrompt(input: CritiqueInput): string {
  return prompt([
    criticRules,
    ...ownPart(input.own),
    ...about(input),
    ...beforePart(input.before ?? [], criticisedBefore),
    answerPart('whoever puts it in better words'),
  ]);
}

/** Prompt for an improved task text. */
export function improvePrompt(input: ImproveInput): string {
  return prompt([
    improverRules,
    ...ownPart(input.own),
    ...about(input),
    '# What was found in it',
    findingList(input.findings, limits.reviewDiffChars),
    improverAnswer,
  ]);
}

const readOnlyRule =
  '- The repository is your working directory. Read there whatever you need, and change nothing: no file, no commit, no branch.';

const criticRules = [
  'You look at a task before anybody works on it. You decide whether an agent that knows only these words and the repository can do it rightly.',
  '',
  'Rules:',
  readOnlyRule,
  '- Look for what would make the work go wrong: it is not said what done means; it can be read in two ways that lead to different work; it contradicts itself or the repository; it names what is not there; it is too much for one change.',
  '- What any good developer would find out or decide alike needs no words. Do not ask for more detail than the work needs.',
  materialRule,
  unattendedRule,
].join('\n');

const criticisedBefore = [
  '# What was found in it before',
  'The task was put in other words since. See for yourself whether this is settled. What is not you report again, under the same id. Beside that, report something new only if it is a blocker or major.',
] as const;

const improverRules = [
  'You put a task in better words before anybody works on it. A critic said what is wrong with the words it has.',
  '',
  'Rules:',
  readOnlyRule,
  '- Settle every finding, and keep everything else: what is asked for stays the same, and nothing is added to it.',
  '- Where something has to be decided and the repository does not tell, decide for the simplest way, and say in the task that it was decided so.',
  materialRule,
  unattendedRule,
].join('\n');

const taskBlock = 'task';

const improverAnswer = [
  '# Your answer',
  `Answer with the whole new text of the task, without its title, in one code block with the word ${taskBlock} right behind the backticks that open it. Open and close it with more backticks than stand anywhere inside, four or more. There must be no other code block in your answer.`,
].join('\n\n');

function about({
  run,
  task,
  body,
  attempt,
  gate,
}: Omit<CritiqueInput, 'before'>): readonly string[] {
  return [
    `[yard:${run}:${task.id}:${attempt}]`,
    taskPart(task, body, limits.bodyChars),
    ...(gate.length === 0
      ? []
      : [list('Whatever is done is accepted only if these commands succeed:', gate)]),
  ];
}

export type Improved =
  | { readonly ok: true; readonly body: string }
  | { readonly ok: false; readonly problem: string };

/**
 * Reads the improved task text. A second block, also an unclosed one, is a problem: the text may have been cut at a
 * block of its own.
 */
export function parseImproved(text: string): Improved {
  const { outside, blocks } = fenced(`${text}\n${afterAll}`);
  const [block, ...more] = blocksNamed(blocks, taskBlock);
  if (block === undefined) return problem(`it has no closed code block with the word ${taskBlock}`);
  if (more.length > 0) return problem('it has several texts for the task');
  if (blocks.length > 1 || outside.at(-1) !== afterAll) {
    return problem('it has code blocks beside that of the task, or in it without a longer fence');
  }
  const body = block.text.trim();
  if (body === '') return problem('its text for the task is empty');
  if (body.length > limits.bodyChars) return problem('its text for the task is too long');
  return { ok: true, body };
}

/** Added after the answer; it is outside of all blocks if every block was closed. */
const afterAll = 'END OF THE ANSWER';

function problem(text: string): Improved {
  return { ok: false, problem: text };
}
