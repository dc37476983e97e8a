import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { AgentState, StateFolder } from '../port/sandbox.ts';
import { isSystemError } from '../process/identity.ts';
import { isWithin, type Mount } from './arguments.ts';

/** Expands `~` of a place in the user's home. */
export function placeOf(home: string, place: string): string {
  return place === '~' || place.startsWith('~/') ? join(home, place.slice(1)) : place;
}

/** Undefined if there is nothing at this path. */
export function realOf(path: string): string | undefined {
  return existsSync(path) ? realpathSync(path) : undefined;
}

/**
 * Creates a folder that only this program can create: inside the sandbox the home is read-only, so a package manager
 * could not make its cache there on its first use. If the home cannot be written, the folder stays missing.
 */
export function createFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    if (!isSystemError(error)) throw error;
  }
}

/** System folders of `strict`, as the machine has them: links where `/bin` is one. */
export function systemMounts(): readonly Mount[] {
  const found: Mount[] = [];
  for (const at of ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']) {
    const stat = lstatSync(at, { throwIfNoEntry: false });
    if (stat?.isSymbolicLink()) found.push({ id: 'link', to: readlinkSync(at), at });
    else if (stat !== undefined) found.push({ id: 'read', from: at, at });
  }
  const further = ['/etc', '/opt', '/nix', '/var/lib', '/sys'];
  return [...found, ...further.flatMap((at) => readable(at))];
}

/** Makes a path readable that an earlier mount hides. Links in it are kept as the child knows them. */
export function readable(at: string): readonly Mount[] {
  const from = realOf(at);
  return from === undefined ? [] : [{ id: 'read', from, at }];
}

export function writable(at: string): readonly Mount[] {
  const from = realOf(at);
  return from === undefined ? [] : [{ id: 'write', from, at }];
}

/** Hides a file or folder. A link is followed, because bubblewrap mounts over real paths only. */
export function hidden(path: string): readonly Mount[] {
  const at = realOf(path);
  if (at === undefined) return [];
  return [statSync(at).isDirectory() ? { id: 'closed', at } : { id: 'masked', at }];
}

/**
 * Folders that a program needs in order to start: its own, the one a link to it leads to, and for a package of npm the
 * packages next to it.
 */
export function programFolders(file: string): readonly string[] {
  const real = realOf(file);
  if (real === undefined || !statSync(real).isFile()) return [];
  const [packages] = /^.*?\/node_modules(?=\/)/.exec(real) ?? [];
  const needed = [folderOf(file), packages ?? folderOf(real)];
  return [...new Set(needed)];
}

/** Folders that a sandbox replaces by its own; what lies in them has to be mounted again. */
export const replaced = ['/dev', '/run', '/var/run', '/tmp', '/var/tmp'];

/** The folder of a program; the program itself if that folder is replaced. */
const folderOf = (file: string): string =>
  replaced.includes(dirname(file)) ? file : dirname(file);

/** State files that a database keeps open. One of a private folder must not share its journal with another agent. */
const database = /\.(?:sqlite3?|db)(?:-wal|-shm|-journal)?$/;

/** Mounts for the state of an agent. `copies` is a private folder for copies of files. */
export function stateMounts({ folders, files }: AgentState, copies: string): readonly Mount[] {
  return [...folders.flatMap(folderMounts), ...files.flatMap((file) => copyMount(file, copies))];
}

function folderMounts(folder: StateFolder): readonly Mount[] {
  const { use, dir } = folder;
  const needed = use === 'mixed' ? folder.keep.map((name) => join(dir, name)) : [dir];
  for (const path of needed) mkdirSync(path, { recursive: true, mode: 0o700 });
  if (use === 'shared') return writable(dir);
  const at = realpathSync(dir);
  const entries = readdirSync(at).filter((name) => !database.test(name));
  return [
    { id: 'private', at },
    ...entries.flatMap((name) =>
      use === 'read' || folder.readOnly.includes(name)
        ? readable(join(at, name))
        : writable(join(at, name)),
    ),
  ];
}

function copyMount(file: string, copies: string): readonly Mount[] {
  const at = realOf(file);
  if (at === undefined) return [];
  const copy = join(copies, basename(at));
  copyFileSync(at, copy);
  return [{ id: 'write', from: copy, at }];
}

/** Folders with the state of agents other than the child's own. */
export function foreignState(
  all: readonly AgentState[],
  own: AgentState | undefined,
): readonly string[] {
  const mine = own === undefined ? [] : placesOf(own);
  return all.flatMap(placesOf).filter((path) => !mine.some((one) => isWithin(one, path)));
}

const placesOf = ({ folders, files }: AgentState): readonly string[] => [
  ...folders.map(({ dir }) => dir),
  ...files,
];
