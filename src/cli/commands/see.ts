import { always, commandsIn, countMax, flag, number, text } from './row.ts';
import { attempt, json, run, task } from './shared.ts';

export const seeCommands = commandsIn('See', {
  status: {
    load: async () => (await import('../status.ts')).run,
    line: 'Show the run, its slots, the merge queue and tasks in trouble',
    options: [
      json,
      flag('all', 'Show every task', 'a'),
      flag('verbose', 'Also show branches and worktrees, and explain every task in trouble', 'v'),
      text('run', 'RUN', 'Run to show', { default: 'the active run, else the newest' }),
      number(
        'at',
        [0, 1_000_000_000],
        'Show the project as it was after this event of `ym events`',
        {
          default: 'now',
        },
      ),
    ],
    examples: [
      ['ym status', 'One screen'],
      ['ym status --json', 'Everything, for a program'],
    ],
  },
  watch: {
    // Its keys decide.
    decides: always,
    load: async () => (await import('../watch.ts')).run,
    line: 'Watch and steer a run on the full screen',
    options: [text('run', 'RUN', 'Run to show', { default: 'the active run, else the newest' })],
    examples: [
      ['ym watch', 'Slots, merge queue, output and tasks; `?` lists the keys'],
      ['ym watch --run 3f2a', 'One run, also one that has ended'],
    ],
  },
  ui: {
    // Its page decides, and its address holds the token.
    decides: always,
    load: async () => (await import('../ui.ts')).run,
    line: 'Serve the web dashboard on this machine',
    args: [
      {
        name: 'DIR',
        required: false,
        repeatable: true,
        doc: 'Folders of projects; this one if absent. Projects that had a server before are shown too',
      },
    ],
    options: [
      number('port', [0, 65_535], 'Port to listen on; 0 takes any free one', {
        default: 'a port of its own for each project',
      }),
      flag('no-open', 'Print the address and open no browser'),
      text(
        'host',
        'ADDRESS',
        'Address to listen on; one that other machines reach needs --expose',
        {
          default: '127.0.0.1',
        },
      ),
      flag('expose', 'Allow a --host that other machines reach'),
      json,
    ],
    examples: [
      ['ym ui', 'Open the dashboard in your browser'],
      ['ym ui --no-open ~/shop ~/blog', 'Print the address of a dashboard of two projects'],
    ],
  },
  why: {
    load: async () => (await import('../see.ts')).why,
    line: 'Explain why a task is in its state and what to do about it',
    args: [task],
    options: [json],
    examples: [
      ['ym why search-docs', 'What happened, why, what to do, and every attempt'],
      ['ym why search-docs --json', 'The same for a program'],
    ],
  },
  log: {
    load: async () => (await import('../log.ts')).run,
    line: "Show the output of a task's agents and reviewers",
    args: [task],
    options: [
      flag('follow', 'Keep showing new output', 'f'),
      attempt,
      number('turn', [1, countMax], 'Turn of the attempt, or round of a review or critique', {
        default: 'the newest',
      }),
      flag('gate', 'Show the output of the gate instead'),
      flag('review', 'Show the output of its reviewers'),
      flag('critique', 'Show the output of the critique of the task, before the work'),
      {
        ...number(
          'bytes',
          [0, 1_000_000_000],
          'Bytes to show from the end, 0 for all; an agent stream is shown in full unless this is given',
        ),
        default: '65536',
      },
      flag('raw', 'Show the stored agent stream unchanged'),
      json,
    ],
    examples: [
      ['ym log search-docs -f', 'Follow the running agent'],
      ['ym log search-docs --review --turn 1', 'Reviewer output of round 1'],
    ],
  },
  events: {
    load: async () => (await import('../events.ts')).run,
    line: 'Print the event log',
    options: [
      flag('follow', 'Keep printing new events', 'f'),
      text('run', 'RUN', 'Only events of this run'),
      text('task', 'ID', 'Only events of this task'),
      number('after', [0, 1_000_000_000], 'Only events after this number'),
      number('limit', [1, countMax], 'At most this many: the newest, or with --after the first'),
      flag('json', 'Print one line of JSON per event, as in schemas/event.json'),
    ],
    examples: [
      ['ym events -f --json', 'Every event as it happens, for a program'],
      ['ym events --task search-docs --limit 20', 'The last events of a task'],
    ],
  },
  diff: {
    load: async () => (await import('../see.ts')).diff,
    line: 'Show what a task changed',
    args: [task],
    options: [attempt, flag('stat', 'Only list files with lines added and removed'), json],
    examples: [
      ['ym diff search-docs', 'The newest attempt against its base'],
      ['ym diff search-docs --stat', 'How much of each file changed'],
    ],
  },
  compare: {
    load: async () => (await import('../compare.ts')).run,
    line: 'Compare the variants of a task, or two runs: outcome, gate, cost and time',
    args: [
      { name: 'NAME', required: true, doc: 'Task with variants, or the first of two runs' },
      { ...run, doc: 'Second run; only to compare runs' },
    ],
    options: [flag('diff', 'Also print what each variant of the task changed'), json],
    examples: [
      ['ym compare search-docs --diff', 'Then choose one with `ym choose search-docs 2`'],
      ['ym compare 3f2a last', 'An earlier run and the newest'],
    ],
  },
  runs: {
    load: async () => (await import('../see.ts')).runs,
    line: 'List runs with their outcome, what landed and what needs you',
    options: [flag('all', 'Also list runs older than the last 50', 'a'), json],
    examples: [
      ['ym runs', 'Newest first; other commands accept a part of the id'],
      ['ym runs --all --json', 'All of them for a program'],
    ],
  },
  summary: {
    load: async () => (await import('../see.ts')).summary,
    line: 'Summarize a run: outcomes, slots, gate, time, what did not land and why',
    args: [run],
    options: [flag('markdown', 'Print Markdown for a pull request or a chat'), json],
    examples: [
      ['ym summary', 'The newest run'],
      ['ym summary 3f2a --json', 'One run, for a program'],
    ],
  },
  report: {
    load: async () => (await import('../report.ts')).report,
    line: 'Write a run as one HTML file: summary, graph, timeline, every attempt',
    args: [run],
    options: [
      text('out', 'FILE', 'File to write', { short: 'o', default: 'ym-report-RUN.html, here' }),
      json,
    ],
    examples: [
      ['ym report', 'The newest run, for a browser; works offline'],
      ['ym report 3f2a --out run.html', 'One run, in a file of your choice'],
    ],
  },
  failures: {
    load: async () => (await import('../report.ts')).failures,
    line: 'List the most frequent failures of all runs, and what to do about them',
    args: [{ name: 'LIST', required: false, choices: ['top'], doc: 'List to print' }],
    options: [json],
    examples: [
      ['ym failures top', 'By kind, with agents, types of tasks and an example'],
      ['ym failures --json', 'The same for a program'],
    ],
  },
  graph: {
    load: async () => (await import('../see.ts')).graph,
    line: 'Draw the task graph, or the attempts of a run',
    args: [
      { ...run, doc: 'Run whose attempts to draw; `last` is the newest. The task graph if absent' },
    ],
    options: [
      text('format', 'FORMAT', 'Output format', {
        choices: ['ascii', 'mermaid', 'dot', 'svg', 'html'],
        default: 'ascii, or from the file extension of --out',
      }),
      text('out', 'FILE', 'Write to this file; a .md file gets a fenced block', {
        short: 'o',
        default: 'standard output',
      }),
      flag('all', 'Include tasks that are done', 'a'),
      json,
    ],
    examples: [
      ['ym graph --all', 'Every task, in the terminal'],
      ['ym graph last --out run.svg', 'The newest run as a picture; `--out run.md` writes Mermaid'],
    ],
  },
  ledger: {
    load: async () => (await import('../see.ts')).ledger,
    line: 'List all work of agents, committed or not, and where it is',
    args: [{ ...run, doc: 'Run id, or its beginning or end; all runs if absent' }],
    options: [json],
    examples: [
      ['ym ledger', 'Every commit of every run; exit 1 if one is lost'],
      ['ym ledger last --json', 'The newest run, for a program'],
    ],
  },
  where: {
    load: async () => (await import('../see.ts')).where,
    line: 'Show where the store, the run files and the worktrees are',
    args: [
      {
        name: 'NAME',
        required: false,
        doc: 'Task, for the files and the worktree of its newest attempt; or run, as in `ym runs`',
      },
    ],
    options: [json],
    examples: [
      ['ym where', 'Paths of the store, of all run files and of the worktrees'],
      ['ym where search-docs', 'Prompts and output of a task, and the worktree of its agent'],
    ],
  },
});
