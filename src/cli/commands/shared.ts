import type { Argument, Option } from './row.ts';

/** Arguments and options that several commands have in common. */

/** For numbers that have no limit of their own. */
export const countMax = 1_000_000;

export const json = {
  long: 'json',
  type: 'boolean',
  doc: 'Print JSON for programs',
} as const satisfies Option;
export const task = {
  name: 'ID',
  required: true,
  doc: 'Id of a task, as `ym tasks` lists it',
} as const satisfies Argument;
export const someTasks = {
  name: 'ID',
  required: true,
  repeatable: true,
  doc: 'Ids of tasks, as `ym tasks` lists them',
} as const satisfies Argument;
export const reason = {
  long: 'reason',
  type: 'string',
  value: 'TEXT',
  doc: 'Why, for whoever reads the record later',
} as const satisfies Option;
export const attempt = {
  long: 'attempt',
  type: 'number',
  value: 'N',
  min: 1,
  max: countMax,
  default: 'the newest',
  doc: 'Attempt to show',
} as const satisfies Option;
export const run = {
  name: 'RUN',
  required: false,
  doc: 'Id of a run, or its beginning or end; the newest if absent',
} as const satisfies Argument;
export const oneRun = {
  long: 'run',
  type: 'string',
  value: 'RUN',
  default: 'the newest',
  doc: 'Run to show',
} as const satisfies Option;
export const jobs = {
  long: 'jobs',
  short: 'j',
  type: 'number',
  value: 'N',
  min: 1,
  max: 16,
  default: '`jobs` of the config, else 4',
  doc: 'Agents at work at once',
} as const satisfies Option;
export const plain = {
  long: 'plain',
  type: 'boolean',
  doc: 'Print one line for each thing that happens, also on a terminal',
} as const satisfies Option;
export const yes = {
  long: 'yes',
  short: 'y',
  type: 'boolean',
  doc: 'Ask nothing',
} as const satisfies Option;
export const sources = {
  name: 'SOURCE',
  required: false,
  repeatable: true,
  doc: 'Plan file (YAML, TOML, JSON), Markdown checklist, folder of Markdown files, or - for standard input',
} as const satisfies Argument;
export const pruneRemoved = {
  long: 'prune-removed',
  type: 'boolean',
  doc: 'Cancel unfinished tasks that are no longer in their SOURCE',
} as const satisfies Option;
/** What a whole run may spend; it counts again when a run is resumed. */
export const budget = [
  {
    long: 'max-attempts',
    type: 'number',
    value: 'N',
    min: 1,
    max: countMax,
    default: 'no limit',
    doc: 'Agent starts in the whole run',
  },
  {
    long: 'max-new-tasks',
    type: 'number',
    value: 'N',
    min: 0,
    max: countMax,
    default: 'no limit',
    doc: 'Tasks filed during the run that the same run works on',
  },
  {
    long: 'budget-wall',
    type: 'string',
    value: 'DURATION',
    default: 'no limit',
    doc: 'Time for the whole run, such as 90m or 4h',
  },
  {
    long: 'budget-tokens',
    type: 'string',
    value: 'COUNT',
    default: 'no limit',
    doc: 'Tokens for the whole run, such as 2M or 500k',
  },
  {
    long: 'budget-cost',
    type: 'string',
    value: 'AMOUNT',
    default: 'no limit',
    doc: 'US dollars for the whole run, such as 20USD',
  },
] as const satisfies readonly Option[];
export const noPreflight = {
  long: 'no-preflight',
  type: 'boolean',
  doc: 'Start agents without running the gate on the target first',
} as const satisfies Option;
/** Whether the target is looked at as a whole when the run has ended. */
export const verifying = [
  {
    long: 'verify-tests',
    type: 'boolean',
    doc: 'Look at the whole target when the run has ended; exit status 5 where that fails',
  },
  {
    long: 'no-verify-tests',
    type: 'boolean',
    doc: 'Do not, whatever else says so',
  },
  {
    long: 'verify-command',
    type: 'string',
    value: 'COMMAND',
    default: '`verify.command` of the config, else the gate',
    doc: 'What to look with, started without a shell; means --verify-tests',
  },
] as const satisfies readonly Option[];
