import { blocksNamed, fenced } from '../document/fences.ts';
import type { Finding } from '../model/finding.ts';
import { limits } from '../model/limits.ts';
import type { Task } from '../model/task.ts';
import { findingList, list } from '../prompt/wording.ts';
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
  readonly before?: readonly Finding[];
  /** The user's prompt files for this agent. */
  readonly own?: readonly string[];
}

interface ImproveInput extends Omit<CritiqueInput, 'before'> {
  readonly findings: readonly Finding[];
}

/** Prompt for a critic of the task text. The answer has the format of a review. */
export function critiquePrompt(input: CritiqueInput): string {
  return prompt([
    criticRules,
    ...ownPart(input.own),
    ...about(input),
    ...beforePart(input.before ?? [], criticisedBefore),
    answerPart('the agent that rewrites it'),
  ]);
}

export function improvePrompt(input: ImproveInput): string {
  return prompt([
    improverRules,
    ...ownPart(input.own),
    ...about(input),
    '# Findings',
    findingList(input.findings, limits.reviewDiffChars),
    improverAnswer,
  ]);
}

const readOnlyRule =
  '- The repository is your working directory. Read whatever you need there, and change nothing: no files, commits or branches.';

const criticRules = [
  'You review a task before an agent works on it. You decide whether an agent that knows only this text and the repository can do it correctly.',
  '',
  'Rules:',
  readOnlyRule,
  '- Look for what would make the work go wrong: it does not say what done means; it can be read in two ways that lead to different work; it contradicts itself or the repository; it names something that does not exist; it is too much for one change.',
  '- Do not report what any good developer would find out or decide in the same way. Do not ask for more detail than the work needs.',
  materialRule,
  unattendedRule,
].join('\n');

const criticisedBefore = [
  '# Findings of the last round',
  'The task text was rewritten since. Check whether these are resolved. Report what is not again, with the same id. Report other findings only if they are blocker or major.',
] as const;

const improverRules = [
  'You rewrite the text of a task before an agent works on it. A critic reported what is wrong with it.',
  '',
  'Rules:',
  readOnlyRule,
  '- Resolve every finding, and keep everything else: do not change or extend what the task asks for.',
  '- If something must be decided and the repository does not answer it, choose the simplest way, and say in the task that it was decided.',
  materialRule,
  unattendedRule,
].join('\n');

const taskBlock = 'task';

const improverAnswer = [
  '# Your answer',
  `Answer with the whole new text of the task, without its title, in one code block with the word ${taskBlock} right after the opening backticks. Open and close it with four or more backticks, and more than anywhere inside. Your answer must contain no other code block.`,
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
      : [list('The work is accepted only if these commands succeed:', gate)]),
  ];
}

type Improved =
  | { readonly ok: true; readonly body: string }
  | { readonly ok: false; readonly problem: string };

/**
 * Reads the improved task text. A second block, also an unclosed one, is a problem: the text may have been cut at a
 * block of its own.
 */
export function parseImproved(text: string): Improved {
  const { outside, blocks } = fenced(`${text}\n${afterAll}`);
  const [block, ...more] = blocksNamed(blocks, taskBlock);
  if (block === undefined) return problem(`it has no closed code block named ${taskBlock}`);
  if (more.length > 0) return problem('it has several task texts');
  if (blocks.length > 1 || outside.at(-1) !== afterAll) {
    return problem(
      'it has other code blocks, or the task text contains one without a longer outer fence',
    );
  }
  const body = block.text.trim();
  if (body === '') return problem('its task text is empty');
  if (body.length > limits.bodyChars) return problem('its task text is too long');
  return { ok: true, body };
}

/** Added after the answer; it is outside of all blocks if every block was closed. */
const afterAll = 'END OF THE ANSWER';

function problem(text: string): Improved {
  return { ok: false, problem: text };
}
