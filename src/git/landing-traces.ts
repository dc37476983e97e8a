import { linkSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isOnSameMachine } from '../model/lease.ts';
import { limits } from '../model/limits.ts';
import { count, type Of, object, optional, readJson, text, time } from '../model/shape.ts';
import { outcomeOf } from '../model/trouble.ts';
import type { LockHolder } from '../port/git.ts';
import { type Identity, seemsRunning, self, startOf } from '../process/identity.ts';
import { openerOf } from '../process/opener.ts';
import { writeWholeNow } from '../process/whole-file.ts';
import { clearLocks, ifPresent, textOf } from './admin.ts';
import { undoCheckout } from './landing-undo.ts';
import { isAncestor, type Repo, resolveCommit } from './repo.ts';

/** A fast-forward of the user's checkout, written before anything of it is done. */
const Intent = object({
  branch: text,
  from: text,
  to: text,
  /** Content of `ORIG_HEAD` before, which git overwrites; absent if there was none. */
  orig: optional(text),
  engine: object({ pid: count, startedAt: text, host: text }),
  at: time,
});
type Intent = Of<typeof Intent>;

const Child = object({ pid: count, startedAt: text });

/** A checkout of the user: its folder and its git folder. */
export interface Checkout {
  readonly dir: string;
  readonly gitDir: string;
}

/**
 * Files of a landing in the checkout's git folder. `lock` is git's own index lock and a hard link to `intent`, so a
 * lock of ours is recognized for certain, and no git of the user works on a half-updated checkout. Our git works on
 * `index`, a copy, which replaces the user's index in one step.
 */
function filesOf(gitDir: string) {
  return {
    intent: join(gitDir, 'yardmaster-landing'),
    child: join(gitDir, 'yardmaster-landing.git'),
    index: join(gitDir, 'yardmaster-index'),
    indexLock: join(gitDir, 'yardmaster-index.lock'),
    userIndex: join(gitDir, 'index'),
    lock: join(gitDir, 'index.lock'),
    orig: join(gitDir, 'ORIG_HEAD'),
  };
}

/** True while a landing updates the checkout, or was cut short there. */
export function isLanding(gitDir: string): boolean {
  return isThere(filesOf(gitDir).intent);
}

export interface Begun {
  /** Index file that git must use. */
  readonly index: string;
  onStart(pid: number): void;
}

/** Records the intent and takes the index lock; returns the holder if the index is locked already. */
export async function beginLanding(
  { gitDir }: Checkout,
  landing: Pick<Intent, 'branch' | 'from' | 'to'>,
): Promise<Begun | LockHolder> {
  const files = filesOf(gitDir);
  const orig = await textOf(files.orig);
  const intent: Intent = { ...landing, orig, engine: self(), at: Date.now() };
  // Only the process that has the lock may write the intent under its own name.
  const draft = `${files.intent}.${process.pid}`;
  writeWholeNow(draft, `${JSON.stringify(intent)}\n`, { durable: true });
  try {
    linkSync(draft, files.lock);
  } catch (error) {
    rmSync(draft, { force: true });
    if (!isTaken(error)) throw error;
    return holderOf(files.lock);
  }
  renameSync(draft, files.intent);
  // A link keeps the exact time, by which git knows which files it must compare by content.
  if (isThere(files.userIndex)) linkSync(files.userIndex, files.index);
  const onStart = (pid: number): void => {
    const child = { pid, startedAt: startOf(pid) ?? '' };
    writeFileSync(files.child, JSON.stringify(child));
  };
  return { index: files.index, onStart };
}

/**
 * Finishes or undoes the landing whose traces are in the checkout: if the branch has moved, the index follows it;
 * otherwise the files return to the old commit, except those that someone else edited. Without traces nothing is done.
 * Returns the process that is still at work on it, if there is one.
 */
export async function settleLanding(
  repo: Repo,
  checkout: Checkout,
): Promise<LockHolder | undefined> {
  const files = filesOf(checkout.gitDir);
  const draft = draftOfLock(checkout.gitDir, files.lock);
  const written = await textOf(draft ?? files.intent);
  if (written === undefined) return;
  const intent = readJson(Intent, written);
  if (intent !== undefined) {
    const busy = await stillAtWork(files, intent);
    if (busy !== undefined) return busy;
    if (draft !== undefined) renameSync(draft, files.intent);
    await settle(repo, checkout, intent);
  }
  const isOurs = isSameFile(files.lock, files.intent);
  for (const file of [files.index, files.indexLock, files.child]) rmSync(file, { force: true });
  if (isOurs) rmSync(files.lock, { force: true });
  rmSync(files.intent, { force: true });
  return undefined;
}

/** Intent of an engine that has the lock but had not given the file its name when it died. */
function draftOfLock(gitDir: string, lock: string): string | undefined {
  if (!isThere(lock)) return undefined;
  const names = readdirSync(gitDir).filter((name) => /^yardmaster-landing\.\d+$/.test(name));
  return names.map((name) => join(gitDir, name)).find((file) => isSameFile(lock, file));
}

type Files = ReturnType<typeof filesOf>;

/** The engine or git process of the landing, if it may still run. */
async function stillAtWork(files: Files, { engine, at }: Intent): Promise<LockHolder | undefined> {
  const held = (process: Identity | undefined, isOurs = true): LockHolder => ({
    file: files.lock,
    ageMs: Math.max(0, Date.now() - at),
    isOurs,
    pid: process?.pid,
  });
  const me = self();
  const isHere = isOnSameMachine(engine, me);
  const isMine = engine.pid === me.pid && engine.startedAt === me.startedAt;
  if (isHere && !isMine && seemsRunning(engine)) return held(engine);
  const child = readJson(Child, (await textOf(files.child)) ?? '');
  if (child !== undefined) return isHere && seemsRunning(child) ? held(child) : undefined;
  if (isMine || !isThere(files.index)) return undefined;
  // The engine may have died between the start of git and the note of its pid. Git stops at this lock.
  try {
    await writeFile(files.indexLock, '', { flag: 'wx' });
    return undefined;
  } catch (error) {
    if (!isTaken(error)) throw error;
    return Date.now() - at < limits.unknownGitMs ? held(undefined) : undefined;
  }
}

async function settle(repo: Repo, checkout: Checkout, intent: Intent): Promise<void> {
  const files = filesOf(checkout.gitDir);
  const { branch, from, to, orig } = intent;
  const isLocked = isSameFile(files.lock, files.intent);
  if (isThere(files.index)) await clearRefLocks(repo, checkout, intent);
  const tip = await resolveCommit(repo, `refs/heads/${branch}`);
  const there = tip === undefined ? false : await isAncestor(repo, to, tip);
  if (there) {
    if (!isThere(files.index)) return;
    if (isLocked) renameSync(files.index, files.userIndex);
    else return advanceIndex(repo, checkout, from, to);
    return;
  }
  // Git locks its index before it writes a file, and unlocks it when it refuses.
  const wrote =
    isThere(files.indexLock) || (isThere(files.index) && !isSameFile(files.index, files.userIndex));
  // Lock and index stay until the files are undone: they tell a later call that git wrote some.
  const undo = { from, to, scratch: `${files.index}-undo` };
  if (wrote) await undoCheckout(repo, checkout, undo);
  await restore(files.orig, orig);
}

/** The user removed our lock, so their index may have changed: entries of the old commit become those of the new one. */
async function advanceIndex(
  repo: Repo,
  { dir }: Checkout,
  from: string,
  to: string,
): Promise<void> {
  for (const args of [
    ['read-tree', '-i', '-m', from, to],
    ['update-index', '-q', '--refresh'],
  ]) {
    await repo.run({ cwd: dir, args });
  }
}

/** Removes ref locks that our killed git left. One of another process is younger or has another content. */
async function clearRefLocks(repo: Repo, { gitDir }: Checkout, { branch, from, to, at }: Intent) {
  const place = await outcomeOf(repo.place());
  const branchLock = place.ok
    ? [join(place.value.commonDir, 'refs', 'heads', `${branch}.lock`)]
    : [];
  const locks = [join(gitDir, 'HEAD.lock'), join(gitDir, 'ORIG_HEAD.lock'), ...branchLock];
  for (const lock of locks) {
    const found = await ifPresent(stat(lock), undefined);
    if (found === undefined || found.mtimeMs < at - limits.fileTimeMs) continue;
    const content = (await textOf(lock))?.trim() ?? '';
    if (content === '' || content === to || content === from) await clearLocks([lock]);
  }
}

/** Describes who holds a lock file that is not ours. */
function holderOf(file: string): LockHolder {
  const found = statSync(file, { throwIfNoEntry: false });
  const ageMs = found === undefined ? 0 : Math.max(0, Date.now() - found.mtimeMs);
  return { file, ageMs, isOurs: false, pid: openerOf(file) };
}

async function restore(file: string, content: string | undefined): Promise<void> {
  const now = await ifPresent(readFile(file, 'utf8'), undefined);
  if (content === now) return;
  if (content === undefined) await rm(file, { force: true });
  else await writeFile(file, content);
}

const isThere = (file: string): boolean => statSync(file, { throwIfNoEntry: false }) !== undefined;

function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((file) => statSync(file, { throwIfNoEntry: false }));
  return a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev;
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}
