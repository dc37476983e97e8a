import { accessSync, constants, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { gitCli } from '../git/cli.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { Git } from '../port/git.ts';
import type { Store } from '../port/store.ts';
import { ensureExcluded } from '../record/exclude.ts';
import { openSqlite } from '../record/sqlite.ts';
import { projectId } from '../worktree/project.ts';
import { findPlace, type Place } from './place.ts';
import { replaceFile } from './replace.ts';

export interface Project extends Place {
  readonly id: string;
  readonly git: Git;
  /** Parent of all worktrees: outside the repository, in the user's state folder. */
  readonly stateDir: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export async function openProject(
  cwd: string,
  env: Environment = process.env,
): Promise<Result<Project>> {
  const git = gitCli(cwd, env);
  const place = findPlace(cwd);
  if (place === undefined) {
    const inspected = await git.inspect();
    await git.close();
    if (!inspected.ok) return inspected;
    if (inspected.value.bare) return fail({ kind: 'bare-repository', dir: resolve(cwd) });
    return fail({ kind: 'not-a-repository', dir: resolve(cwd) });
  }
  return ok({ ...place, id: projectId(place.commonDir), git, stateDir: stateDir(env) });
}

/** `YARDMASTER_STATE_DIR`, else the folder of the XDG specification. */
export function stateDir(env: Environment): string {
  const named = env.YARDMASTER_STATE_DIR;
  if (named) return resolve(named);
  const state = env.XDG_STATE_HOME || join(env.HOME || homedir(), '.local', 'state');
  return join(state, 'yardmaster');
}

/** Opens the store; in write mode first excludes our folder from `git status`. */
export async function openStore(project: Place, mode: 'read' | 'write'): Promise<Result<Store>> {
  if (mode === 'write') {
    const excluded = await ensureExcluded(project.commonDir);
    if (!excluded.ok) return excluded;
  }
  return openSqlite(project.storeFile, { mode, busyMs: limits.storeBusyMs });
}

/** Puts a file for people or their editors into the project's state folder. */
export async function writeStateFile(
  { dir, commonDir }: Place,
  name: string,
  text: string,
): Promise<Result<void>> {
  const excluded = await ensureExcluded(commonDir);
  if (!excluded.ok) return excluded;
  const writable = checkWritable(dir);
  return writable.ok ? replaceFile(join(dir, name), text) : writable;
}

/** Creates a folder if needed, and checks that it is writable. */
export function checkWritable(dir: string): Result<void> {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    accessSync(dir, constants.W_OK | constants.X_OK);
    return ok(undefined);
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    return fail({ kind: 'state-unwritable', dir, cause });
  }
}
