import pg from 'pg';
import { limits } from '../../model/limits.ts';
import type { PostgresAddress } from '../../model/store-address.ts';
import type { Row } from '../driver.ts';
import { literal, type Parameter } from './literal.ts';
import { usePasswordFile } from './password-file.ts';

/** A statement with `$1`, `$2`, … A connection prepares it when it is used for the first time. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** One statement of a batch: plain SQL, or a prepared statement with its parameters. */
export type Call = string | readonly [statement: Statement, ...parameters: Parameter[]];

/** Declares statements. A connection knows each by its group and the name of its field. */
export function statements<N extends string>(group: string, texts: Readonly<Record<N, string>>) {
  const entries = Object.entries<string>(texts).map(([name, text]) => {
    return [name, { name: `${group}_${name}`, text }] as const;
  });
  return Object.fromEntries(entries) as Readonly<Record<N, Statement>>;
}

/** Parts of the settings that every connection has. Generic plans save planning a prepared statement again. */
const settings = {
  lock_timeout: limits.storeBusyMs,
  // Ends the transaction of a process that has hung or vanished, because all writers wait for it.
  idle_in_transaction_session_timeout: limits.storeBusyMs,
  plan_cache_mode: 'force_generic_plan',
  jit: 'off',
  enable_seqscan: 'off',
};

const INT8 = 20;
const INT4 = 23;

/** Numbers as numbers, everything else as text. Counters and times are far below 2^53. */
const types = {
  getTypeParser: (oid: number) => (oid === INT8 || oid === INT4 ? Number : String),
};

/**
 * One connection to the database of a store. Throws the errors of the driver. A batch is one round trip: its statements
 * travel together, as text.
 */
export class Session {
  readonly #client: pg.Client;
  readonly #prepared = new Set<string>();
  #isStale = false;
  #isOpen = true;

  private constructor(client: pg.Client) {
    this.#client = client;
    // An error without a query: the server ended the connection.
    client.on('error', () => this.abandon());
    client.on('end', () => this.abandon());
  }

  static async connect({ url, schema }: PostgresAddress): Promise<Session> {
    const parts = Object.entries({ ...settings, search_path: schema });
    usePasswordFile();
    const client = new pg.Client({
      connectionString: url,
      application_name: 'yardmaster',
      options: parts.map(([name, value]) => `-c ${name}=${value}`).join(' '),
      connectionTimeoutMillis: limits.storeConnectMs,
      query_timeout: limits.storeAnswerMs,
      keepAlive: true,
      types,
    });
    const session = new Session(client);
    await client.connect();
    return session;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Runs statements in order and returns the rows of each. The first error ends the batch. */
  async batch(calls: readonly Call[]): Promise<readonly (readonly Row[])[]> {
    const names = new Set<string>();
    const texts: string[] = [];
    const wanted: number[] = [];
    for (const call of calls) {
      if (
        typeof call !== 'string' &&
        !this.#prepared.has(call[0].name) &&
        !names.has(call[0].name)
      ) {
        if (this.#isStale && names.size === 0) texts.push('DEALLOCATE ALL');
        texts.push(`PREPARE ${call[0].name} AS ${call[0].text}`);
        names.add(call[0].name);
      }
      wanted.push(texts.length);
      texts.push(textOf(call));
    }
    try {
      const answers = await this.#send(texts.join(';\n'));
      if (names.size > 0) this.#isStale = false;
      for (const name of names) this.#prepared.add(name);
      return wanted.map((at) => answers[at] ?? []);
    } catch (error) {
      // It is not known which statements of the batch were prepared.
      if (names.size > 0) {
        this.#prepared.clear();
        this.#isStale = true;
      }
      throw error;
    }
  }

  async #send(text: string): Promise<readonly (readonly Row[])[]> {
    // The type of the driver does not know that several statements have several results.
    const answer: unknown = await this.#client.query<Row>(text);
    const results = (Array.isArray(answer) ? answer : [answer]) as readonly pg.QueryResult<Row>[];
    return results.map(({ rows }) => rows);
  }

  onNotification(listener: (channel: string, payload: string) => void): void {
    this.#client.on('notification', ({ channel, payload = '' }) => listener(channel, payload));
  }

  /** Forgets the connection at once, without waiting for the server. */
  abandon(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#client.end().catch(() => undefined);
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#client.end();
  }
}

function textOf(call: Call): string {
  if (typeof call === 'string') return call;
  const [{ name }, ...parameters] = call;
  return `EXECUTE ${name}${parameters.length === 0 ? '' : `(${parameters.map(literal).join(', ')})`}`;
}
