import { commandsIn, flag, list, number, text } from './row.ts';
import { json, pruneRemoved, reason, someTasks, sources, task } from './shared.ts';

export const tasksCommands = commandsIn('Tasks', {
  add: {
    load: async () => (await import('../tasks.ts')).add,
    line: 'Add one task',
    args: [{ name: 'TITLE', required: true, doc: 'What to do, in one line' }],
    options: [
      text('id', 'ID', 'Task id', { default: 'derived from the title' }),
      text('body', 'TEXT', 'What done means; passed to the agent verbatim'),
      text('body-file', 'FILE', 'File with the body, or - for standard input'),
      list('after', 'ID', 'Tasks that must land first'),
      number('priority', [0, 4], 'Priority; 0 is the highest', { default: '2' }),
      text('type', 'WORD', 'Kind of work', { default: 'task' }),
      list('label', 'LABEL', 'Labels, such as epic:search'),
      list('path', 'GLOB', 'Files the task is expected to change'),
      list('check', 'COMMAND', 'Extra gate commands for this task'),
      text('agent', 'NAME', 'Agent to work on it', { default: 'the agent of the run' }),
      json,
    ],
    examples: [
      ['ym add "Add the search endpoint" --priority 1', 'The id is derived from the title'],
      [
        'ym add "Document search" --id search-docs --after add-the-search-endpoint',
        'It waits until the other task has landed',
      ],
    ],
  },
  edit: {
    load: async () => (await import('../tasks.ts')).edit,
    line: 'Edit a task that no agent is working on, in your editor or with options',
    args: [task],
    options: [
      text('title', 'TEXT', 'New title'),
      text('body', 'TEXT', 'New body'),
      text('body-file', 'FILE', 'File with the new body, or - for standard input'),
      list('after', 'ID', 'Replace the tasks it waits for; `none` clears this and the lists below'),
      number('priority', [0, 4], 'New priority; 0 is the highest'),
      text('type', 'WORD', 'New kind of work'),
      list('label', 'LABEL', 'Replace the labels'),
      list('path', 'GLOB', 'Replace the expected files'),
      list('check', 'COMMAND', 'Replace the extra gate commands'),
      text('agent', 'NAME', 'Agent to work on it'),
      json,
    ],
    examples: [
      ['ym edit search-docs', 'Open it in $VISUAL or $EDITOR'],
      ['ym edit search-docs --priority 0 --after none', 'Make it start first'],
    ],
  },
  rm: {
    load: async () => (await import('../tasks.ts')).remove,
    line: 'Cancel tasks and hide them from lists',
    args: [someTasks],
    options: [flag('dependents', 'Also remove every task that waits for them'), reason],
    examples: [
      ['ym rm search-docs', 'Refused while other tasks wait for it'],
      ['ym rm old-api --dependents', 'Remove it and everything that waits for it'],
    ],
  },
  import: {
    load: async () => (await import('../tasks.ts')).importAll,
    line: 'Import tasks from plan files, checklists or folders of Markdown files',
    args: [{ ...sources, required: true }],
    options: [pruneRemoved, flag('dry-run', 'Check everything, store nothing', 'n'), json],
    examples: [
      ['ym import plan.yaml', 'Import all tasks of the file, or none'],
      ['ym import tasks/ --dry-run', 'Only show what would be added'],
    ],
  },
  tasks: {
    load: async () => (await import('../see.ts')).listTasks,
    line: 'List open tasks and their states',
    options: [
      flag('all', 'Also list tasks that landed or were delivered, skipped or canceled', 'a'),
      list('state', 'STATE', 'Only tasks in these states, such as ready or failed'),
      json,
    ],
    examples: [
      ['ym tasks', 'What is left to do, in order of arrival'],
      ['ym tasks --state failed,blocked', 'Only tasks that need a person'],
    ],
  },
  show: {
    load: async () => (await import('../see.ts')).show,
    line: 'Show one task in full',
    args: [task],
    options: [json],
    examples: [
      ['ym show search-docs', 'Text, dependencies, state and attempts'],
      ['ym show search-docs --json', 'The same for a program'],
    ],
  },
  plan: {
    load: async () => (await import('../tasks.ts')).plan,
    line: 'Show the order of work and the critical path',
    args: [sources],
    options: [json],
    examples: [
      ['ym plan', 'The tasks of this project'],
      ['ym plan plan.yaml', 'Include a plan file that is not imported yet'],
    ],
  },
});
