import type { Readable, Writable } from 'node:stream';
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { CheckedLines } from './checked-lines.ts';
import { addDecideTools } from './decide-tools.ts';
import { addResources } from './resources.ts';
import { addRunTools } from './run-tools.ts';
import { Session, type SessionOptions } from './session.ts';
import { addTaskTools } from './task-tools.ts';

const instructions = `Yardmaster runs coding agents on tasks, each in its own worktree, and lands on the target branch only what passes the tests.
Plan: \`add\` tasks (or write a plan file and \`import\` it) with clear acceptance, paths and dependencies, then check \`plan\`.
Work: \`run\` returns at once; call \`status\` with wait_seconds until run.state is neither running nor stopping. It also returns when needsYou has something new.
Trouble: \`why\`, \`log\` and \`diff\` explain; then \`answer\`, \`tell\`, \`reject\`, \`retry\`, \`cancel\` or \`edit\`.
Never edit the target branch while a run is under way.`;

/** The server of one connection. */
export function mcpServer(session: Session): McpServer {
  const { version } = session.options;
  const server = new McpServer(
    { name: 'yardmaster', title: 'Yardmaster', version },
    { instructions },
  );
  addTaskTools(server, session);
  addRunTools(server, session);
  addDecideTools(server, session);
  addResources(server, session);
  return server;
}

/** Serves the client at the other end of two streams, until it closes them or `signal` aborts. */
export async function serveMcp(
  options: SessionOptions,
  { input, output }: { readonly input: Readable; readonly output: Writable },
  signal: AbortSignal,
): Promise<void> {
  const session = new Session(options);
  const lines = new CheckedLines(output);
  const transport = new StdioServerTransport(input.pipe(lines), output);
  const handle = serveStdio(() => mcpServer(session), { transport });
  await new Promise<void>((resolve) => {
    for (const event of ['end', 'close', 'error']) input.once(event, () => resolve());
    signal.addEventListener('abort', () => resolve());
    if (signal.aborted) resolve();
  });
  await handle.close();
  input.unpipe(lines).pause();
  await session.close();
}
