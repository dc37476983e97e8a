import { fenced } from '../document/fences.ts';
import { limits } from '../model/limits.ts';
import type { Task, TaskId } from '../model/task.ts';
import { shortLine } from '../model/visible.ts';
import { oneLine, quoted } from '../prompt/wording.ts';
import { boundedDiff } from './diff.ts';
import { materialRule, ownPart, prompt, taskPart, unattendedRule } from './prompt.ts';

/** A finished variant, as the chooser sees it. */
export interface ComparedVariant {
  readonly id: TaskId;
  readonly base: string;
  readonly commit: string;
  readonly patch: string;
  /** True if the gate passed on it alone. */
  readonly passed: boolean;
}

interface ChoiceInput {
  readonly run: string;
  readonly task: Task;
  readonly body?: string;
  readonly attempt: number;
  readonly gate: readonly string[];
  readonly variants: readonly ComparedVariant[];
  /** The user's prompt files for this agent. */
  readonly own?: readonly string[];
}

const choiceMark = 'CHOICE: ';
const reasonMark = 'REASON: ';

/**
 * Prompt for the agent that chooses. Foreign text is in blocks that it cannot close. The lines of all variants are at the
 * end, so that repeating any part of the prompt chooses nothing.
 */
export function choicePrompt(input: ChoiceInput): string {
  const { run, task, attempt, variants } = input;
  const chars = Math.floor(limits.reviewDiffChars / Math.max(1, variants.length));
  return prompt([
    rules,
    ...ownPart(input.own),
    `[yard:${run}:${task.id}:${attempt}]`,
    taskPart(task, input.body, limits.reviewTaskChars),
    ...variants.map((variant) => variantPart(variant, chars)),
    answerPart(variants.map(({ id }) => id)),
  ]);
}

const rules = [
  'You choose between several finished solutions of the task below. Exactly one of them lands.',
  '',
  'Rules:',
  '- Choose the one that does what the task asks most correctly and completely. Among equals, prefer the one that is simpler to read and to maintain.',
  '- One of them is checked out in your working directory. `git diff` shows the others by their commits. Change nothing: no files, commits or branches.',
  materialRule,
  unattendedRule,
].join('\n');

function variantPart({ id, base, commit, patch, passed }: ComparedVariant, chars: number): string {
  const { text, omitted } = boundedDiff(patch, chars);
  const more = `${omitted.length} of its files are not shown, or only in part. \`git diff ${base} ${commit}\` shows all of it.`;
  return [
    `# Variant ${oneLine(id)}`,
    passed ? 'The tests passed on it.' : 'The tests have not run on it yet.',
    text === '' ? 'None of it is shown here.' : quoted(text),
    ...(omitted.length === 0 ? [] : [more]),
  ].join('\n\n');
}

function answerPart(ids: readonly TaskId[]): string {
  return [
    '# Your answer',
    `Say on one line why you choose a variant, in this form: \`${reasonMark}text\`. People read that line to learn what decided.`,
    'Then end with your choice. It counts only as a whole line without any markup, outside of code blocks. Print only one of these:',
    ids.map((id) => `${choiceMark}${id}`).join('\n'),
  ].join('\n\n');
}

type ParsedChoice =
  | { readonly ok: true; readonly variant: TaskId; readonly reason: string }
  | { readonly ok: false; readonly problem: string };

/** Reads the answer of a chooser. A line inside of a code block or of a sentence does not count. */
export function parseChoice(text: string): ParsedChoice {
  const lines = fenced(text).outside.map((line) => line.trim());
  const after = (mark: string): readonly string[] =>
    lines.flatMap((line) => (line.startsWith(mark) ? [line.slice(mark.length).trim()] : []));
  const [variant, ...others] = new Set(after(choiceMark));
  if (variant === undefined) return { ok: false, problem: `it has no line ${choiceMark}ID` };
  if (others.length > 0) return { ok: false, problem: 'it chooses more than one variant' };
  const reason = after(reasonMark).at(-1) ?? 'no reason was given';
  return { ok: true, variant, reason: shortLine(reason, limits.choiceReasonChars) };
}
