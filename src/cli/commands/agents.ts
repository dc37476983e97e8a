import type { CommandRow } from './row.ts';
import { json } from './shared.ts';

export const agentsCommands: readonly CommandRow[] = [
  {
    name: 'agent',
    group: 'For agents',
    line: 'Say how a turn goes; for agents that a run has started, not for people',
    args: [
      {
        name: 'CALL',
        required: true,
        choices: ['done', 'give-up', 'ask', 'claim', 'report', 'next'],
        doc: 'What it is about',
      },
      {
        name: 'WORD',
        required: false,
        repeatable: true,
        doc: 'Ids for claim and next; the question for ask; for report a subject and the text',
      },
    ],
    options: [
      {
        long: 'message',
        short: 'm',
        type: 'string',
        value: 'TEXT',
        doc: 'What was done, or why it is given up; - for standard input',
      },
      {
        long: 'body',
        type: 'string',
        value: 'TEXT',
        doc: 'What done means, of a task that `report follow-up TITLE` files; - for standard input',
      },
      { long: 'type', type: 'string', value: 'WORD', default: 'task', doc: 'Kind of that task' },
      {
        long: 'priority',
        type: 'number',
        value: 'N',
        min: 0,
        max: 4,
        default: '2',
        doc: 'Importance of that task; 0 goes first',
      },
      {
        long: 'after',
        type: 'list',
        value: 'ID',
        doc: 'Tasks that must have landed before that one',
      },
      json,
    ],
    examples: [
      { line: 'ym agent done -m "Added the endpoint"', says: 'The work may be judged and merged' },
      {
        line: 'ym agent report follow-up "Document the endpoint" --body "Every parameter."',
        says: 'File a task for what is not part of this one',
      },
    ],
  },
];
