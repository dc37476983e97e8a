import type { CommandRow } from './row.ts';
import { budget, jobs, json, plain, sources, yes } from './shared.ts';

export const workCommands: readonly CommandRow[] = [
  {
    name: 'run',
    group: 'Work',
    line: 'Let agents work on the tasks and land what passes the gate',
    args: [sources],
    options: [
      jobs,
      {
        long: 'agent',
        type: 'string',
        value: 'NAME',
        default: '`agent` of the config',
        doc: 'Agent to start, such as claude or codex, or a profile of the config',
      },
      {
        long: 'fallback',
        type: 'string',
        value: 'NAME',
        default: '`fallback.agent` of the config',
        doc: 'Agent that takes over while the first one fails',
      },
      {
        long: 'model',
        type: 'string',
        value: 'MODEL',
        default: '`model.default` of the config, else the agent’s own',
        doc: 'Model where nothing else names one, such as sonnet or codex:gpt-5:high',
      },
      {
        long: 'target',
        type: 'string',
        value: 'BRANCH',
        default: '`target` of the config, else the branch checked out',
        doc: 'Branch to land on',
      },
      {
        long: 'scope',
        type: 'string',
        value: 'SCOPE',
        choices: ['ready', 'epics'],
        doc: 'Tasks to work on where neither a source nor --only names them',
      },
      { long: 'epic', type: 'list', value: 'NAME', doc: 'Epics to work on, with --scope epics' },
      { long: 'only', type: 'list', value: 'ID', doc: 'Work on these tasks and no others' },
      ...budget,
      {
        long: 'retries',
        type: 'number',
        value: 'N',
        min: 0,
        max: 100,
        default: '2',
        doc: 'Further agent starts a task may have',
      },
      { long: 'share', type: 'boolean', doc: 'Start although another run is alive here' },
      yes,
      {
        long: 'dry-run',
        short: 'n',
        type: 'boolean',
        doc: 'Print the commands decided first, and do nothing',
      },
      json,
      plain,
    ],
    examples: [
      { line: 'ym run plan.yaml --jobs 4', says: 'Import a plan and work on its tasks' },
      { line: 'ym run --scope ready --budget-wall 2h', says: 'All tasks, for two hours at most' },
    ],
  },
  {
    name: 'resume',
    group: 'Work',
    line: 'Go on with a run that was stopped or killed',
    args: [{ name: 'RUN', required: false, doc: 'Run to go on with; the newest if absent' }],
    options: [
      { long: 'retry-failed', type: 'boolean', doc: 'Try tasks again that failed in this run' },
      ...budget.map((option) => ({ ...option, default: 'as the run was started' })),
      json,
      plain,
    ],
    examples: [
      { line: 'ym resume', says: 'Go on where the newest run stands' },
      { line: 'ym resume --retry-failed', says: 'And give failed tasks another chance' },
    ],
  },
  {
    name: 'stop',
    group: 'Work',
    line: 'Let the agents at work finish, then end the run',
    args: [],
    options: [{ long: 'now', type: 'boolean', doc: 'End the agents at once; their work is kept' }],
    examples: [
      { line: 'ym stop', says: 'Start nothing new' },
      { line: 'ym stop --now', says: 'End everything; `ym resume` goes on later' },
    ],
  },
  {
    name: 'verify',
    group: 'Work',
    line: 'Run the gate on the target as it is now',
    args: [],
    options: [json],
    examples: [
      { line: 'ym verify', says: 'Exit status 5 where the target is red' },
      { line: 'ym verify --json', says: 'The verdict for a program' },
    ],
  },
  {
    name: 'prune',
    group: 'Work',
    line: 'List what ended runs left over, or remove it',
    args: [],
    options: [
      {
        long: 'apply',
        type: 'boolean',
        doc: 'Remove it; work that is nowhere else is kept under refs/yard/keep',
      },
      {
        long: 'discard',
        type: 'boolean',
        doc: 'With --apply: also drop work that is nowhere else, for good',
      },
      json,
    ],
    examples: [
      { line: 'ym prune', says: 'See what could go' },
      { line: 'ym prune --apply', says: 'Remove it, and keep what no branch of yours has' },
    ],
  },
];
