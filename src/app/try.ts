import { lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkWritable } from '../files/state-file.ts';
import { fail, ok, type Result, unwritable, usage } from '../model/failure.ts';
import { given } from '../model/given.ts';
import { limits } from '../model/limits.ts';
import type { TaskId } from '../model/task.ts';
import { workOf } from './diff.ts';
import { firstOf } from './lookup.ts';
import type { Opened, Project } from './ports.ts';
import { noteFile, openTry, type TryNote, tryFolder } from './try-note.ts';

type Ports = Pick<Project, 'root' | 'dir' | 'git' | 'probe' | 'writeFile'>;

/** Shows the work of a task in the user's checkout: HEAD is detached at its commit. Refuses a checkout with changes. */
export async function beginTry(
  ports: Ports & Pick<Opened, 'store'>,
  task: TaskId,
  attempt?: number,
): Promise<Result<TryNote>> {
  const before = openTry(ports);
  if (before !== undefined) {
    return usage(`${before.task} is being tried already`, 'Go back first with `ym try --back`.');
  }
  const work = await workOf(ports, task, attempt);
  if (!work.ok) return work;
  const commit = await ports.git.resolve(work.value.to);
  if (!commit.ok) return commit;
  if (commit.value === undefined) return usage(`the work of ${task} is gone`, 'See `ym ledger`.');
  const place = await checkoutToLeave(ports);
  if (!place.ok) return place;
  const files = await saveFiles(ports, place.value.head, commit.value);
  if (!files.ok) return files;
  const { root } = ports;
  const of = { task, attempt: work.value.attempt, commit: commit.value, root };
  const note: TryNote = { ...of, ...place.value, files: files.value };
  const noted = await ports.writeFile(noteFile(ports), `${JSON.stringify(note)}\n`);
  if (!noted.ok) return noted;
  const shown = await gitIn(ports, ['checkout', '--no-overwrite-ignore', '--detach', note.commit]);
  if (shown.ok) return ok(note);
  // Git refuses before it changes anything, but it may also have been cut short.
  const back = await endTry(ports);
  return back.ok ? shown : back;
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
  const place = await headOf(ports);
  if (!place.ok) return place;
  const { head, branch } = place.value;
  // Git moves HEAD last. Until then the checkout may be half changed.
  const isBefore = head === note.head && branch === note.branch;
  if (!isBefore && branch !== undefined) return ended(ports, { note, how: 'left', head });
  if (!isBefore) {
    const returned = await switchBack(ports, note, head);
    if (!returned.ok) return returned;
  }
  const now = isBefore ? place : await headOf(ports);
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
    return unwritable(tryFolder(ports), error);
  }
}

async function switchBack(ports: Ports, note: TryNote, head: string): Promise<Result<void>> {
  const changed = await changedPaths(ports);
  if (!changed.ok) return changed;
  if (changed.value.length > 0) {
    return usage(
      `your checkout has changes: ${firstOf(changed.value)}`,
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
  const where = note.branch === undefined ? ['--detach', note.head] : [note.branch];
  const done = await gitIn(ports, ['checkout', '--no-overwrite-ignore', ...where, '--']);
  return done.ok ? ok(undefined) : done;
}

/**
 * Puts the bytes of the saved files back. Git may write other bytes for the same content, for example other line ends. A
 * file that is neither as git has it nor as the try has it was edited since, and stays.
 */
async function restoreFiles(ports: Ports, note: TryNote): Promise<Result<void>> {
  const changed = await changedPaths(ports, ['--untracked-files=all', '--ignored=matching']);
  if (!changed.ok) return changed;
  const isChanged = new Set(changed.value);
  const written: string[] = [];
  for (const { path, copy, blob } of note.files) {
    const file = join(note.root, path);
    if (isChanged.has(path)) {
      const isThere = lstatSync(file, { throwIfNoEntry: false }) !== undefined;
      const found = isThere ? await gitIn(ports, ['hash-object', '--', path]) : ok('');
      if (!found.ok) return found;
      if (found.value.trim() !== (blob ?? '')) continue;
    }
    try {
      if (copy !== undefined) {
        const isNew = writeBytes(file, readFileSync(join(tryFolder(ports), copy)));
        if (isNew) written.push(path);
      } else if (isChanged.has(path) && blob !== undefined) rmSync(file);
    } catch (error) {
      return unwritable(note.root, error);
    }
  }
  if (written.length === 0) return ok(undefined);
  // The index knows the sizes of files that git wrote.
  const known = await gitIn(ports, ['add', '--', ...written]);
  return known.ok ? ok(undefined) : known;
}

/** False if the file has these bytes already. */
function writeBytes(file: string, bytes: Buffer): boolean {
  const known = lstatSync(file, { throwIfNoEntry: false });
  if (known?.isFile() === true && readFileSync(file).equals(bytes)) return false;
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, bytes);
  return true;
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
  if (!repository.ok) return repository;
  const { head, branch, operation } = repository.value;
  if (operation !== undefined) {
    return usage(`your checkout is in the middle of a ${operation}`, 'Finish or abort it first.');
  }
  if (head === undefined)
    return usage('your checkout has no commit yet', 'Commit something first.');
  return ok({ head, ...given({ branch }) });
}

/** Copies the files that the switch changes. Refuses if it would overwrite a file that git does not track. */
async function saveFiles(
  ports: Ports,
  head: string,
  commit: string,
): Promise<Result<TryNote['files']>> {
  const raw = await gitIn(ports, ['diff-tree', '-r', '-z', '--no-renames', '--raw', head, commit]);
  if (!raw.ok) return raw;
  const parts = raw.value.split('\0').filter(Boolean);
  const entries = parts.flatMap((part, at) =>
    part.startsWith(':') && at % 2 === 0
      ? [{ raw: part.split(' '), path: parts[at + 1] ?? '' }]
      : [],
  );
  const isThere = (path: string): boolean =>
    lstatSync(join(ports.root, path), { throwIfNoEntry: false }) !== undefined;
  const untracked = entries.filter((one) => one.raw[4] === 'A' && isThere(one.path));
  if (untracked.length > 0) {
    const names = firstOf(untracked.map(({ path }) => path));
    const problem = `files that git does not track would be overwritten: ${names}`;
    return usage(problem, 'Move them away first.');
  }
  const writable = checkWritable(tryFolder(ports));
  if (!writable.ok) return writable;
  try {
    return ok(
      entries.map(({ raw: [, , , blob = ''], path }, at) => {
        const copy = copied(join(ports.root, path), join(tryFolder(ports), String(at)));
        const known = copy ? { copy: String(at) } : {};
        return { path, ...known, ...(/^0+$/.test(blob) ? {} : { blob }) };
      }),
    );
  } catch (error) {
    return unwritable(tryFolder(ports), error);
  }
}

/** Copies a plain file; false if it is none. */
function copied(from: string, to: string): boolean {
  if (lstatSync(from, { throwIfNoEntry: false })?.isFile() !== true) return false;
  writeFileSync(to, readFileSync(from), { flush: true });
  return true;
}

/** Paths that differ from HEAD. Untracked files are listed only if `more` asks for them. */
async function changedPaths(
  ports: Ports,
  more: readonly string[] = ['--untracked-files=no'],
): Promise<Result<readonly string[]>> {
  const listed = await gitIn(ports, ['status', '--porcelain', '-z', '--no-renames', ...more]);
  if (!listed.ok) return listed;
  return ok(listed.value.split('\0').flatMap((entry) => (entry === '' ? [] : [entry.slice(3)])));
}

/** Git in the user's checkout, without hooks. */
async function gitIn({ probe, root }: Ports, args: readonly string[]): Promise<Result<string>> {
  const safe = ['git', '-c', 'core.hooksPath=/dev/null', '-c', 'advice.detachedHead=false'];
  const done = await probe([...safe, ...args], root, limits.gitOutputBytes);
  if (done.id === 'not-started') return fail({ kind: 'git-missing', cause: done.cause });
  const { exit, stderr, stdout } = done;
  return exit === 0 ? ok(stdout) : fail({ kind: 'git-failed', args: [...args], exit, stderr });
}
