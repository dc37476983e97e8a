import { oneLine } from './wording.ts';

interface OfferedTask {
  readonly id: string;
  readonly title: string;
  readonly priority: number;
  readonly type: string;
}

/** A file that recent work changed: the tasks, and names of functions and classes in it. */
interface RecentTouch {
  readonly path: string;
  readonly tasks: readonly string[];
  readonly symbols: readonly string[];
}

export interface BatchPromptInput {
  readonly run: string;
  /** Tasks to choose from. All of them are listed. */
  readonly ready: readonly OfferedTask[];
  /** Newest first. */
  readonly touches: readonly RecentTouch[];
}

/** Asks for the tasks that should start next, side by side. */
export function batchPrompt({ run, ready, touches }: BatchPromptInput): string {
  const recent =
    touches.length === 0
      ? ['This run has changed no files yet.']
      : [
          'Files that tasks of this run changed, newest first, with the functions and classes in them:',
          touches.map(touchText).join('\n'),
        ];
  return `${[
    `[yard:${run}:batch]`,
    'Several agents work on one repository at the same time, each on one task. Choose the tasks that should start next, side by side. All tasks below are ready; their dependencies are done.',
    'Choose 2 to 4 tasks that most likely touch different files and functions, the more important ones first (P0 is the most important). Prefer tasks that do not touch what was just changed, because that work may not have landed yet. Name fewer tasks if you are not sure. Choose only ids from the list; invent none. Change no file and run no command.',
    `Ready tasks, one per line:\n${ready.map(taskLine).join('\n')}`,
    ...recent,
    'Answer with one fenced code block with the word next_iteration after its opening fence and a JSON array of the ids inside, such as:',
    '```next_iteration\n["first-id", "second-id"]\n```',
  ].join('\n\n')}\n`;
}

function taskLine({ id, title, priority, type }: OfferedTask): string {
  return JSON.stringify({ id, title: oneLine(title), priority: `P${priority}`, type });
}

function touchText({ path, tasks, symbols }: RecentTouch): string {
  const names = symbols.length === 0 ? '' : `: ${symbols.join(', ')}`;
  return `- ${oneLine(path)}${names} (by ${tasks.join(', ')})`;
}

const bytesPerToken = 4;

/** Tokens that a model counts in a text, roughly; rather too many than too few for text that is not English. */
export function estimatedTokens(text: string): number {
  return Math.ceil(new TextEncoder().encode(text).length / bytesPerToken);
}
