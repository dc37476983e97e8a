import type { Call } from '../parse.ts';
import { always, commandsIn, flag, list, number, text } from './row.ts';
import {
  json,
  narrowing,
  pruneRemoved,
  reason,
  sideBySide,
  someTasks,
  sources,
  task,
  yes,
} from './shared.ts';

/** True if dependencies or fixes are applied or rejected. */
function changesPlan(options: Call['options']): boolean {
  return options.list('apply').length + options.list('reject').length > 0;
}

/** True if an agent is asked to propose tasks. */
function asksForProposal(options: Call['options']): boolean {
  const hasGoal = options.text('goal') !== undefined || options.text('spec') !== undefined;
  return hasGoal || options.flag('revise');
}

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
      list('accept', 'TEXT', 'What must be true when it is done'),
      list(
        'wait',
        'WAIT',
        'What it waits for: `pull 12`, `until 2026-12-01`, `file PATH` or `command COMMAND`',
      ),
      text('parent', 'ID', 'Epic that it belongs to'),
      text('estimate', 'DURATION', 'Expected time of an agent, such as 30m'),
      text('difficulty', 'WORD', 'How hard it is: easy, medium or hard'),
      text('link', 'URL', 'Where people find it, for example an issue'),
      text('agent', 'NAME', 'Agent to work on it', { default: 'the agent of the run' }),
      ...sideBySide,
      flag('skip-plan', 'Skip the check for agents that work on the same files'),
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
    decides: always,
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
      list('accept', 'TEXT', 'Replace what must be true when it is done'),
      list(
        'wait',
        'WAIT',
        'Replace what it waits for, such as `pull 12`; `none` to wait for nothing',
      ),
      text('parent', 'ID', 'Epic that it belongs to; `none` clears this and the options below'),
      text('estimate', 'DURATION', 'Expected time of an agent, such as 30m'),
      text('difficulty', 'WORD', 'How hard it is: easy, medium or hard'),
      text('link', 'URL', 'Where people find it, for example an issue'),
      text('agent', 'NAME', 'Agent to work on it'),
      ...sideBySide,
      json,
    ],
    examples: [
      ['ym edit search-docs', 'Open it in $VISUAL or $EDITOR'],
      ['ym edit search-docs --priority 0 --after none', 'Make it start first'],
    ],
  },
  split: {
    decides: always,
    load: async () => (await import('../tasks.ts')).split,
    line: 'Replace an open task with several; tasks that wait for it wait for all of them',
    args: [task],
    options: [
      text('into', 'SOURCE', 'Plan file or other source with the parts; - for standard input'),
      json,
    ],
    examples: [
      ['ym split search --into parts.yaml', 'search becomes an epic with the tasks of the file'],
      ['ym split search --into -', 'The same from standard input'],
    ],
  },
  rm: {
    decides: always,
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
    decides: ({ options }) => options.flag('prune-removed'),
    load: async () => (await import('../tasks.ts')).importAll,
    line: 'Import tasks from files, folders or issue trackers',
    args: [{ ...sources, required: true }],
    options: [pruneRemoved, flag('dry-run', 'Check everything, store nothing', 'n'), json],
    examples: [
      ['ym import plan.yaml', 'Import all tasks of the file, or none'],
      ['ym import "github:?label=agent" --dry-run', 'Only show what the issues would change'],
    ],
  },
  export: {
    load: async () => (await import('../export.ts')).exportAll,
    line: 'Write tasks as a plan file, a checklist or a graph',
    options: [
      text('format', 'FORMAT', 'Format of the text', {
        choices: ['json', 'yaml', 'markdown', 'mermaid'],
        default: 'by the ending of --out, else json',
      }),
      text('out', 'FILE', 'Write to this file', { short: 'o', default: 'standard output' }),
      list('state', 'STATE', 'Only tasks in these states, such as ready or failed'),
      ...narrowing,
      flag('all', 'Also tasks that landed or were delivered, skipped or canceled', 'a'),
    ],
    examples: [
      ['ym export --out plan.yaml', 'Open tasks, as `ym import` reads them'],
      ['ym export --format markdown --all', 'A checklist with what is done checked off'],
    ],
  },
  tasks: {
    load: async () => (await import('../see.ts')).listTasks,
    line: 'List open tasks and their states',
    options: [
      flag('all', 'Also list tasks that landed or were delivered, skipped or canceled', 'a'),
      list('state', 'STATE', 'Only tasks in these states, such as ready or failed'),
      ...narrowing,
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
  notes: {
    decides: ({ args }) => ['add', 'edit', 'remove'].includes(args[0] ?? ''),
    load: async () => (await import('../notes.ts')).run,
    line: 'Show or change the notes that people and agents left for later work',
    args: [
      {
        name: 'ACTION',
        required: false,
        choices: ['list', 'add', 'show', 'edit', 'remove'],
        doc: 'What to do; list if absent',
      },
      {
        name: 'WORD',
        required: false,
        repeatable: true,
        doc: 'For add: decision, convention or finding, then the text; else the number of the note, and its new text for edit',
      },
    ],
    options: [
      flag('all', 'Also list notes that were replaced or removed', 'a'),
      list('label', 'LABEL', 'With add: for tasks with one of these labels'),
      list('path', 'GLOB', 'With add: for tasks that name these files'),
      { ...reason, doc: 'With remove: reason, kept in the log' },
      json,
    ],
    examples: [
      ['ym notes add convention "Dates are stored in UTC"', 'The agents of later runs read it'],
      ['ym notes edit 3', 'Open it in $VISUAL or $EDITOR'],
    ],
  },
  plan: {
    decides: ({ options }) => changesPlan(options) || asksForProposal(options),
    load: async () => (await import('../plan.ts')).plan,
    line: 'Show the order of work, or let an agent propose tasks for a goal',
    args: [
      {
        ...sources,
        doc: 'Plan file or other source, as for `ym import`; or `history` and the number of a version',
      },
    ],
    options: [
      list(
        'apply',
        'N',
        'Apply found dependencies and fixes, by their numbers in the plan, or `all`',
      ),
      list(
        'reject',
        'N',
        'Never show these found dependencies again, by their numbers in the plan',
      ),
      text('goal', 'TEXT', 'Let an agent propose tasks that reach this goal'),
      text('spec', 'FILE', 'The same, with the goal in a file, or - for standard input'),
      flag('revise', 'Let an agent change, add and cancel open tasks, also for a goal'),
      { ...yes, doc: 'Store the proposed tasks without asking, unless a concern blocks them' },
      flag('force-refresh', 'Ask agents again, even if they have seen exactly this plan'),
      json,
    ],
    examples: [
      ['ym plan plan.yaml', 'Include a plan file that is not imported yet'],
      ['ym plan --goal "Add full-text search"', 'Propose tasks, show their order, and ask'],
    ],
  },
});
