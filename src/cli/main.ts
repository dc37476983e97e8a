import { readFileSync } from 'node:fs';
import { internal } from '../model/failure.ts';
import { object, readJson, text } from '../model/shape.ts';
import { commandNamed } from './commands.ts';
import { helpText } from './help.ts';
import { parse } from './parse.ts';
import { complain } from './screen.ts';

/** Runs a command line and returns the exit status. The only place that catches unexpected errors. */
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
    process.stdout.write(helpText(call.value.table, command === 'help' ? undefined : command));
    return 0;
  }
  try {
    const handler = await commandNamed(command)?.load();
    if (handler === undefined) throw new Error(`No handler for ${command}`);
    return await handler(call.value);
  } catch (error) {
    return complain([internal(error)]);
  }
}

/** Ignores closed pipes: `ym tasks | head` is not an error. */
function quietOnClosedPipe(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
    });
  }
}

const Package = object({ name: text, version: text });

/** Version from the package.json of this installation. */
function version(): string {
  for (const up of ['../package.json', '../../package.json']) {
    try {
      const read = readFileSync(new URL(up, import.meta.url), 'utf8');
      const found = readJson(Package, read);
      if (found?.name === 'yardmaster') return found.version;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
    }
  }
  return 'unknown';
}
