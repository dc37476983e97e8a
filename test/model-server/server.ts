// A model provider that plays scripts, on the loopback interface only. Agents get its address as their base URL:
//
//   const server = await startModelServer({ scripts: { hello: { turns: [[{ say: 'hello' }]] } } });
//   server.base('hello', 'some-key')        http://127.0.0.1:PORT/s/hello/k/some-key, then the usual path of the API
//   server.journal.requests('some-key')     what it was asked, and what it answered
//
// The key tells agents apart that share a script. Requests are answered by the script and themselves alone, but for
// faults that are counted by key.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Asked, ModelApi } from './api.ts';
import { chat } from './chat.ts';
import { type Fault, isRefused, type Odd } from './fault.ts';
import { gemini } from './gemini.ts';
import { Journal, noTokens } from './journal.ts';
import { type Json, record } from './json.ts';
import { messages } from './messages.ts';
import { responses } from './responses.ts';
import { defaultTokens, faultAt, type Script, type Step, stepAt, type Tokens } from './script.ts';
import { answerOf } from './tools.ts';

const apis: readonly ModelApi[] = [messages, responses, chat, gemini];
const SIDE: Step = { say: 'A title' };
const EVENT_STREAM = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' };

export interface ModelServer {
  readonly url: string;
  readonly journal: Journal;
  /** The base URL for an agent that is to play a script. */
  base(scenario: string, key?: string): string;
  /** Adds a script, or puts another in its place. */
  script(scenario: string, script: Script): void;
  /** Ends every connection, also those that wait for an answer. */
  close(): Promise<void>;
}

export async function startModelServer({
  scripts = {},
}: {
  readonly scripts?: Readonly<Record<string, Script>>;
} = {}): Promise<ModelServer> {
  const table = new Map(Object.entries(scripts));
  const journal = new Journal();
  const server = createServer((request, response) => {
    serve(request, response, table, journal).catch((error: unknown) => {
      // The client went away, or the server has a mistake; a test sees either at the client.
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    journal,
    base: (scenario, key = 'any') => `${url}/s/${scenario}/k/${key}`,
    script: (scenario, script) => table.set(scenario, script),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Address {
  readonly scenario: string;
  readonly key: string;
  readonly path: string;
}

function addressOf(url: string): Address {
  const { pathname } = new URL(url, 'http://scripted');
  const [, scenario = '', key = 'any', path = pathname] =
    /^\/s\/([^/]+)(?:\/k\/([^/]+))?(\/.*)?$/.exec(pathname) ?? [];
  return { scenario, key, path };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  scripts: ReadonlyMap<string, Script>,
  journal: Journal,
): Promise<void> {
  const raw = await bodyOf(request);
  const { scenario, key, path } = addressOf(request.url ?? '/');
  const method = request.method ?? 'GET';
  const api = method === 'POST' ? apis.find((some) => some.takes(path)) : undefined;
  const script = scripts.get(scenario);
  if (api === undefined || script === undefined) {
    const [status, body] = strayAnswer(method, path, api !== undefined);
    journal.addStray({ key, method, path, status });
    return sendJson(response, status, body);
  }
  const asked = api.read(record(JSON.parse(raw.toString())), path);
  const side = asked.tools.length === 0;
  const step = side ? SIDE : stepAt(script, asked);
  const counted = side ? undefined : faultAt(script, journal.count(key, scenario));
  const isUnknown = script.unknownModels?.includes(asked.model) === true;
  const own = isUnknown ? ({ id: 'model' } as const) : undefined;
  const fault = own ?? counted ?? ('fault' in step ? step.fault : undefined);
  const answer = answerOf(step, asked.tools);
  const tokens = tokensOf(script, step, side, api);
  const isWhole = fault === undefined;
  journal.add({
    at: Date.now(),
    key,
    scenario,
    api: api.name,
    ...asked,
    bytes: raw.length,
    tools: asked.tools.map(({ name }) => name),
    side,
    answered: fault?.id ?? (answer.call === undefined ? 'text' : 'call'),
    ...(isWhole ? { usage: tokens } : {}),
  });
  if (step.delayMs !== undefined) await delay(step.delayMs);
  if (fault !== undefined) return fail(response, api, asked, fault, script.headers);
  const { frames, whole } = api.reply(answer, asked.model, tokens);
  if (!asked.stream) return sendJson(response, 200, whole);
  response.writeHead(200, EVENT_STREAM);
  for (const frame of frames) response.write(frame);
  response.end();
}

/** Agents look for models and for signs of life; what nobody foresaw is refused and stays in the journal. */
function strayAnswer(method: string, path: string, isModel: boolean): readonly [number, Json] {
  if (isModel) return [500, { error: { message: 'This address names no script.' } }];
  if (method === 'HEAD') return [200, {}];
  if (path.endsWith('/count_tokens')) return [200, { input_tokens: 1234 }];
  if (path.endsWith(':countTokens')) return [200, { totalTokens: 1234 }];
  if (method === 'GET' && path.endsWith('/models')) {
    return [200, { object: 'list', data: [], models: [], has_more: false }];
  }
  return [404, { error: { message: 'The scripted server has no such address.' } }];
}

function tokensOf(script: Script, step: Step, side: boolean, api: ModelApi): Tokens {
  if (side) return noTokens;
  return api.reported({ ...defaultTokens, ...script.usage, ...step.usage });
}

function fail(
  response: ServerResponse,
  api: ModelApi,
  asked: Asked,
  fault: Fault,
  further: Script['headers'],
): void {
  if (isRefused(fault)) {
    const { status, headers, body } = api.refuse(fault, Date.now());
    return sendJson(response, status, body, { ...headers, ...further });
  }
  playOdd(response, api, asked, fault);
}

function playOdd(response: ServerResponse, api: ModelApi, asked: Asked, fault: Odd): void {
  const { frames } = api.reply({ say: 'This answer stops half' }, asked.model, noTokens);
  const half = frames.slice(0, Math.max(1, frames.length >> 1));
  switch (fault.id) {
    case 'never':
      // The connection stays open until the client or the server ends it.
      return;
    case 'html':
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end('<!doctype html><title>Sign in</title><p>A proxy wants to know who you are.');
      return;
    case 'broken-frames':
      response.writeHead(200, EVENT_STREAM);
      response.end('data: {"this is":"not all of it\n\ndata: }{\n\n');
      return;
    case 'in-stream':
      response.writeHead(200, EVENT_STREAM);
      response.end(api.streamError('Overloaded'));
      return;
    case 'stall':
      response.writeHead(200, EVENT_STREAM);
      for (const frame of half) response.write(frame);
      return;
    case 'cut':
      response.writeHead(200, EVENT_STREAM);
      // Destroyed only when the half is on its way, so that the client has begun to read.
      response.write(half.join(''), () => response.socket?.destroy());
      return;
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: Json,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}
