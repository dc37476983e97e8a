import { agentsCommands } from './commands/agents.ts';
import { decideCommands } from './commands/decide.ts';
import type { CommandRow } from './commands/row.ts';
import { seeCommands } from './commands/see.ts';
import { setUpCommands } from './commands/setup.ts';
import { tasksCommands } from './commands/tasks.ts';
import { workCommands } from './commands/work.ts';

/**
 * The command line as one table. Parser, help, completion and documentation are made from it. It is loaded at every
 * start, so it holds no code of a command.
 */
export const commands: readonly CommandRow[] = [
  ...setUpCommands,
  ...tasksCommands,
  ...workCommands,
  ...seeCommands,
  ...decideCommands,
  ...agentsCommands,
];

export function commandNamed(name: string): CommandRow | undefined {
  return commands.find((row) => row.name === name);
}
