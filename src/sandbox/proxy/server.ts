import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { type HostRule, hostName, isListed } from '../../model/host-rule.ts';
import { join } from './join.ts';

interface Policy {
  readonly rules: readonly HostRule[];
  /** Called with the sentence for each host that is not listed, whenever it is asked for. */
  readonly onRefused: (sentence: string) => void;
}

/** HTTP proxy that reaches listed hosts only. `CONNECT` carries TLS; other requests are plain HTTP. */
export function proxyServer(policy: Policy): Server {
  const server = createServer((request, response) => forward(policy, request, response));
  server.on('connect', (request: IncomingMessage, client: Duplex, head: Buffer) =>
    tunnel(policy, request.url ?? '', client, head),
  );
  server.on('clientError', (_error, client) => client.destroy());
  // Uploads may take long.
  server.requestTimeout = 0;
  return server;
}

function tunnel(policy: Policy, target: string, client: Duplex, head: Buffer): void {
  client.on('error', () => client.destroy());
  const [, name = '', port = ''] = /^(.+):(\d{1,5})$/.exec(target) ?? [];
  const host = hostName(name);
  if (!isListed(policy.rules, host, Number(port))) {
    client.end(answer('403 Forbidden', refusal(policy, target)));
    return;
  }
  const server = connect({ host, port: Number(port), allowHalfOpen: true });
  const failed = (error: Error): void => {
    client.end(answer('502 Bad Gateway', unreachable(target, error)));
  };
  server.once('error', failed);
  server.once('connect', () => {
    server.off('error', failed);
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    server.write(head);
    join(client, server);
  });
}

function forward(policy: Policy, request: IncomingMessage, response: ServerResponse): void {
  const end = (status: number, text: string): void => {
    if (response.headersSent) response.destroy();
    else response.writeHead(status, { 'content-type': 'text/plain' }).end(text);
  };
  const url = URL.canParse(request.url ?? '') ? new URL(request.url ?? '') : undefined;
  if (url?.protocol !== 'http:') return end(400, 'This is a proxy: ask it for an http address.\n');
  const port = Number(url.port || 80);
  const target = `${url.hostname}:${port}`;
  if (!isListed(policy.rules, url.hostname, port)) return end(403, refusal(policy, target));
  const {
    'proxy-connection': _connection,
    'proxy-authorization': _login,
    ...rest
  } = request.headers;
  const outgoing = httpRequest(
    {
      host: hostName(url.hostname),
      port,
      path: `${url.pathname}${url.search}`,
      headers: { ...rest, host: url.host },
      method: request.method,
    },
    (incoming) => {
      response.writeHead(incoming.statusCode ?? 502, incoming.headers);
      incoming.pipe(response);
      incoming.on('close', () => {
        if (!incoming.complete) response.destroy();
      });
    },
  );
  outgoing.on('error', (error) => end(502, unreachable(target, error)));
  response.on('close', () => outgoing.destroy());
  request.pipe(outgoing);
}

function refusal({ onRefused }: Policy, target: string): string {
  const sentence = `${target} is not in \`sandbox_hosts\`, so the sandbox blocks it.\n`;
  onRefused(sentence);
  return sentence;
}

const unreachable = (target: string, { message }: Error): string =>
  `${target} could not be reached: ${message}.\n`;

const answer = (status: string, text: string): string =>
  `HTTP/1.1 ${status}\r\ncontent-type: text/plain\r\ncontent-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`;
