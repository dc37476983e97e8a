import { type Failure, ok, type Result } from '../model/failure.ts';
import { internal } from '../model/trouble.ts';
import { version } from '../wire/version.ts';
import { commandNamed } from './commands.ts';
import { printHelp } from './help.ts';
import { endNote, noteWork, outputTrouble, printLines, watchOutput } from './output.ts';
import { type Call, parse } from './parse.ts';
import { complain } from './screen.ts';

/** Runs a command line and returns the exit status. Output that could not be written is trouble too. */
export async function main(argv: readonly string[]): Promise<number> {
  watchOutput();
  const code = await carryOut(argv);
  endNote();
  const trouble = await outputTrouble();
  const exit = trouble === undefined ? 0 : await complain([trouble]);
  return code === 0 ? exit : code;
}

/** Commands that draw on the terminal themselves, or talk with a person or another program. */
const talking: ReadonlySet<string> = new Set([
  ...['watch', 'ui', 'demo', 'attach', 'edit', 'add', 'init'],
  ...['review', 'resolve', 'agent', 'events', 'log', 'completions', 'daemon', 'mcp'],
]);

/** Commands that read few records, however large the project is. */
const quick: ReadonlySet<string> = new Set(['status', 'help']);

/** True if the command may say how long it takes. With `-` a person may be typing its input. */
function isNoted({ command, global, args }: Call): boolean {
  if (global.quiet || process.env.TERM === 'dumb') return false;
  return !talking.has(command) && !args.includes('-');
}

/** The only place that catches unexpected errors. */
async function carryOut(argv: readonly string[]): Promise<number> {
  const call = parse(argv);
  if (!call.ok) return complain([call.failure]);
  const { command, global } = call.value;
  if (global.version) {
    printLines([version()]);
    return 0;
  }
  if (global.help) {
    printHelp(call.value, command === 'help' ? undefined : command);
    return 0;
  }
  try {
    const row = commandNamed(command);
    if (row === undefined) throw new Error(`No command ${command}`);
    if (isNoted(call.value)) noteWork(command, quick.has(command));
    const allowed = row.decides?.(call.value) ? await onlyByPerson(call.value) : ok(undefined);
    if (!allowed.ok) return complain([allowed.failure]);
    const handler = await row.load();
    return await handler(call.value);
  } catch (error) {
    return complain([isFolderGone(error) ? folderGone : internal(error)]);
  }
}

/** Agents and gates may not decide for the user, even if they hide where they come from. */
async function onlyByPerson(call: Call): Promise<Result<void>> {
  const { callerIn } = await import('../wire/caller.ts');
  const { byPerson } = await import('../app/lookup.ts');
  const { folderOf } = await import('./open.ts');
  const caller = await callerIn(folderOf(call));
  return caller === undefined ? ok(undefined) : byPerson(caller, call.command);
}

function isFolderGone(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd';
}

const folderGone: Failure = {
  kind: 'surroundings-broken',
  problem: 'The current folder was removed.',
  remedy: 'Change to a folder that exists.',
};
