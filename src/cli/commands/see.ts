import type { CommandRow } from './row.ts';
import { attempt, countMax, json, oneRun, run, task } from './shared.ts';

export const seeCommands: readonly CommandRow[] = [
  {
    name: 'status',
    group: 'See',
    line: 'Show the run, the slots, the train and the tasks in trouble',
    args: [],
    options: [
      json,
      { long: 'watch', short: 'w', type: 'boolean', doc: 'Keep showing it until interrupted' },
      { long: 'all', short: 'a', type: 'boolean', doc: 'Show every task' },
      {
        long: 'verbose',
        short: 'v',
        type: 'boolean',
        doc: 'Also show branches and worktrees, and explain every task in trouble',
      },
      { ...oneRun, default: 'one that is alive, else the newest' },
    ],
    examples: [
      { line: 'ym status', says: 'One screen' },
      { line: 'ym status --json', says: 'Everything, for a program' },
    ],
  },
  {
    name: 'why',
    group: 'See',
    line: 'Explain why a task is where it is and what to do about it',
    args: [task],
    options: [json],
    examples: [
      { line: 'ym why search-docs', says: 'What happened, why, what to do, and every attempt' },
      { line: 'ym why search-docs --json', says: 'The same for a program' },
    ],
  },
  {
    name: 'log',
    group: 'See',
    line: 'Show what the agents and reviewers of a task printed',
    args: [task],
    options: [
      { long: 'follow', short: 'f', type: 'boolean', doc: 'Keep showing what comes' },
      attempt,
      {
        long: 'turn',
        type: 'number',
        value: 'N',
        min: 1,
        max: countMax,
        default: 'the newest',
        doc: 'Turn of the attempt, or round of a review or critique',
      },
      { long: 'gate', type: 'boolean', doc: 'Show what the gate printed instead' },
      { long: 'review', type: 'boolean', doc: 'Show what its reviewers printed' },
      {
        long: 'critique',
        type: 'boolean',
        doc: 'Show what was printed about what it asks for, before the work',
      },
      {
        long: 'bytes',
        type: 'number',
        value: 'N',
        min: 0,
        max: 1_000_000_000,
        default: '65536',
        doc: 'How much of the end to show, 0 for all; the stream of an agent is shown whole unless this is given',
      },
      { long: 'raw', type: 'boolean', doc: 'Show the stored stream of an agent as it is' },
      json,
    ],
    examples: [
      { line: 'ym log search-docs -f', says: 'Follow the agent at work' },
      { line: 'ym log search-docs --review --turn 1', says: 'What reviewers said in round 1' },
    ],
  },
  {
    name: 'diff',
    group: 'See',
    line: 'Show what a task changed',
    args: [task],
    options: [
      attempt,
      { long: 'stat', type: 'boolean', doc: 'Only the files, with the lines added and removed' },
      json,
    ],
    examples: [
      { line: 'ym diff search-docs', says: 'The newest attempt against its base' },
      { line: 'ym diff search-docs --stat', says: 'How much of each file changed' },
    ],
  },
  {
    name: 'runs',
    group: 'See',
    line: 'List the runs: when, how they ended, what landed and what needs you',
    args: [],
    options: [
      { long: 'all', short: 'a', type: 'boolean', doc: 'Also list runs older than the last 50' },
      json,
    ],
    examples: [
      { line: 'ym runs', says: 'The newest first; a part of an id is enough for other commands' },
      { line: 'ym runs --json', says: 'The same for a program' },
    ],
  },
  {
    name: 'summary',
    group: 'See',
    line: 'Sum up a run: outcomes, slots, gate, time, what did not land and why',
    args: [run],
    options: [json],
    examples: [
      { line: 'ym summary', says: 'The newest run' },
      { line: 'ym summary 3f2a --json', says: 'One run, for a program' },
    ],
  },
  {
    name: 'graph',
    group: 'See',
    line: 'Draw the task graph, or the attempts of a run',
    args: [{ ...run, doc: 'Run whose attempts to draw; `last` is the newest. Tasks if absent' }],
    options: [
      {
        long: 'format',
        type: 'string',
        value: 'FORMAT',
        choices: ['ascii', 'mermaid', 'dot'],
        default: 'ascii, else by the ending of --out',
        doc: 'What to draw with',
      },
      {
        long: 'out',
        short: 'o',
        type: 'string',
        value: 'FILE',
        default: 'standard output',
        doc: 'Where to write; a .md file gets a fenced block',
      },
      { long: 'all', short: 'a', type: 'boolean', doc: 'Draw landed and skipped tasks as well' },
      json,
    ],
    examples: [
      { line: 'ym graph --all', says: 'Every task, in the terminal' },
      { line: 'ym graph last --out run.md', says: 'The newest run as Mermaid in Markdown' },
    ],
  },
];
