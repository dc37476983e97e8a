import {
  type CallToolResult,
  CLIENT_INFO_META_KEY,
  type McpServer,
  type ServerContext,
  type ToolCallback,
} from '@modelcontextprotocol/server';
import type { z } from 'zod';
import type { Yard } from '../library/yard.ts';
import { fail, type Result } from '../model/failure.ts';
import { internal } from '../model/trouble.ts';
import { type Sentences, sentencesOf } from '../report/explain/sentences.ts';
import { withIsoTimes } from '../report/format/time.ts';
import type { Session } from './session.ts';

export interface ToolCall {
  readonly yard: Yard;
  readonly client: string;
  /** Aborts if the client cancels the call. */
  readonly signal: AbortSignal;
  /** Tells the client how far the call is, if it asked for that. */
  progress(done: number, total: number, message: string): Promise<void>;
}

export interface ToolSpec<In extends z.ZodObject, Out extends z.ZodObject> {
  readonly title: string;
  readonly description: string;
  readonly input: In;
  readonly output: Out;
  /** `read`: changes nothing. `undo`: takes work or a task back. */
  readonly effect: 'read' | 'write' | 'undo';
  run(input: z.output<In>, call: ToolCall): Promise<Result<object, Sentences>>;
}

/** Registers a tool. Its answer is structured, with times as ISO 8601, and the same as text. */
export function addTool<In extends z.ZodObject, Out extends z.ZodObject>(
  server: McpServer,
  session: Session,
  name: string,
  { title, description, input, output, effect, run }: ToolSpec<In, Out>,
): void {
  const annotations = {
    readOnlyHint: effect === 'read',
    destructiveHint: effect === 'undo',
    openWorldHint: false,
  };
  const config = { title, description, inputSchema: input, outputSchema: output, annotations };
  const handle = async (args: z.output<In>, context: ServerContext): Promise<CallToolResult> => {
    const client = clientOf(server, context);
    const yard = await session.yardOf(client);
    const call = { client, signal: context.mcpReq.signal, progress: progressOf(context) };
    const done = yard.ok ? await run(args, { yard: yard.value, ...call }) : yard;
    return done.ok ? answer(done.value) : refusal(done.failure);
  };
  const answering = (args: z.output<In>, context: ServerContext): Promise<CallToolResult> =>
    handle(args, context).catch((error: unknown) => refusal(sentencesOf(internal(error))));
  // The compiler cannot see that the schema of the input has the type of the arguments.
  server.registerTool<Out, In>(name, config, answering as ToolCallback<In>);
}

function answer(value: object): CallToolResult {
  const text = JSON.stringify(value, withIsoTimes);
  return {
    content: [{ type: 'text', text }],
    structuredContent: JSON.parse(text) as Record<string, unknown>,
  };
}

function refusal({ what, why, do: remedy, details = [] }: Sentences): CallToolResult {
  const text = [what, why, remedy, ...details].filter(Boolean).join('\n');
  return { isError: true, content: [{ type: 'text', text }] };
}

/** Failure of a call, in the words of the commands. */
export function refused(what: string, remedy: string): Result<never, Sentences> {
  return fail({ kind: 'usage', what, why: '', do: remedy });
}

/** Name of the client: in each request since protocol 2026-07-28, in the first one before. */
export function clientOf(server: McpServer, { mcpReq }: Pick<ServerContext, 'mcpReq'>): string {
  const envelope: Readonly<Record<string, unknown>> = { ...mcpReq.envelope };
  const info = envelope[CLIENT_INFO_META_KEY] ?? server.server.getClientVersion();
  const name = typeof info === 'object' && info !== null && 'name' in info ? info.name : undefined;
  return typeof name === 'string' && name.trim() !== '' ? name.trim() : 'unknown client';
}

function progressOf({ mcpReq }: ServerContext): ToolCall['progress'] {
  const token = mcpReq._meta?.progressToken;
  return async (progress, total, message) => {
    if (token === undefined) return;
    const params = { progressToken: token, progress, total, message };
    await mcpReq.notify({ method: 'notifications/progress', params });
  };
}
