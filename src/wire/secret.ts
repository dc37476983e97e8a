import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail, ok, type Result, unwritable } from '../model/failure.ts';

const keyBytes = 32;

/** The key that seals verdicts and agent tokens: a file next to the store, created once and readable only by its owner. */
export function projectSecret(dir: string): Result<Uint8Array> {
  const file = secretFile(dir);
  try {
    if (!existsSync(file)) make(dir, file);
    const key = readFileSync(file);
    if (key.length === keyBytes) return ok(key);
    return fail({ kind: 'state-unwritable', dir, cause: `${file} is damaged; remove it` });
  } catch (error) {
    return fail(unwritable(dir, error));
  }
}

export function secretFile(dir: string): string {
  return join(dir, 'secret');
}

/** Creates the file atomically, and never replaces one that another process has just created. */
function make(dir: string, file: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(draft, randomBytes(keyBytes), { mode: 0o600, flag: 'wx', flush: true });
    linkSync(draft, file);
  } catch (error) {
    if (!existsSync(file)) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}
