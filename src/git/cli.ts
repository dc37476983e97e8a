import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { outcomeOf, Trouble } from '../model/trouble.ts';
import { type WorkSize, workSizeLimits } from '../model/work-size.ts';
import type { Git } from '../port/git.ts';
import { objectReader } from './batch.ts';
import { beginMerge, unmarked } from './begin-merge.ts';
import { commitAll, headOf, own, point, status, uncaptured } from './checkout.ts';
import { inTree, type Own, startOf } from './clone.ts';
import { gitFailed, gitRunner, nulSeparated } from './command.ts';
import { gitEnv } from './env.ts';
import { differing, exactly, leftOut, setAside, untracked } from './exact.ts';
import { fastForward } from './forward.ts';
import {
  changedTogether,
  commitTree,
  diff,
  log,
  merge,
  mergeBase,
  PLAIN,
  pick,
  stat,
} from './history.ts';
import { identity, inspect } from './inspect.ts';
import { refWriter } from './ref-writer.ts';
import { checkoutOf, listRefs, moveRefs, push } from './refs.ts';
import {
  isAncestor,
  locate,
  missing,
  neverIn,
  type Repo,
  readCommit,
  resolveCommit,
  runInRepo,
} from './repo.ts';
import { resetSettings } from './reset-settings.ts';
import { allButSetAside } from './set-aside.ts';
import { strays, wasMadeIn } from './strays.ts';
import { blob, changes, file, listing } from './trees.ts';
import { addWorktree, removeWorktree } from './worktrees.ts';

const COUNT = ['diff', ...PLAIN, '--numstat', '-z', '--no-renames', '--ignore-submodules=all'];
const NEW = ['ls-files', '--others', '--exclude-standard', '-z'];

/** Two git processes, one after the other. */
async function workSize(repo: Repo, dir: string, base: string): Promise<WorkSize> {
  const found = await own(repo, dir);
  const counted = await allButSetAside(found);
  const wallMs = workSizeLimits.wallMs;
  const tracked = await inTree(repo, found, { args: [...COUNT, base, ...counted], wallMs });
  const listed = await inTree(repo, found, { args: [...NEW, ...counted], wallMs });
  const lines = nulSeparated(tracked.stdout).map((line) => line.split('\t'));
  const made = nulSeparated(listed.stdout);
  const paths = new Set([...lines.map(([, , path = '']) => path), ...made]);
  return {
    count: paths.size,
    added: sum(lines.map(([added]) => added)) + (await linesIn(found, made)),
    removed: sum(lines.map(([, removed]) => removed)),
  };
}

/** Git prints a dash for a binary file. */
const sum = (counts: readonly (string | undefined)[]): number =>
  counts.reduce((total, count) => total + (Number(count) || 0), 0);

/** Lines of the first files, within a bound. */
async function linesIn({ dir }: Own, paths: readonly string[]): Promise<number> {
  let lines = 0;
  let room: number = workSizeLimits.bytes;
  for (const path of paths.slice(0, workSizeLimits.files)) {
    if (room <= 0) break;
    const bytes = (await startOf(join(dir, path), room)) ?? Buffer.alloc(0);
    room -= bytes.length;
    lines += lineCount(bytes);
  }
  return lines;
}

/** Git takes a file with a NUL near its start for binary. */
const BINARY_BYTES = 8_000;
const LINE_BREAK = 0x0a;

function lineCount(bytes: Buffer): number {
  if (bytes.subarray(0, BINARY_BYTES).includes(0)) return 0;
  let lines = bytes.length > 0 && bytes.at(-1) !== LINE_BREAK ? 1 : 0;
  for (let at = bytes.indexOf(LINE_BREAK); at !== -1; at = bytes.indexOf(LINE_BREAK, at + 1)) {
    lines += 1;
  }
  return lines;
}

/** Git names the first object that it cannot read. */
const named = /^fatal: (?:bad|missing|loose|unable to read)\b.*?\b([0-9a-f]{40,64})\b/m;

/** Files of the object store when all objects were last found. */
const complete = new WeakMap<Repo, ReadonlySet<string>>();

/**
 * The first object of a commit's files that the repository lacks or cannot read. Reads every folder of the commit, but
 * no file. Objects that a partial clone has not fetched do not count. Git is asked only if files of the object store have
 * vanished since the last time that it found everything.
 */
async function missingObject(repo: Repo, commit: string): Promise<string | undefined> {
  const place = await repo.place();
  // Without this folder git does not recognize the repository.
  const objects = join(place.commonDir, 'objects');
  if (!existsSync(objects)) return commit;
  const found = await outcomeOf(resolveCommit(repo, commit));
  if (found.ok && found.value === undefined) return commit;
  const files = filesIn(objects);
  const before = complete.get(repo);
  if (before !== undefined && [...before].every((file) => files.has(file))) return;
  const how = ['--objects', '--no-walk', '--quiet', '--exclude-promisor-objects'];
  const args = ['rev-list', ...how, commit];
  const done = await runInRepo(repo, args);
  const { exit, stderr } = done;
  if (exit === 0) complete.set(repo, files);
  if (exit === 0) return;
  const object = named.exec(stderr)?.[1];
  if (object === undefined) throw new Trouble(gitFailed(args, exit, stderr));
  return object;
}

/** Names of packs and loose objects. A folder that cannot be read has none. Synchronous: up to 257 folders. */
function filesIn(objects: string): ReadonlySet<string> {
  const folders = namesIn(objects).filter((name) => name === 'pack' || /^[0-9a-f]{2}$/.test(name));
  return new Set(
    folders.flatMap((folder) => namesIn(join(objects, folder)).map((name) => folder + name)),
  );
}

function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir);
  } catch (error) {
    if (error instanceof Error && 'code' in error) return [];
    throw error;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Git port on the repository around `dir`, using the installed git. Starts no process before the first call. */
export function gitCli(dir: string, env: Environment = process.env): Git {
  const scrubbed = gitEnv(env);
  const run = gitRunner(scrubbed);
  const place = once(() => locate(run, dir));
  const root = async (): Promise<string> => {
    const found = await place();
    return found.root;
  };
  const reader = objectReader(root, scrubbed);
  const refs = refWriter(root, scrubbed);
  const repo: Repo = { run, env: scrubbed, reader, place, refs };
  return withTrouble({
    inspect: () => inspect(repo, dir),
    identity: once(() => identity(repo)),
    resolve: (revision) => resolveCommit(repo, revision),
    commit: (id) => readCommit(repo, id),
    isAncestor: (ancestor, descendant) => isAncestor(repo, ancestor, descendant),
    missing: (tip, commits) => missing(repo, tip, commits),
    neverIn: (branch, commits) => neverIn(repo, branch, commits),
    wasMadeIn: async (at, commit) => wasMadeIn(at, commit),
    missingObject: (commit) => missingObject(repo, commit),
    refs: (prefix) => listRefs(repo, prefix),
    checkoutOf: (branch) => checkoutOf(repo, branch),
    addWorktree: (at, commit, how) => addWorktree(repo, at, commit, how),
    removeWorktree: (at) => removeWorktree(repo, at),
    hasWorktree: async (at) => (await outcomeOf(own(repo, at))).ok,
    leftOut: (at, since) => leftOut(repo, at, since),
    strays: async (at) => {
      const found = await own(repo, at);
      return strays(repo, found);
    },
    uncaptured: (at) => uncaptured(repo, at),
    workSize: (at, base) => workSize(repo, at, base),
    resetSettings: async (at) => {
      const found = await own(repo, at);
      return resetSettings(repo, found);
    },
    point: (at, commit, branch) => point(repo, at, commit, branch),
    headOf: (at) => headOf(repo, at),
    status: (at, ignoredSince) => status(repo, at, ignoredSince),
    exactly: (at, commit, keep) => exactly(repo, at, commit, keep),
    differing: (at, commit) => differing(repo, at, commit),
    untracked: (at) => untracked(repo, at),
    setAside: (at) => setAside(repo, at),
    commitAll: (at, message) => commitAll(repo, at, message),
    merge: (ours, theirs) => merge(repo, ours, theirs),
    pick: (onto, commit) => pick(repo, onto, commit),
    unmarked: (at) => unmarked(repo, at),
    beginMerge: (at, commit) => beginMerge(repo, at, commit),
    commitTree: (tree, parents, message) => commitTree(repo, tree, parents, message),
    moveRefs: (moves) => moveRefs(repo, moves),
    fastForward: (at, branch, commit) => fastForward(repo, at, branch, commit),
    diff: (from, to) => diff(repo, from, to),
    changes: (from, to) => changes(reader, from, to),
    blob: (id) => blob(repo, id),
    file: (commit, path) => file(repo, commit, path),
    listing: (commit, wanted) => listing(repo, commit, wanted),
    mergeBase: (a, b) => mergeBase(repo, a, b),
    log: (...asked) => log(repo, ...asked),
    changedTogether: (tip, most) => changedTogether(repo, tip, most),
    stat: (from, to) => stat(repo, from, to),
    push: (remote, moves) => push(repo, remote, moves),
    close: async () => {
      await Promise.all([reader.close(), refs.close()]);
    },
  });
}

/** Errors of the file system are trouble with git. */
function withTrouble(git: Git): Git {
  const guarded = Object.entries(git).map(
    ([verb, run]: [string, (...args: never[]) => unknown]) => [
      verb,
      async (...args: never[]): Promise<unknown> => {
        try {
          return await run(...args);
        } catch (error) {
          if (!(error instanceof Error && 'code' in error && 'syscall' in error)) throw error;
          throw new Trouble(gitFailed([verb], -1, error.message));
        }
      },
    ],
  );
  return Object.fromEntries(guarded) as Git;
}

/** Caches a success; retries after a failure. */
function once<T>(find: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined;
  return async () => {
    asked ??= find().catch((error: unknown) => {
      asked = undefined;
      throw error;
    });
    return asked;
  };
}
