import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail, ok, type Result } from '../model/failure.ts';

const secretBytes = 32;

/**
 * What the tokens of this project's agents are made with: a file beside the store that only its owner can read, made
 * once. Whoever may read it may speak as any agent; it keeps agents from speaking for each other by mistake, and not a
 * program that reads the files of its own user.
 */
export function projectSecret(dir: string): Result<Uint8Array> {
  const file = secretFile(dir);
  try {
    if (!existsSync(file)) make(dir, file);
    const secret = readFileSync(file);
    if (secret.length === secretBytes) return ok(secret);
    return fail({ kind: 'state-unwritable', dir, cause: `${file} is damaged; remove it` });
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    return fail({ kind: 'state-unwritable', dir, cause });
  }
}

export function secretFile(dir: string): string {
  return join(dir, 'secret');
}

/** Whole or not at all, and never over one that somebody else made at the same moment. */
function make(dir: string, file: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(draft, randomBytes(secretBytes), { mode: 0o600, flag: 'wx', flush: true });
    linkSync(draft, file);
  } catch (error) {
    if (!existsSync(file)) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}
