import type { CommandRow } from './row.ts';
import { reason, someTasks, task } from './shared.ts';

export const decideCommands: readonly CommandRow[] = [
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
];
