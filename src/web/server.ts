import { once } from 'node:events';
import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAdaptorServer } from '@hono/node-server';
import { ok, type Result, usage } from '../model/failure.ts';
import { appOf, type Served, type Site, type SiteOptions } from './app.ts';
import { Source } from './source.ts';
import { Channel } from './stream.ts';
import { Tails } from './tails.ts';
import { Logs } from './tasks.ts';

export interface ServerOptions extends SiteOptions {
  readonly port: number;
  /** Names this server among those before it. */
  readonly boot: string;
  readonly projects: readonly [Served, ...Served[]];
}

const farewellMs = 100;

interface WebServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Listens until it is closed. */
export async function startServer(options: ServerOptions): Promise<Result<WebServer>> {
  const sites = options.projects.map((served): Site => {
    const source = new Source(served.project);
    const channel = new Channel(source, options.boot);
    return { ...served, source, channel, tails: new Tails(source), logs: new Logs() };
  });
  const app = appOf(options, sites);
  const server = createAdaptorServer({ fetch: app.fetch, hostname: options.host }) as Server;
  // The whole head of a request must arrive soon; answers may take as long as they like.
  server.headersTimeout = 10_000;
  server.requestTimeout = 30_000;
  const listening = await listen(server, options);
  if (!listening.ok) return listening;
  return ok({
    port: listening.value,
    async close() {
      for (const { channel, tails } of sites) {
        channel.close();
        tails.close();
      }
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      // Streams end with a last message, if their readers take it at once.
      await Promise.race([closed, sleep(farewellMs)]);
      server.closeAllConnections();
      await closed;
      for (const { source } of sites) await source.close();
    },
  });
}

async function listen(
  server: Server,
  { host, port }: Pick<ServerOptions, 'host' | 'port'>,
): Promise<Result<number>> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === '') throw error;
    const why = code === 'EADDRINUSE' ? 'is in use' : `cannot be used on ${host} (${code})`;
    return usage(
      `port ${port} ${why}`,
      'Another `ym ui` of this project may run: open its address. Else choose another port with `--port`; 0 takes any free one.',
    );
  }
  const address = server.address();
  return ok(typeof address === 'object' && address !== null ? address.port : port);
}
