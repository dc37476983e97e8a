import type { CommandRow } from './row.ts';
import { json, pruneRemoved, reason, someTasks, sources, task } from './shared.ts';

export const tasksCommands: readonly CommandRow[] = [
  {
    name: 'add',
    group: 'Tasks',
    line: 'Add one task',
    args: [{ name: 'TITLE', required: true, doc: 'What to do, in one line' }],
    options: [
      {
        long: 'id',
        type: 'string',
        value: 'ID',
        default: 'made from the title',
        doc: 'Name of the task',
      },
      {
        long: 'body',
        type: 'string',
        value: 'TEXT',
        doc: 'What done means; given to the agent word for word',
      },
      {
        long: 'body-file',
        type: 'string',
        value: 'FILE',
        doc: 'File with the body, or - for standard input',
      },
      { long: 'after', type: 'list', value: 'ID', doc: 'Tasks that must have landed before' },
      {
        long: 'priority',
        type: 'number',
        value: 'N',
        min: 0,
        max: 4,
        default: '2',
        doc: 'Importance; 0 goes first',
      },
      { long: 'type', type: 'string', value: 'WORD', default: 'task', doc: 'Kind of work' },
      { long: 'label', type: 'list', value: 'LABEL', doc: 'Labels, such as epic:search' },
      { long: 'path', type: 'list', value: 'GLOB', doc: 'Files it is expected to write' },
      {
        long: 'check',
        type: 'list',
        value: 'COMMAND',
        doc: 'Commands that judge this task beside the gate',
      },
      {
        long: 'agent',
        type: 'string',
        value: 'NAME',
        default: 'the agent of the run',
        doc: 'Agent to work on it',
      },
      json,
    ],
    examples: [
      { line: 'ym add "Add the search endpoint" --priority 1', says: 'An id is made of the title' },
      {
        line: 'ym add "Document search" --id search-docs --after add-the-search-endpoint',
        says: 'It waits until the other has landed',
      },
    ],
  },
  {
    name: 'edit',
    group: 'Tasks',
    line: 'Edit a task that no agent works on, in your editor or with options',
    args: [task],
    options: [
      { long: 'title', type: 'string', value: 'TEXT', doc: 'New title' },
      { long: 'body', type: 'string', value: 'TEXT', doc: 'New body' },
      {
        long: 'body-file',
        type: 'string',
        value: 'FILE',
        doc: 'File with the new body, or - for standard input',
      },
      {
        long: 'after',
        type: 'list',
        value: 'ID',
        doc: 'Tasks it waits for, instead of those it has; `none` for none, as below',
      },
      {
        long: 'priority',
        type: 'number',
        value: 'N',
        min: 0,
        max: 4,
        doc: 'New importance; 0 goes first',
      },
      { long: 'type', type: 'string', value: 'WORD', doc: 'New kind of work' },
      { long: 'label', type: 'list', value: 'LABEL', doc: 'Labels instead of those it has' },
      { long: 'path', type: 'list', value: 'GLOB', doc: 'Expected files instead of those it has' },
      { long: 'check', type: 'list', value: 'COMMAND', doc: 'Checks instead of those it has' },
      { long: 'agent', type: 'string', value: 'NAME', doc: 'Agent to work on it' },
      json,
    ],
    examples: [
      { line: 'ym edit search-docs', says: 'Opens it in $VISUAL or $EDITOR' },
      { line: 'ym edit search-docs --priority 0 --after none', says: 'It goes first' },
    ],
  },
  {
    name: 'rm',
    group: 'Tasks',
    line: 'Cancel tasks and take them out of the lists',
    args: [someTasks],
    options: [
      {
        long: 'dependents',
        type: 'boolean',
        doc: 'Also remove everything that waits for them',
      },
      reason,
    ],
    examples: [
      { line: 'ym rm search-docs', says: 'Refused while other tasks wait for it' },
      { line: 'ym rm old-api --dependents', says: 'With all that waits for it' },
    ],
  },
  {
    name: 'import',
    group: 'Tasks',
    line: 'Add the tasks of plan files, of checklists or of a folder of Markdown files',
    args: [{ ...sources, required: true }],
    options: [
      pruneRemoved,
      { long: 'dry-run', short: 'n', type: 'boolean', doc: 'Check everything, store nothing' },
      json,
    ],
    examples: [
      { line: 'ym import plan.yaml', says: 'All tasks of the file, or none of them' },
      { line: 'ym import tasks/ --dry-run', says: 'Only say what would be added' },
    ],
  },
  {
    name: 'tasks',
    group: 'Tasks',
    line: 'List the open tasks with their states',
    args: [],
    options: [
      {
        long: 'all',
        short: 'a',
        type: 'boolean',
        doc: 'Also list what has landed or was delivered, skipped or cancelled',
      },
      {
        long: 'state',
        type: 'list',
        value: 'STATE',
        doc: 'Only tasks in these states, such as ready or failed',
      },
      json,
    ],
    examples: [
      { line: 'ym tasks', says: 'What is left to do, in order of arrival' },
      { line: 'ym tasks --state failed,blocked', says: 'Only those that need a person' },
    ],
  },
  {
    name: 'show',
    group: 'Tasks',
    line: 'Show one task whole',
    args: [task],
    options: [json],
    examples: [
      { line: 'ym show search-docs', says: 'Text, dependencies, state and attempts' },
      { line: 'ym show search-docs --json', says: 'The same for a program' },
    ],
  },
  {
    name: 'plan',
    group: 'Tasks',
    line: 'Show the order of work and the critical path',
    args: [sources],
    options: [json],
    examples: [
      { line: 'ym plan', says: 'The tasks of this project' },
      { line: 'ym plan plan.yaml', says: 'A plan file that is not imported yet' },
    ],
  },
];
