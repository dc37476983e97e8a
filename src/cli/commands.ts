import { agentsCommands } from './commands/agents.ts';
import { decideCommands } from './commands/decide.ts';
import { ledgerCommands } from './commands/ledger.ts';
import type { CommandRow, Option } from './commands/row.ts';
import { seeCommands } from './commands/see.ts';
import { setUpCommands } from './commands/setup.ts';
import { tasksCommands } from './commands/tasks.ts';
import { workCommands } from './commands/work.ts';

/**
 * The command line as one table. Help, completion, the parser and the documentation are made from it. Data only: it is loaded at every start, also where nothing but help is asked for. Who does the work is in `handlers.ts`.
 */
export const commands: readonly CommandRow[] = [
  ...setUpCommands,
  ...tasksCommands,
  ...workCommands,
  ...seeCommands,
  ...ledgerCommands,
  ...decideCommands,
  ...agentsCommands,
];

/** Options that every command takes, before its name or after. */
export const globalOptions: readonly Option[] = [
  { long: 'help', short: 'h', type: 'boolean', doc: 'Explain the command' },
  { long: 'version', short: 'V', type: 'boolean', doc: 'Print the version' },
  {
    long: 'cwd',
    short: 'C',
    type: 'string',
    value: 'DIR',
    default: 'here',
    doc: 'Folder to work in',
  },
  { long: 'no-color', type: 'boolean', doc: 'Print without colours, as NO_COLOR does' },
  { long: 'quiet', short: 'q', type: 'boolean', doc: 'Print only results and failures' },
];

export function commandNamed(name: string): CommandRow | undefined {
  return commands.find((row) => row.name === name);
}

/** What an exit status means, in the order of the numbers. */
export const exitCodes: readonly (readonly [code: number, meaning: string])[] = [
  [0, 'Done'],
  [1, 'Some tasks did not land'],
  [2, 'Wrong usage or config'],
  [3, 'Git, agent or store is not fit'],
  [4, 'Stopped by a budget or by a person'],
  [5, 'The gate is red at the end'],
  [70, 'Internal error'],
];
