import pg from 'pg';
import { jobLimits } from '../model/job.ts';
import { usePasswordFile } from '../record/postgres/password-file.ts';

/** A connection over a link that was cut fails after a while, so that another one is tried. */
export function poolOptions(url: string) {
  usePasswordFile();
  return {
    connectionString: url,
    application_name: 'yardmaster jobs',
    connectionTimeoutMillis: jobLimits.answerMs,
    query_timeout: jobLimits.answerMs,
    keepAlive: true,
  };
}

/** Opens connections as they are needed, up to `max`. */
export function poolAt(url: string, max: number): pg.Pool {
  const pool = new pg.Pool({ ...poolOptions(url), max, idleTimeoutMillis: 5_000 });
  // The server ended a connection that nothing uses; the next call opens another one.
  pool.on('error', () => undefined);
  return pool;
}
