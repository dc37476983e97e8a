// A Postgres server for tests: one for each process that runs tests, with a database for whoever asks.
import { spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { until } from './until.ts';

/** The server refuses to run as root. */
const NOBODY = 65534;
const DEBIAN = '/usr/lib/postgresql';
const PASSWORD = 'open-sesame';

const programs = existsSync(DEBIAN)
  ? readdirSync(DEBIAN)
      .map((version) => join(DEBIAN, version, 'bin'))
      .find((folder) => existsSync(join(folder, 'initdb')))
  : undefined;

export const hasPostgres = programs !== undefined;
if (!hasPostgres) console.warn('Tests of the Postgres store are skipped: it is not installed');

export interface PostgresServer {
  readonly port: number;
  /** The address of a database, which need not exist. */
  url(database: string): string;
  /** Creates an empty database and returns its address. */
  database(): Promise<string>;
  /** Runs a statement in a database. */
  sql(url: string, text: string): Promise<readonly Record<string, unknown>[]>;
  /** Ends the server at once, as a crash would. */
  crash(): Promise<void>;
  start(): Promise<void>;
  /** Ends the server and removes its files. */
  end(): Promise<void>;
}

/** Where a server runs, and the address at which its clients reach it. */
interface Place {
  readonly under: readonly string[];
  readonly address: string;
}
const here: Place = { under: [], address: '127.0.0.1' };

let shared: Promise<PostgresServer> | undefined;

/** The server that tests share; it must go on running. */
export function postgres(): Promise<PostgresServer> {
  shared ??= ownPostgres();
  return shared;
}

/** A server of its own, for tests that end it. It ends with this process, and leaves nothing behind. */
export async function ownPostgres(place: Place = here): Promise<PostgresServer> {
  const dir = mkdtempSync(join(tmpdir(), 'ym-postgres-'));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(dir, NOBODY, NOBODY);
  // The user of the server must get through the folders above.
  if (isRoot) chmodSync(tmpdir(), 0o755);
  const port = await freePort();
  const user = isRoot
    ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups']
    : [];
  const server = new Server(dir, port, { ...place, under: [...place.under, ...user] });
  await server.start();
  return server;
}

const RUN = `
  cd "$DIR" || exit
  if [ ! -d data ]; then
    "$BIN"/initdb -D data -U ym -A password --pwfile password -N -E UTF8 --locale=C >init.log 2>&1 || exit
    echo 'host all all all password' >>data/pg_hba.conf
  fi
  "$BIN"/postgres -D data -p "$PORT" -c listen_addresses="$ADDRESS" -c unix_socket_directories="$DIR" -c fsync=off \\
    -c max_connections=60 >>server.log 2>&1 &
  # Reads until this process of tests asks for the end, or has gone.
  read -r order
  kill -QUIT $!
  wait $!
  [ "$order" = crash ] || { cd /; rm -rf "$DIR"; }
`;

class Server implements PostgresServer {
  readonly port: number;
  readonly #dir: string;
  readonly #place: Place;
  #order: (order: 'crash' | 'end') => Promise<void> = async () => {};
  #databases = 0;

  constructor(dir: string, port: number, place: Place) {
    this.#dir = dir;
    this.port = port;
    this.#place = place;
    writeFileSync(join(dir, 'password'), PASSWORD);
  }

  async start(): Promise<void> {
    const { under, address: ADDRESS } = this.#place;
    const [file = '', ...args] = [...under, 'sh', '-c', RUN];
    const PATH = process.env.PATH ?? '';
    const env = { BIN: programs, DIR: this.#dir, PORT: String(this.port), ADDRESS, PATH };
    const child = spawn(file, args, { stdio: ['pipe', 'ignore', 'ignore'], env });
    const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
    child.unref();
    this.#order = async (order) => {
      child.stdin.write(`${order}\n`);
      await ended;
    };
    await until(() => this.#answers(), 'the server of Postgres to start');
  }

  crash(): Promise<void> {
    return this.#order('crash');
  }

  end(): Promise<void> {
    return this.#order('end');
  }

  async #answers(): Promise<boolean> {
    try {
      await this.sql(this.url('postgres'), 'SELECT 1');
      return true;
    } catch (error) {
      if (error instanceof Error && 'code' in error) return false;
      throw error;
    }
  }

  url(database: string): string {
    return `postgres://ym:${PASSWORD}@${this.#place.address}:${this.port}/${database}`;
  }

  async database(): Promise<string> {
    this.#databases += 1;
    const name = `yard_${process.pid}_${this.#databases}`;
    await this.sql(this.url('postgres'), `CREATE DATABASE ${name}`);
    return this.url(name);
  }

  async sql(url: string, text: string): Promise<readonly Record<string, unknown>[]> {
    // Its socket is reachable from here, also if its address is not.
    const socket = new URL(url);
    socket.searchParams.set('host', this.#dir);
    const client = new pg.Client({ connectionString: socket.href });
    await client.connect();
    try {
      const answer = await client.query(text);
      return answer.rows;
    } finally {
      await client.end();
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
