import type { CommandRow } from './row.ts';
import { json, reason, someTasks, task } from './shared.ts';

export const decideCommands: readonly CommandRow[] = [
  {
    name: 'review',
    group: 'Decide',
    line: 'Walk through what waits for you, decide, and go on with the run',
    args: [],
    options: [
      {
        long: 'list',
        type: 'boolean',
        doc: 'Only print the list, as without a terminal; exit status 1 if anything waits',
      },
      { long: 'no-run', type: 'boolean', doc: 'Store the decisions, and start or resume nothing' },
      json,
    ],
    examples: [
      { line: 'ym review', says: 'Approvals, questions, conflicts and failures, one by one' },
      { line: 'ym review --list', says: 'What waits, with the command for each' },
    ],
  },
  {
    name: 'retry',
    group: 'Decide',
    line: 'Let failed, blocked or quarantined tasks be tried again',
    args: [someTasks],
    options: [reason],
    examples: [
      { line: 'ym retry search-docs', says: 'Its failures count from nothing again' },
      { line: 'ym retry api docs --reason "Agent was offline"', says: 'Several, with a reason' },
    ],
  },
  {
    name: 'cancel',
    group: 'Decide',
    line: 'Give tasks up; what depends on them waits',
    args: [someTasks],
    options: [reason],
    examples: [
      { line: 'ym cancel search-docs', says: 'Its agent, if any, is ended; its work is kept' },
      { line: 'ym cancel old-api --reason "Not wanted any more"', says: 'With a reason' },
    ],
  },
  {
    name: 'skip',
    group: 'Decide',
    line: 'Count tasks as done without work, so that what depends on them may start',
    args: [someTasks],
    options: [reason],
    examples: [
      { line: 'ym skip schema', says: 'Its dependants may start' },
      { line: 'ym skip schema --reason "Done by hand"', says: 'With a reason' },
    ],
  },
  {
    name: 'block',
    group: 'Decide',
    line: 'Hold tasks back until they are unblocked; an agent at work is ended',
    args: [someTasks],
    options: [reason],
    examples: [
      {
        line: 'ym block search-docs',
        says: 'No attempt starts; the work of one under way is kept',
      },
      { line: 'ym block search-docs --reason "Waits for the wording"', says: 'With a reason' },
    ],
  },
  {
    name: 'unblock',
    group: 'Decide',
    line: 'Let blocked tasks go on',
    args: [someTasks],
    options: [reason],
    examples: [
      { line: 'ym unblock search-docs', says: 'It may start again' },
      { line: 'ym unblock api docs --reason "Wording is settled"', says: 'Several, with a reason' },
    ],
  },
  {
    name: 'answer',
    group: 'Decide',
    line: 'Answer what the agent of a task asked, so that it can go on',
    args: [
      task,
      { name: 'TEXT', required: true, doc: 'The answer, in quotes, or - for standard input' },
    ],
    options: [],
    examples: [
      { line: 'ym answer search-docs "Yes, in English only"', says: '`ym why` shows the question' },
      { line: 'ym answer search-docs -', says: 'A long answer from standard input' },
    ],
  },
  {
    name: 'tell',
    group: 'Decide',
    line: 'Write to the agent of a task; it reads the message with its next turn',
    args: [
      task,
      { name: 'TEXT', required: true, doc: 'The message, in quotes, or - for standard input' },
    ],
    options: [],
    examples: [
      {
        line: 'ym tell search-docs "Leave the old index alone"',
        says: 'Prints when it will be read; `ym why` shows whether it was',
      },
      { line: 'ym tell search-docs -', says: 'A long message from standard input' },
    ],
  },
  {
    name: 'attach',
    group: 'Decide',
    line: 'Pause the agent of a task and work in its worktree yourself',
    args: [task],
    options: [],
    examples: [
      {
        line: 'ym attach search-docs',
        says: "The agent's own session, or your shell; the agent goes on when you leave",
      },
      { line: 'ym attach search-docs -C ../site', says: 'In the project of another folder' },
    ],
  },
  {
    name: 'approve',
    group: 'Decide',
    line: 'Let work land that waits for a person',
    args: [someTasks],
    options: [reason],
    examples: [
      { line: 'ym approve ci-cache', says: '`ym why` shows what waits, `ym diff` the work' },
      { line: 'ym approve ci-cache --reason "CI change is wanted"', says: 'With a reason' },
    ],
  },
  {
    name: 'reject',
    group: 'Decide',
    line: 'Send work back that waits for a person, and tell its agent why',
    args: [
      task,
      { name: 'WHY', required: true, doc: 'What is wrong, in quotes, or - for standard input' },
    ],
    options: [],
    examples: [
      { line: 'ym reject ci-cache "Leave the CI files alone"', says: 'Its agent fixes it' },
      { line: 'ym reject ci-cache -', says: 'A long reason from standard input' },
    ],
  },
  {
    name: 'resolve',
    group: 'Decide',
    line: 'Resolve a conflict by hand and hand the result in',
    args: [task],
    options: [
      {
        long: 'no-shell',
        type: 'boolean',
        doc: 'Only prepare the folder and say where it is',
      },
      { long: 'done', type: 'boolean', doc: 'Take what is in the folder by now' },
    ],
    examples: [
      { line: 'ym resolve search-docs', says: 'A shell where the two sides are merged' },
      {
        line: 'ym resolve search-docs --done',
        says: 'After `--no-shell` and an editor of your own',
      },
    ],
  },
];
