import { type Readable, Transform, type TransformCallback, type Writable } from 'node:stream';
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  McpServer,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Result, Yard } from '../library/yard.ts';
import { isObject } from '../model/shape.ts';
import { withIsoTimes } from '../report/format/time.ts';
import { addDecideTools } from './decide-tools.ts';
import { addRunTools } from './run-tools.ts';
import { Session, type SessionOptions } from './session.ts';
import { addTaskTools } from './task-tools.ts';
import { clientOf } from './tool.ts';

const parseError = { code: -32700, message: 'Parse error' };
const invalidRequest = { code: -32600, message: 'Invalid Request' };

/** Passes on the lines of a client. Answers those that are not JSON-RPC messages: the transport only drops them. */
export class CheckedLines extends Transform {
  readonly #output: Writable;
  /** The start of a line that has not ended. The transport bounds it: it stops reading if a line is too long. */
  #rest: Buffer[] = [];

  constructor(output: Writable) {
    super();
    this.#output = output;
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      this.#check(Buffer.concat([...this.#rest, chunk.subarray(from, end)]).toString());
      this.#rest = [];
      from = end + 1;
    }
    this.#rest.push(chunk.subarray(from));
    done(null, chunk);
  }

  #check(line: string): void {
    const problem = line.trim() === '' ? undefined : problemOf(line);
    if (problem === undefined) return;
    this.#output.write(`${JSON.stringify({ jsonrpc: '2.0', ...problem })}\n`);
  }
}

/** Id and error of the answer to a line that is no message; the id is null if the line has none. */
function problemOf(line: string) {
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return { id: null, error: parseError };
    throw error;
  }
  const isMessage =
    isJSONRPCRequest(message) ||
    isJSONRPCNotification(message) ||
    isJSONRPCResultResponse(message) ||
    isJSONRPCErrorResponse(message);
  return isMessage ? undefined : { id: idOf(message), error: invalidRequest };
}

function idOf(message: unknown): string | number | null {
  const id = isObject(message) ? message.id : null;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

const instructions = `Yardmaster runs coding agents on tasks, each in its own worktree, and lands on the target branch only what passes the tests.
Plan: \`add\` tasks (or write a plan file and \`import\` it) with clear acceptance, paths and dependencies, then check \`plan\`.
Work: \`run\` returns at once; call \`status\` with wait_seconds until run.state is neither running nor stopping. It also returns when needsYou has something new.
Trouble: \`why\`, \`log\` and \`diff\` explain; then \`answer\`, \`tell\`, \`reject\`, \`retry\`, \`cancel\` or \`edit\`.
Never edit the target branch while a run is under way.`;

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

type Read<T> = (yard: Yard) => Promise<Result<T>>;

function addResources(server: McpServer, session: Session): void {
  const reading = async <T>(context: ServerContext, read: Read<T>): Promise<T> => {
    const yard = await session.yardOf(clientOf(server, context));
    const found = yard.ok ? await read(yard.value) : yard;
    // The protocol has no other way to refuse a resource.
    if (!found.ok) throw new Error([found.failure.what, found.failure.do].join(' '));
    return found.value;
  };
  const contents = (uri: URL, value: unknown) => ({
    contents: [
      { uri: uri.href, mimeType: 'application/json', text: JSON.stringify(value, withIsoTimes) },
    ],
  });
  const json = (description: string) => ({ description, mimeType: 'application/json' });
  server.registerResource(
    'tasks',
    'yard://tasks',
    json('All tasks with states and dependencies'),
    async (uri, context) => contents(uri, await reading(context, (yard) => yard.graph())),
  );
  server.registerResource(
    'runs',
    'yard://runs',
    json('All runs, newest first'),
    async (uri, context) => contents(uri, await reading(context, (yard) => yard.runs())),
  );
  const tasks = new ResourceTemplate('yard://tasks/{id}', {
    list: async (context) => {
      const { nodes } = await reading(context, (yard) => yard.graph());
      const resources = nodes.map(({ id, title }) => ({
        uri: `yard://tasks/${id}`,
        name: id,
        title,
      }));
      return { resources };
    },
  });
  server.registerResource(
    'task',
    tasks,
    json('One task with its history'),
    async (uri, { id }, context) =>
      contents(uri, await reading(context, (yard) => yard.why(String(id)))),
  );
  const runs = new ResourceTemplate('yard://runs/{id}', {
    list: async (context) => {
      const known = await reading(context, (yard) => yard.runs());
      return { resources: known.map(({ id }) => ({ uri: `yard://runs/${id}`, name: id })) };
    },
  });
  server.registerResource('run', runs, json('Summary of one run'), async (uri, { id }, context) =>
    contents(uri, await reading(context, (yard) => yard.summary(String(id)))),
  );
}
