import { type Argument, countMax, flag, list, number, type Option, text } from './row.ts';

/** Arguments and options that several commands share. */

export const json = flag('json', 'Print JSON for programs');
export const task: Argument = {
  name: 'ID',
  required: true,
  doc: 'Task id, as listed by `ym tasks`',
};
export const someTasks: Argument = {
  name: 'ID',
  required: true,
  repeatable: true,
  doc: 'Task ids, as listed by `ym tasks`',
};
export const reason = text('reason', 'TEXT', 'Reason, kept in the log');
export const attempt = number('attempt', [1, countMax], 'Attempt to show', {
  default: 'the newest',
});
export const run: Argument = {
  name: 'RUN',
  required: false,
  doc: 'Run id, or its beginning or end; the newest run if absent',
};
/** Conditions that narrow a list of tasks; see `cli/scope.ts`. */
export const narrowing = [
  list('epic', 'NAME', 'Only tasks of these epics'),
  list('only', 'ID', 'Only these tasks'),
  list('label', 'LABEL', 'Only tasks with one of these labels'),
  list('type', 'WORD', 'Only tasks of these types'),
  list('except', 'ID', 'None of these tasks'),
];
export const jobs = number('jobs', [1, 16], 'Agents running at once', {
  short: 'j',
  default: '`jobs` in the config, else 4',
});
/** Several variants of a task. */
export const sideBySide = [
  number(
    'best-of',
    [1, 8],
    'Variants of each task that agents work on side by side; one of them lands',
    {
      default: '`attempts` in the config, else 1',
    },
  ),
  list('agents', 'NAME', 'Agents of the variants, in turn; one variant each without --best-of'),
];
export const plain = flag('plain', 'Print one line per event, even on a terminal');
/** Whether the daemon or this process drives a run. */
export const driving = [
  flag('detach', 'Hand the run to the daemon, starting it if needed, and return at once', 'd'),
  flag('foreground', 'Drive the run in this process, even if the daemon is running'),
];
export const yes = flag('yes', 'Do not ask for confirmation', 'y');
export const sources: Argument = {
  name: 'SOURCE',
  required: false,
  repeatable: true,
  doc: 'Plan file (YAML, TOML, JSON), Markdown checklist, folder of Markdown files, files of Beads, boi or oompa, beads:, github:, gitlab:, jira:FILE, linear:FILE, or - for standard input',
};
export const pruneRemoved = flag(
  'prune-removed',
  'Cancel unfinished tasks that are no longer in their SOURCE',
);
/** Limits of a whole run. A resumed run starts counting again. */
const budgetOf = (part: string, otherwise: string, filed: string) => [
  number('max-attempts', [1, countMax], `Agent starts in ${part}`, { default: otherwise }),
  number('max-new-tasks', [0, countMax], 'Tasks filed during the run that this run may work on', {
    default: filed,
  }),
  text('budget-wall', 'DURATION', `Time for ${part}, such as 90m or 4h`, { default: otherwise }),
  text('budget-tokens', 'COUNT', `Tokens for ${part}, such as 2M or 500k`, { default: otherwise }),
  text('budget-cost', 'AMOUNT', `US dollars for ${part}, such as 20USD`, { default: otherwise }),
];
export const budget = budgetOf('the whole run', 'no limit', 'no limit');
/** Budgets count from zero again in a resumed run, except that of new tasks. */
export const resumedBudget = budgetOf(
  'the rest of the run',
  'the limit of the run, counted from zero',
  'the limit of the run',
);
export const noPreflight = flag(
  'no-preflight',
  'Start agents without running `run.before` and the gate on the target first',
);
export const probeModels = flag(
  'probe-models',
  'Ask every agent and model of the run one tiny question first; exit 3 if one does not answer',
);
/** Options of the end-of-run verification. */
export const verification = [
  flag('verify-tests', 'Test the target after the run; exit 5 if the test fails'),
  flag('no-verify-tests', 'Skip the end-of-run verification, even if the config enables it'),
  text(
    'verify-command',
    'COMMAND',
    'Verify with this command, started without a shell; implies --verify-tests',
    {
      default: '`verify.command` in the config, else the last command of the gate',
    },
  ),
];

/** Options that every command accepts, before its name or after. */
export const globalOptions: readonly Option[] = [
  flag('help', 'Explain the command', 'h'),
  flag('version', 'Print the version', 'V'),
  text('cwd', 'DIR', 'Folder to work in', { short: 'C', default: 'here' }),
  flag('no-color', 'Print without colors, as NO_COLOR does'),
  flag('quiet', 'Print only results and failures', 'q'),
];

/** Meaning of each exit status, in numeric order. */
export const exitCodes: readonly (readonly [code: number, meaning: string])[] = [
  [0, 'Done'],
  [1, 'Some tasks did not land, or the command found a problem'],
  [2, 'Wrong usage or invalid config'],
  [3, 'Git, agent or store is not usable, or the target is red before or during the work'],
  [4, 'Stopped by a budget or by a person'],
  [5, 'The target is red at the end of a run, or in `ym verify`'],
  [70, 'Internal error'],
];
