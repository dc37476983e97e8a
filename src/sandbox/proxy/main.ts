#!/usr/bin/env node
// Gives a child in a sandbox without network a proxy to listed hosts. `outside` listens on a socket in a folder, starts
// the sandbox, and ends with it. `inside` passes a port of the sandbox on to that socket, and starts the child. Both
// exit as their child does, and leave signals to it. A separate program that does not depend on the engine.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { constants } from 'node:os';
import { hostRule } from '../../model/host-rule.ts';
import { proxyPort, proxySocket } from '../arguments.ts';
import { join } from './join.ts';

/** The supervisor knows the sandbox by this name of its parent. */
process.title = 'yard-proxy';
for (const signal of ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGUSR1', 'SIGUSR2'] as const) {
  process.on(signal, () => undefined);
}

/** The wrapper tells by this form that the child did not start. */
function notStarted(cause: string): never {
  process.stderr.write(`yard-start: ${cause}\n`);
  process.exit(126);
}

function start(argv: readonly string[]): void {
  const [file = '', ...args] = argv;
  const child = spawn(file, args, { stdio: 'inherit' });
  child.on('error', (error) => notStarted(error.message));
  child.on('exit', (code, signal) => {
    process.exit(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
  });
}

const noted = new Set<string>();

/** Notes each sentence once in the output of the child, unless a person looks at it. */
function note(sentence: string): void {
  if (noted.has(sentence) || process.stderr.isTTY) return;
  noted.add(sentence);
  process.stderr.write(sentence);
}

/** Passes a port of the sandbox on to the socket. */
function relay(): Server {
  return createServer({ allowHalfOpen: true }, (client) =>
    join(client, connect({ path: proxySocket, allowHalfOpen: true })),
  );
}

/** Loads the proxy only here, because each child waits for the start of the relay. */
async function proxyIn(folder: string, hosts: readonly string[]): Promise<Server> {
  const { proxyServer } = await import('./server.ts');
  // A relative path, because the length of a socket's path is limited.
  process.chdir(folder);
  rmSync('proxy', { force: true });
  const rules = hosts.flatMap((host) => hostRule(host) ?? []);
  return proxyServer({ rules, onRefused: note });
}

async function main([side, ...rest]: readonly string[]): Promise<void> {
  const end = rest.indexOf('--');
  const [folder = '', ...hosts] = rest.slice(0, end);
  const server = side === 'inside' ? relay() : await proxyIn(folder, hosts);
  server.on('error', (error) => notStarted(error.message));
  server.on('listening', () => start(rest.slice(end + 1)));
  if (side === 'inside') server.listen(proxyPort, '127.0.0.1');
  else server.listen('proxy');
}

main(process.argv.slice(2)).catch((error: unknown) => notStarted(String(error)));
