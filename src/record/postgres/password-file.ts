import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

/** Parameters of a connection, as the driver passes them. */
interface Connection {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
}

const field = String.raw`((?:\\.|[^\\:])*):`;
const entry = new RegExp(`^(?!#)${field.repeat(4)}(.+)$`);

/** The password in the first line `HOST:PORT:DATABASE:USER:PASSWORD` that fits, with `*` for any value. */
export function passwordIn(text: string, connection: Connection): string | undefined {
  const { host, port, database, user } = connection;
  const wanted = [host, String(port), database, user];
  for (const line of text.split(/\r?\n/)) {
    const fields = (entry.exec(line) ?? []).slice(1).map((one) => one.replace(/\\([\\:])/g, '$1'));
    if (fields.length > 0 && wanted.every((one, at) => ['*', one].includes(fields[at] ?? ''))) {
      return fields[4];
    }
  }
  return undefined;
}

/** Reads the password from `~/.pgpass`. A file that other users can read is ignored, as `psql` does. */
function filedPassword(connection: Connection): string | undefined {
  const file = process.env.PGPASSFILE || join(homedir(), '.pgpass');
  const found = statSync(file, { throwIfNoEntry: false });
  const isPrivate = found?.isFile() === true && (found.mode & 0o077) === 0;
  return isPrivate ? passwordIn(readFileSync(file, 'utf8'), connection) : undefined;
}

/**
 * Lets every connection of this process without a password use the file. The driver would read it too, but prints a
 * warning about that.
 */
export function usePasswordFile(): void {
  Object.assign(pg.defaults, { password: filedPassword });
}
