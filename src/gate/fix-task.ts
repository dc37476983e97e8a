import type { RunId } from '../model/run.ts';
import { newTask, type Task } from '../model/task.ts';
import type { VerifyOutcome } from '../model/verdict.ts';

/** Failed end-of-run verification. */
export type Trouble = Extract<VerifyOutcome, { kind: 'failed' | 'timed-out' }>;

/**
 * Task to fix a failed end-of-run verification. One per run, so verifying again after a crash files no second one.
 * `log` is the path of the full output.
 */
export function fixTask(outcome: Trouble, run: RunId, log: string): Task {
  return newTask({
    id: `fix-verify-${run}`,
    title: `Make \`${outcome.command}\` pass again`,
    body: bodyOf(outcome, run, log),
    priority: 1,
    type: 'bug',
  });
}

function bodyOf(outcome: Trouble, run: RunId, log: string): string {
  const parts = [
    `After the last landing of run ${run}, this command was run on the target as a whole:`,
    indented(outcome.command),
    ...found(outcome),
    `Its whole output is in ${log}.`,
    'Find the cause and fix it. The command itself, and what it checks, must stay as they are.',
  ];
  return `${parts.join('\n\n')}\n`;
}

function found(outcome: Trouble): readonly string[] {
  if (outcome.kind === 'timed-out') {
    return [`It did not finish within ${Math.round(outcome.budgetMs / 1000)} seconds.`];
  }
  const { exit, tail, evidence, culprit } = outcome;
  const how =
    exit === -1
      ? 'It could not be started or was ended from outside.'
      : `It failed with exit status ${exit}.`;
  return [
    culprit === undefined
      ? how
      : `${how} It fails from commit ${culprit.commit} on, which brought ${culprit.tasks.join(', ')}.`,
    ...(evidence?.failures ?? []).flatMap(({ name, message }) => [
      `This failed: ${name}`,
      ...(message === '' ? [] : [indented(message)]),
    ]),
    ...(tail.trim() === '' ? [] : ['The end of what it printed:', indented(tail.trimEnd())]),
  ];
}

/** Indented code block: the output may contain fences. */
function indented(text: string): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? '' : `    ${line}`))
    .join('\n');
}
