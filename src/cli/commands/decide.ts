import { always, commandsIn, flag } from './row.ts';
import { attempt, json, reason, someTasks, task } from './shared.ts';

const decided = async () => (await import('../decide.ts')).run;

export const decideCommands = commandsIn('Decide', {
  review: {
    decides: always,
    load: async () => (await import('../review.ts')).run,
    line: 'Go through everything that needs your decision, then continue the run',
    options: [
      flag('list', 'Only print the list, as without a terminal; exit 1 if anything waits'),
      flag('no-run', 'Store the decisions without starting or resuming a run'),
      json,
    ],
    examples: [
      ['ym review', 'Approvals, questions, conflicts and failures, one by one'],
      ['ym review --list', 'What waits, with the command for each'],
    ],
  },
  retry: {
    decides: always,
    load: decided,
    line: 'Retry failed, blocked or quarantined tasks',
    args: [someTasks],
    options: [reason],
    examples: [
      ['ym retry search-docs', 'Its failures are counted from zero again'],
      ['ym retry api docs --reason "Agent was offline"', 'Several, with a reason'],
    ],
  },
  cancel: {
    decides: always,
    load: decided,
    line: 'Cancel tasks; tasks that depend on them keep waiting',
    args: [someTasks],
    options: [reason],
    examples: [
      ['ym cancel search-docs', 'A running agent is stopped; its work is kept'],
      ['ym cancel old-api --reason "No longer needed"', 'With a reason'],
    ],
  },
  skip: {
    decides: always,
    load: decided,
    line: 'Mark tasks as done without work, so that their dependents can start',
    args: [someTasks],
    options: [reason],
    examples: [
      ['ym skip schema', 'Its dependents can start'],
      ['ym skip schema --reason "Done by hand"', 'With a reason'],
    ],
  },
  block: {
    decides: always,
    load: decided,
    line: 'Hold tasks back until they are unblocked; a running agent is stopped',
    args: [someTasks],
    options: [reason],
    examples: [
      ['ym block search-docs', 'No attempt starts; work in progress is kept'],
      ['ym block search-docs --reason "Waiting for the wording"', 'With a reason'],
    ],
  },
  unblock: {
    decides: always,
    load: decided,
    line: 'Release blocked tasks',
    args: [someTasks],
    options: [reason],
    examples: [
      ['ym unblock search-docs', 'It can start again'],
      ['ym unblock api docs --reason "Wording is settled"', 'Several, with a reason'],
    ],
  },
  answer: {
    decides: always,
    load: decided,
    line: "Answer a question from a task's agent",
    args: [
      task,
      { name: 'TEXT', required: true, doc: 'The answer, in quotes, or - for standard input' },
    ],
    examples: [
      ['ym answer search-docs "Yes, in English only"', '`ym why` shows the question'],
      ['ym answer search-docs -', 'A long answer from standard input'],
    ],
  },
  tell: {
    decides: always,
    load: async () => (await import('../decide.ts')).tell,
    line: "Send a message to a task's agent, to be read in its next turn",
    args: [
      task,
      { name: 'TEXT', required: true, doc: 'The message, in quotes, or - for standard input' },
    ],
    examples: [
      [
        'ym tell search-docs "Leave the old index alone"',
        'Prints when it will be read; `ym why` shows whether it was',
      ],
      ['ym tell search-docs -', 'A long message from standard input'],
    ],
  },
  attach: {
    decides: always,
    load: async () => (await import('../attach.ts')).run,
    line: "Pause a task's agent and work in its worktree yourself",
    args: [task],
    examples: [
      [
        'ym attach search-docs',
        "Open the agent's session or your shell; the agent continues when you leave",
      ],
      ['ym attach search-docs -C ../site', 'In the project of another folder'],
    ],
  },
  approve: {
    decides: always,
    load: decided,
    line: 'Approve work that waits for you, or a proposed revision of the plan',
    args: [someTasks],
    options: [reason],
    examples: [
      ['ym approve ci-cache', '`ym why` shows what waits, `ym diff` shows the work'],
      ['ym approve ci-cache --reason "CI change is wanted"', 'With a reason'],
    ],
  },
  reject: {
    decides: always,
    load: decided,
    line: 'Reject work or a proposed revision of the plan, and tell the agent why',
    args: [
      task,
      { name: 'WHY', required: true, doc: 'What is wrong, in quotes, or - for standard input' },
    ],
    examples: [
      ['ym reject ci-cache "Leave the CI files alone"', 'Its agent fixes it'],
      ['ym reject ci-cache -', 'A long reason from standard input'],
    ],
  },
  choose: {
    decides: always,
    load: async () => (await import('../choose.ts')).run,
    line: 'Choose one of the finished variants of a task; it goes on to the merge queue',
    args: [
      task,
      {
        name: 'VARIANT',
        required: true,
        doc: 'Number of the variant, as in `ym compare`, or its id',
      },
    ],
    options: [reason],
    examples: [
      ['ym choose search-docs 2', '`ym compare search-docs` shows the variants'],
      ['ym choose search-docs 2 --reason "Simplest"', 'With a reason'],
    ],
  },
  try: {
    decides: always,
    load: async () => (await import('../try.ts')).run,
    line: "Show a task's work in your own checkout, and restore the checkout",
    args: [{ ...task, required: false }],
    options: [
      { ...attempt, doc: 'Attempt whose work to show' },
      flag('back', 'Restore your checkout as it was before'),
    ],
    examples: [
      ['ym try search-docs', 'Refused if your checkout has changes; runs continue'],
      ['ym try --back', 'Back to your branch; refused if it would lose your edits'],
    ],
  },
  resolve: {
    decides: always,
    load: async () => (await import('../resolve.ts')).run,
    line: 'Resolve a merge conflict by hand and hand in the result',
    args: [task],
    options: [
      flag('no-shell', 'Only prepare the folder and print its path'),
      flag('done', 'Hand in what is in the folder now'),
    ],
    examples: [
      ['ym resolve search-docs', 'Open a shell in the merged worktree'],
      ['ym resolve search-docs --done', 'After `--no-shell` and your own editor'],
    ],
  },
});
