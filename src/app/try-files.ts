import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { plainGit } from './plain-git.ts';
import type { Project } from './ports.ts';
import { type TryNote, tryFolder } from './try-note.ts';

export type SavedFile = TryNote['files'][number];
export type Ports = Pick<Project, 'root' | 'dir' | 'git' | 'probe' | 'writeFile'>;

/** Git in the user's checkout, without hooks. It leaves the folders of submodules alone. */
export async function gitIn(ports: Ports, args: readonly string[]): Promise<Result<string>> {
  const settings = [
    'core.hooksPath=/dev/null',
    'advice.detachedHead=false',
    'submodule.recurse=false',
  ].flatMap((one) => ['-c', one]);
  const done = await plainGit(ports, ports.root, [...settings, ...args]);
  const lock = done.ok ? undefined : lockIn(done.failure);
  return lock === undefined ? done : locked(ports.root, lock);
}

/** The lock that stopped git; undefined if something else did. */
function lockIn(failure: Failure): string | undefined {
  if (failure.kind !== 'git-failed') return undefined;
  return /Unable to create '([^']*\.lock)': File exists/.exec(failure.stderr)?.[1];
}

function locked(root: string, lock: string): Result<never> {
  return fail({
    kind: 'surroundings-broken',
    problem: `Git is locked in ${root}: ${lock} exists. A running git holds it, or one that was killed left it.`,
    remedy: `If no git, editor or other tool works there, remove ${lock}. Then type the command again.`,
  });
}

export const isSaved = ({ copy, link }: SavedFile): boolean =>
  copy !== undefined || link !== undefined;

/** Copies a plain file or the target of a link; empty if it is neither. */
export function saved(from: string, to: string): Pick<SavedFile, 'copy' | 'mode' | 'link'> {
  const known = lstatSync(from, { throwIfNoEntry: false });
  if (known?.isSymbolicLink() === true) return { link: readlinkSync(from) };
  if (known?.isFile() !== true) return {};
  writeFileSync(to, readFileSync(from), { flush: true });
  return { copy: basename(to), mode: known.mode & 0o7777 };
}

/** Writes only what differs. */
export function restoreFile(ports: Ports, { path, copy, mode, link }: SavedFile): void {
  const file = join(ports.root, path);
  const known = lstatSync(file, { throwIfNoEntry: false });
  if (link !== undefined && known?.isSymbolicLink() === true && readlinkSync(file) === link) return;
  if (known?.isDirectory() === true) rmdirSync(file);
  else if (link !== undefined || known?.isFile() === false) rmSync(file, { force: true });
  mkdirSync(join(file, '..'), { recursive: true });
  if (link !== undefined) return symlinkSync(link, file);
  const bytes = readFileSync(join(tryFolder(ports), copy ?? ''));
  if (known?.isFile() !== true || !readFileSync(file).equals(bytes)) writeFileSync(file, bytes);
  if (mode !== undefined && (lstatSync(file).mode & 0o7777) !== mode) chmodSync(file, mode);
}

/**
 * True if a switch between the two commits of a try may have left the file so: it is missing, or as one of them has it.
 * A git that was killed may also have written only the beginning of it.
 */
export async function isOfSwitch(
  ports: Ports,
  note: Pick<TryNote, 'head' | 'commit'>,
  one: SavedFile,
): Promise<Result<boolean>> {
  const { path, blob, copy, link } = one;
  const file = join(ports.root, path);
  const known = lstatSync(file, { throwIfNoEntry: false });
  if (known === undefined) return ok(true);
  if (known.isDirectory()) return ok(isSaved(one));
  if (known.isSymbolicLink()) {
    const target = readlinkSync(file);
    if (blob === undefined || target === link) return ok(target === link);
    const shown = await gitIn(ports, ['cat-file', 'blob', blob]);
    return shown.ok ? ok(shown.value === target) : shown;
  }
  const found = blob === undefined ? ok('') : await gitIn(ports, ['hash-object', '--', path]);
  if (!found.ok) return found;
  if (blob !== undefined && found.value.trim() === blob) return ok(true);
  const bytes = readFileSync(file);
  const isStart = (whole: Buffer): boolean => whole.subarray(0, bytes.length).equals(bytes);
  if (copy !== undefined && isStart(readFileSync(join(tryFolder(ports), copy)))) return ok(true);
  for (const commit of [note.commit, note.head]) {
    const written = await writtenBy(ports, commit, path);
    if (written !== undefined && isStart(written)) return ok(true);
  }
  return ok(false);
}

/** Bytes that git writes for a file of a commit; undefined if the commit has no such file. */
async function writtenBy(ports: Ports, commit: string, path: string): Promise<Buffer | undefined> {
  const to = join(tryFolder(ports), 'written');
  // They may be no text, so they go to a file.
  const script = 'exec git cat-file --filters "$1" > "$2"';
  const argv = ['sh', '-c', script, 'sh', `${commit}:${path}`, to];
  const done = await ports.probe(argv, ports.root, { wallMs: limits.gitWallMs });
  return done.id === 'ended' && done.exit === 0 ? readFileSync(to) : undefined;
}
