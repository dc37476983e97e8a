import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { checkWritable } from '../files/state-file.ts';
import { fail, ok, type Result, unwritable, usage } from '../model/failure.ts';
import type { TaskId } from '../model/task.ts';
import { settled } from '../model/trouble.ts';
import { workElsewhere, workOf } from './diff.ts';
import { firstOf } from './lookup.ts';
import type { Opened } from './ports.ts';
import {
  gitIn,
  isOfSwitch,
  isSaved,
  type Ports,
  restoreFile,
  type SavedFile,
  saved,
} from './try-files.ts';
import { indexCopy, noteFile, openTry, type TryNote, tryFolder } from './try-note.ts';

type Saved = Pick<TryNote, 'files' | 'folders' | 'submodules'>;

/** Shows the work of a task in the user's checkout: HEAD is detached at its commit. Refuses a checkout with changes. */
export async function beginTry(
  ports: Ports & Pick<Opened, 'store' | 'storeSetting'>,
  task: TaskId,
  attempt?: number,
): Promise<Result<TryNote>> {
  const before = openTry(ports);
  if (before !== undefined) {
    return usage(`${before.task} is being tried already`, 'Go back first with `ym try --back`.');
  }
  const work = await workOf(ports, task, attempt, 'try');
  if (!work.ok) return work;
  const commit = await ports.git.resolve(work.value.to);
  if (commit === undefined) {
    const elsewhere = await workElsewhere(ports, work.value);
    if (elsewhere !== undefined) return fail(elsewhere);
    return usage(`the work of ${task} is gone`, 'See `ym ledger`.');
  }
  const place = await checkoutToLeave(ports);
  if (!place.ok) return place;
  const saved = await saveFiles(ports, place.value.head, commit);
  if (!saved.ok) return saved;
  const { root } = ports;
  const of = { task, attempt: work.value.attempt, commit, root };
  const note: TryNote = { ...of, ...place.value, ...saved.value };
  await putNote(ports, note);
  const shown = await gitIn(ports, ['checkout', '--no-overwrite-ignore', '--detach', note.commit]);
  if (shown.ok) return ok(note);
  // Git refuses before it changes anything, but it may also have been cut short.
  const back = await endTry(ports);
  return back.ok ? shown : back;
}

function putNote(ports: Ports, note: TryNote): Promise<void> {
  return ports.writeFile(noteFile(ports), `${JSON.stringify(note)}\n`);
}

/** `left`: the user had left the try already. `moved`: the branch has other commits than before. */
export interface TryEnd {
  readonly note: TryNote;
  readonly how: 'restored' | 'moved' | 'left';
  /** Commit that is checked out now. */
  readonly head: string;
}

/** Ends the open try: the checkout is as it was before. Refuses if edits or commits of the user would be lost. */
export async function endTry(ports: Ports): Promise<Result<TryEnd>> {
  const note = openTry(ports);
  if (note === undefined) return usage('nothing is being tried', 'Type `ym try ID` first.');
  if (note.root !== ports.root) {
    return usage(`${note.task} is tried in another checkout`, `Type it in ${note.root}.`);
  }
  const place = await settled(headOf(ports));
  if (!place.ok) return place;
  const { head, branch } = place.value;
  // Git moves HEAD last. Until then the checkout may be half changed.
  const isBefore = head === note.head && branch === note.branch;
  if (!isBefore && branch !== undefined) return ended(ports, { note, how: 'left', head });
  if (!isBefore) {
    const returned = await switchBack(ports, note, head);
    if (!returned.ok) return returned;
  }
  const now = isBefore ? place : await settled(headOf(ports));
  if (!now.ok) return now;
  if (now.value.head !== note.head) {
    return ended(ports, { note, how: 'moved', head: now.value.head });
  }
  const restored = await restoreFiles(ports, note);
  return restored.ok ? ended(ports, { note, how: 'restored', head: note.head }) : restored;
}

async function ended(ports: Ports, end: TryEnd): Promise<Result<TryEnd>> {
  try {
    // The note goes first: without it, the copies mean nothing.
    rmSync(noteFile(ports));
    rmSync(tryFolder(ports), { recursive: true, force: true });
    return ok(end);
  } catch (error) {
    return fail(unwritable(tryFolder(ports), error));
  }
}

async function switchBack(ports: Ports, note: TryNote, head: string): Promise<Result<void>> {
  const changed = await changedPaths(ports);
  if (!changed.ok) return changed;
  // Git leaves the folders of submodules alone, so they differ from the commit that is shown.
  const own = changed.value.filter((path) => !note.submodules.includes(path));
  if (note.leaving === true && head === note.commit) {
    const finished = await settled(finishSwitch(ports, note, own));
    if (!finished.ok || finished.value) return finished.ok ? ok(undefined) : finished;
  }
  if (own.length > 0) {
    return usage(
      `your checkout has changes: ${firstOf(own)}`,
      'Keep them with `git stash`, or commit them on a branch, then type `ym try --back` again. `git stash pop` applies them to your branch.',
    );
  }
  if (head !== note.commit) {
    const args = ['for-each-ref', '--count=1', '--contains', head, 'refs/heads', 'refs/remotes'];
    const holders = await gitIn(ports, args);
    if (!holders.ok) return holders;
    if (holders.value === '') {
      return usage(
        `your commit ${head.slice(0, 10)} is on no branch`,
        'Keep it with `git branch NAME`, then type `ym try --back` again.',
      );
    }
  }
  await putNote(ports, { ...note, leaving: true });
  const where = note.branch === undefined ? ['--detach', note.head] : [note.branch];
  const done = await gitIn(ports, ['checkout', '--no-overwrite-ignore', ...where, '--']);
  if (done.ok) return ok(undefined);
  // A git that ended by itself has refused, and changed nothing.
  const isCut = done.failure.kind === 'git-failed' && done.failure.exit < 0;
  if (!isCut) await putNote(ports, note);
  return done;
}

/**
 * Finishes a switch back that was cut short: git moves HEAD last, so the files are of either commit. True if HEAD is back;
 * false if the user has edited files since, or the branch has moved.
 */
async function finishSwitch(
  ports: Ports,
  note: TryNote,
  changed: readonly string[],
): Promise<Result<boolean>> {
  const { branch, head, files } = note;
  const byPath = new Map(files.map((one) => [one.path, one]));
  // The shown commit has no such files, so git does not list them.
  const added = files.filter(({ blob }) => blob === undefined).map(({ path }) => path);
  for (const path of [...changed, ...added]) {
    const one = byPath.get(path);
    const isOurs = one === undefined ? ok(false) : await isOfSwitch(ports, note, one);
    if (!isOurs.ok || !isOurs.value) return isOurs;
  }
  const tip = await ports.git.resolve(branch === undefined ? head : `refs/heads/${branch}`);
  if (tip !== head) return ok(false);
  const moved = await gitIn(
    ports,
    branch === undefined
      ? ['update-ref', '--no-deref', 'HEAD', head]
      : ['symbolic-ref', 'HEAD', `refs/heads/${branch}`],
  );
  return moved.ok ? ok(true) : moved;
}

/**
 * Puts the saved files back, and then the index. Git may write other bytes for the same content, for example other line
 * ends, and other permissions. A file that no switch between the two commits leaves so was edited since, and stays.
 */
async function restoreFiles(ports: Ports, note: TryNote): Promise<Result<void>> {
  const changed = await changedPaths(ports);
  if (!changed.ok) return changed;
  const edited = new Set(changed.value.filter((path) => !note.submodules.includes(path)));
  const toRestore: SavedFile[] = [];
  for (const file of note.files) {
    const isOurs = !edited.has(file.path) && isSaved(file);
    const isShown = isOurs ? ok(true) : await isOfSwitch(ports, note, file);
    if (!isShown.ok) return isShown;
    if (!isShown.value) continue;
    edited.delete(file.path);
    toRestore.push(file);
  }
  try {
    // A new file may stand where a folder was, and the other way round.
    for (const one of toRestore)
      if (!isSaved(one)) rmSync(join(note.root, one.path), { force: true });
    for (const one of toRestore) if (isSaved(one)) restoreFile(ports, one);
    for (const folder of note.folders) mkdirSync(join(note.root, folder), { recursive: true });
  } catch (error) {
    return fail(unwritable(note.root, error));
  }
  return restoreIndex(ports, toRestore, edited.size > 0);
}

/** The index as it was, with its flags. If the user has changes, only the entries of the restored files are reset. */
async function restoreIndex(
  ports: Ports,
  files: readonly SavedFile[],
  hasChanges: boolean,
): Promise<Result<void>> {
  if (hasChanges) {
    if (files.length === 0) return ok(undefined);
    const paths = files.map(({ path }) => path);
    const reset = await gitIn(ports, ['--literal-pathspecs', 'reset', '-q', '--', ...paths]);
    return reset.ok ? ok(undefined) : reset;
  }
  const index = await indexFile(ports);
  if (!index.ok) return index;
  const lock = `${index.value}.lock`;
  try {
    const before = readFileSync(indexCopy(ports));
    if (readFileSync(index.value).equals(before)) return ok(undefined);
    // As git does it: no other git writes the index while its lock exists.
    writeFileSync(lock, before, { flag: 'wx', flush: true });
    renameSync(lock, index.value);
    return ok(undefined);
  } catch (error) {
    return fail(unwritable(lock, error));
  }
}

async function indexFile(ports: Ports): Promise<Result<string>> {
  const found = await gitIn(ports, ['rev-parse', '--git-path', 'index']);
  return found.ok ? ok(resolve(ports.root, found.value.replace(/\n$/, ''))) : found;
}

/** Commit and branch of the checkout, if nothing in it would be lost by a switch. */
async function checkoutToLeave(ports: Ports): Promise<Result<Pick<TryNote, 'head' | 'branch'>>> {
  const place = await headOf(ports);
  if (!place.ok) return place;
  const changed = await changedPaths(ports);
  if (!changed.ok) return changed;
  if (changed.value.length === 0) return place;
  return usage(
    `your checkout has changes: ${firstOf(changed.value)}`,
    'Commit them, or put them aside with `git stash`.',
  );
}

async function headOf({ git }: Ports): Promise<Result<Pick<TryNote, 'head' | 'branch'>>> {
  const repository = await git.inspect();
  const { head, branch, operation } = repository;
  if (operation !== undefined) {
    return usage(`your checkout is in the middle of a ${operation}`, 'Finish or abort it first.');
  }
  if (head === undefined)
    return usage('your checkout has no commit yet', 'Commit something first.');
  return ok({ head, branch });
}

/** Copies the files that the switch changes, and the index. Refuses if it would overwrite a file that git does not track. */
async function saveFiles(ports: Ports, head: string, commit: string): Promise<Result<Saved>> {
  const raw = await gitIn(ports, ['diff-tree', '-r', '-z', '--no-renames', '--raw', head, commit]);
  if (!raw.ok) return raw;
  const index = await indexFile(ports);
  if (!index.ok) return index;
  const entries = entriesIn(raw.value);
  const isThere = (path: string): boolean =>
    lstatSync(join(ports.root, path), { throwIfNoEntry: false }) !== undefined;
  const added = entries.filter(({ isAdded }) => isAdded);
  const untracked = added.filter(({ path }) => isThere(path));
  if (untracked.length > 0) {
    const names = firstOf(untracked.map(({ path }) => path));
    const problem = `files that git does not track would be overwritten: ${names}`;
    return usage(problem, 'Move them away first.');
  }
  checkWritable(tryFolder(ports));
  try {
    writeFileSync(indexCopy(ports), readFileSync(index.value), { flush: true });
    const files = entries.filter(({ isSubmodule }) => !isSubmodule);
    return ok({
      files: files.map(({ path, blob }, at) => {
        const before = saved(join(ports.root, path), join(tryFolder(ports), String(at)));
        return { path, ...before, blob };
      }),
      folders: [...new Set(added.map(({ path }) => dirname(path)))].filter(isThere),
      submodules: entries.filter(({ isSubmodule }) => isSubmodule).map(({ path }) => path),
    });
  } catch (error) {
    return fail(unwritable(tryFolder(ports), error));
  }
}

interface Entry {
  readonly path: string;
  readonly isAdded: boolean;
  readonly isSubmodule: boolean;
  /** Absent if the new commit has no such file. */
  readonly blob: string | undefined;
}

const submoduleMode = '160000';

/** Reads the output of `git diff-tree --raw -z`. */
function entriesIn(raw: string): readonly Entry[] {
  const parts = raw.split('\0');
  return parts.flatMap((part, at) => {
    const path = parts[at + 1];
    if (at % 2 === 1 || path === undefined) return [];
    const [from = '', to, , blob = '', status] = part.slice(1).split(' ');
    const isSubmodule = from === submoduleMode || to === submoduleMode;
    const shown = /^0+$/.test(blob) ? undefined : blob;
    return [{ path, isAdded: status === 'A', isSubmodule, blob: shown }];
  });
}

/** Tracked paths that differ from HEAD. */
async function changedPaths(ports: Ports): Promise<Result<readonly string[]>> {
  const args = ['status', '--porcelain', '-z', '--no-renames', '--untracked-files=no'];
  const listed = await gitIn(ports, args);
  if (!listed.ok) return listed;
  return ok(listed.value.split('\0').flatMap((entry) => (entry === '' ? [] : [entry.slice(3)])));
}
