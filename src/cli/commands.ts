import { agentsCommands } from './commands/agents.ts';
import { decideCommands } from './commands/decide.ts';
import { type CommandRow, flag, type Option, text } from './commands/row.ts';
import { seeCommands } from './commands/see.ts';
import { setUpCommands } from './commands/setup.ts';
import { tasksCommands } from './commands/tasks.ts';
import { workCommands } from './commands/work.ts';

/**
 * The command line as one table. Parser, help, completion and documentation are made from it. It is loaded at every
 * start, so it holds data only; `handlers.ts` loads the code of each command.
 */
export const commands: readonly CommandRow[] = [
  ...setUpCommands,
  ...tasksCommands,
  ...workCommands,
  ...seeCommands,
  ...decideCommands,
  ...agentsCommands,
];

/** Options that every command accepts, before its name or after. */
export const globalOptions: readonly Option[] = [
  flag('help', 'Explain the command', 'h'),
  flag('version', 'Print the version', 'V'),
  text('cwd', 'DIR', 'Folder to work in', { short: 'C', default: 'here' }),
  flag('no-color', 'Print without colors, as NO_COLOR does'),
  flag('quiet', 'Print only results and failures', 'q'),
];

export function commandNamed(name: string): CommandRow | undefined {
  return commands.find((row) => row.name === name);
}

/** Meaning of each exit status, in numeric order. */
export const exitCodes: readonly (readonly [code: number, meaning: string])[] = [
  [0, 'Done'],
  [1, 'Some tasks did not land'],
  [2, 'Wrong usage or invalid config'],
  [3, 'Git, agent or store is not usable'],
  [4, 'Stopped by a budget or by a person'],
  [5, 'The target is red at the end'],
  [70, 'Internal error'],
];
