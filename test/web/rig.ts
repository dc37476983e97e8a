// A web server on a real project, in this process.

import { type IncomingHttpHeaders, request } from 'node:http';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Served } from '../../src/web/app.ts';
import { startServer } from '../../src/web/server.ts';
import { openProject } from '../../src/wire/project.ts';
import { callersOf } from '../../src/wire/web.ts';
import { need } from '../rig/need.ts';
import type { TestProject } from '../rig.ts';

export const token = 'test-token-'.padEnd(43, 'x');

export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  json<T = Record<string, unknown>>(): T;
}

export interface Asking {
  readonly method?: string;
  readonly body?: string | object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Words with which `ym` was to be started. */
export const startedWith: string[][] = [];

export class TestServer {
  readonly port: number;
  readonly close: () => Promise<void>;

  constructor(port: number, close: () => Promise<void>) {
    this.port = port;
    this.close = close;
  }

  get base(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Sends exactly these headers, which `fetch` would not do. */
  ask(path: string, { method, body, headers = {} }: Asking = {}): Promise<Answered> {
    const text = typeof body === 'object' ? JSON.stringify(body) : body;
    const type = typeof body === 'object' ? { 'content-type': 'application/json' } : {};
    return new Promise((resolve, reject) => {
      const asked = request(
        {
          port: this.port,
          host: '127.0.0.1',
          path,
          method: method ?? (body === undefined ? 'GET' : 'POST'),
          headers: { authorization: `Bearer ${token}`, ...type, ...headers },
        },
        (answer) => {
          let read = '';
          answer.setEncoding('utf8');
          answer.on('data', (chunk: string) => {
            read += chunk;
          });
          answer.on('end', () =>
            resolve({
              status: answer.statusCode ?? 0,
              headers: answer.headers,
              text: read,
              json: () => JSON.parse(read),
            }),
          );
        },
      );
      asked.on('error', reject);
      asked.end(text);
    });
  }

  act(action: object): Promise<Answered> {
    return this.ask('/api/actions', { body: action });
  }

  async read<T = Record<string, unknown>>(path: string): Promise<T> {
    return (await this.ask(path)).json<T>();
  }

  /** Messages of a stream, until it is closed. */
  async stream(path: string, headers: Readonly<Record<string, string>> = {}): Promise<TestStream> {
    const aborted = new AbortController();
    const answer = await fetch(`${this.base}${path}`, {
      headers: { authorization: `Bearer ${token}`, ...headers },
      signal: aborted.signal,
    });
    const stream = new TestStream(answer, aborted);
    onTestFinished(() => stream.close());
    return stream;
  }
}

export interface Message {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: Record<string, unknown>;
}

export class TestStream {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #aborted: AbortController;
  readonly #messages: Message[] = [];
  #text = '';
  readonly #decoder = new TextDecoder();

  constructor(answer: Response, aborted: AbortController) {
    if (answer.body === null) throw new Error('there is no stream');
    this.#reader = answer.body.getReader();
    this.#aborted = aborted;
  }

  /** The next message of this kind; others are passed over. Undefined at the end of the stream. */
  async next(event?: string): Promise<Message | undefined> {
    for (;;) {
      const message = this.#messages.shift();
      if (message !== undefined && (event === undefined || message.event === event)) return message;
      if (message !== undefined) continue;
      const { value, done } = await this.#reader.read();
      if (done) return undefined;
      this.#text += this.#decoder.decode(value, { stream: true });
      const parts = this.#text.split('\n\n');
      this.#text = parts.pop() ?? '';
      for (const part of parts) if (part.includes('data: ')) this.#messages.push(messageOf(part));
    }
  }

  close(): void {
    this.#aborted.abort();
  }
}

function messageOf(part: string): Message {
  const field = (name: string): string | undefined =>
    new RegExp(`^${name}: (.*)$`, 'm').exec(part)?.[1];
  return {
    event: field('event') ?? '',
    id: field('id'),
    data: JSON.parse(field('data') ?? 'null') as Record<string, unknown>,
  };
}

export interface ServerSettings {
  readonly page?: string;
  readonly others?: readonly TestProject[];
}

/** Starts a server for a project, and closes it at the end of the test. */
export async function serve(y: TestProject, settings: ServerSettings = {}): Promise<TestServer> {
  const served = async (one: TestProject): Promise<Served> => {
    const env = { ...process.env, HOME: one.home, XDG_STATE_HOME: one.state };
    const project = need(await openProject(one.root, env));
    return {
      project,
      callers: (connection) => callersOf(project, connection),
      start: async (words) => {
        startedWith.push([...words]);
        return { ok: true, value: 'output.log' };
      },
    };
  };
  const server = need(
    await startServer({
      host: '127.0.0.1',
      port: 0,
      token,
      cookie: 'ym-test',
      page: settings.page ?? join(y.base, 'no-page'),
      version: '1.2.3',
      boot: Math.random().toString(16).slice(2),
      projects: [await served(y), ...(await Promise.all((settings.others ?? []).map(served)))],
    }),
  );
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (isOpen) await server.close();
    isOpen = false;
  };
  onTestFinished(close);
  return new TestServer(server.port, close);
}
