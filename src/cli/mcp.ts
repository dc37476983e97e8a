import { openYardThrough } from '../library/open-yard.ts';
import { serveMcp } from '../mcp/server.ts';
import { openProject } from '../wire/project.ts';
import { version } from '../wire/version.ts';
import { startProgram } from '../wire/web.ts';
import { folderOf } from './open.ts';
import type { Call } from './parse.ts';
import { complain } from './screen.ts';
import { interruptedBySignals } from './signals.ts';

/** Serves the Model Context Protocol on standard input and output until the client closes them. Runs go on. */
export async function run(call: Call): Promise<number> {
  const folder = folderOf(call);
  const project = await openProject(folder);
  if (!project.ok) return complain([project.failure]);
  const ended = interruptedBySignals();
  await serveMcp(
    {
      open: (actor) => openYardThrough(folder, { actor }, 'mcp'),
      start: (words, name) =>
        startProgram(project.value, words, { actor: { name, through: 'mcp' } }),
      mayApprove: call.options.flag('approve'),
      version: version(),
    },
    { input: process.stdin, output: process.stdout },
    ended.signal,
  );
  ended.release();
  await project.value.git.close();
  return 0;
}
