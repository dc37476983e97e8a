import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail, ok, type Result, unwritable } from '../model/failure.ts';

export function webTokenFile(dir: string): string {
  return join(dir, 'web-token');
}

/**
 * The token of a project's web server: a file next to the store, created once and readable only by its owner, so that an
 * address stays valid when the server is started again.
 */
export function webToken(dir: string): Result<string> {
  const file = webTokenFile(dir);
  try {
    if (!existsSync(file)) make(dir, file);
    const token = readFileSync(file, 'utf8').trim();
    if (/^[\w-]{40,}$/.test(token)) return ok(token);
    return fail({ kind: 'state-unwritable', dir, cause: `${file} is damaged; remove it` });
  } catch (error) {
    return fail(unwritable(dir, error));
  }
}

/** Never replaces a file that another process has just created. */
function make(dir: string, file: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    const text = `${randomBytes(32).toString('base64url')}\n`;
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx' });
    linkSync(draft, file);
  } catch (error) {
    if (!existsSync(file)) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}
