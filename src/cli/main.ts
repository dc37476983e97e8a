import { internal } from '../model/failure.ts';
import { handlers } from './handlers.ts';
import { helpText } from './help.ts';
import { parse } from './parse.ts';
import { complain } from './trouble.ts';
import { version } from './version.ts';

/** From the words of the command line to an exit status. The only place that catches the unforeseen. */
export async function main(argv: readonly string[]): Promise<number> {
  quietOnClosedPipe();
  const call = parse(argv);
  if (!call.ok) return complain([call.failure]);
  const { command, global } = call.value;
  if (global.version) {
    process.stdout.write(`${version()}\n`);
    return 0;
  }
  if (global.help) {
    process.stdout.write(helpText(command === 'help' ? undefined : command));
    return 0;
  }
  try {
    const handler = await handlers[command]?.();
    if (handler === undefined) throw new Error(`No handler for ${command}`);
    return await handler(call.value);
  } catch (error) {
    return complain([internal(error)]);
  }
}

/** `ym tasks | head` is no error: who reads has enough. */
function quietOnClosedPipe(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
    });
  }
}
