import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { Trouble, tried } from '../model/trouble.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** `YARDMASTER_STATE_DIR`, else the folder of the XDG specification. */
export function stateDir(env: Environment): string {
  const named = env.YARDMASTER_STATE_DIR;
  if (named) return resolve(named);
  if (env.XDG_STATE_HOME) return join(env.XDG_STATE_HOME, 'yardmaster');
  try {
    return join(env.HOME || homedir(), '.local', 'state', 'yardmaster');
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw new Trouble({
      kind: 'surroundings-broken',
      problem: `HOME is not set, and this user has no home folder (${cause}).`,
      remedy: 'Set HOME, or YARDMASTER_STATE_DIR to a folder for worktrees.',
    });
  }
}

/** An id of this machine for systems that offer none: made once, in the state folder. The host name if that fails. */
export function storedMachine(env: Environment): string {
  const dir = tried(() => stateDir(env));
  if (!dir.ok) return hostname();
  const file = join(dir.value, 'machine');
  try {
    mkdirSync(dir.value, { recursive: true, mode: 0o700 });
    // Loaded only here, because most systems need no such file.
    const { randomUUID } = process.getBuiltinModule('node:crypto');
    writeFileSync(file, randomUUID(), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
  try {
    return readFileSync(file, 'utf8').trim() || hostname();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return hostname();
  }
}
