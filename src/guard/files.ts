import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isLanding } from '../git/landing-traces.ts';
import { type Packed, refFiles } from '../git/ref-files.ts';
import type { Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { outcomeOf } from '../model/trouble.ts';
import type { Git } from '../port/git.ts';
import type { CheckoutFiles, Guard, Listing, Snapshot } from '../port/guard.ts';
import { type HomePlace, homeMarks } from './home.ts';
import { folderMarks, listing, type Mark, marksOf, statMarks, textOf, UNKNOWN } from './marks.ts';
import { isWatched } from './tampering-list.ts';

/** Values of a key in the text of a git config, in order. Section and key in lower case; includes are not followed. */
export function settingsIn(text: string, section: string, key: string): readonly string[] {
  const found: string[] = [];
  for (const line of linesOf(text)) {
    if (line.section === section && line.key === key) found.push(line.value);
  }
  return found;
}

/** Branch keys that git and editors write by themselves. */
const NOTES = new Set(['merge', 'rebase', 'description', 'vscode-merge-base']);

/**
 * Git config without empty lines and without the branch entries that come and go with every new branch. An upstream
 * remote given by name counts as such an entry; the remotes themselves do not.
 */
export function withoutBranchNotes(text: string): string {
  return [...linesOf(text)].flatMap((line) => (isNote(line) ? [] : [line.text])).join('\n');
}

function isNote({ section, key, value, text }: Line): boolean {
  if (text.trim() === '') return true;
  if (section !== 'branch' || text.endsWith('\\')) return false;
  if (key === undefined) return onlyHeader.test(text);
  return NOTES.has(key) || (key === 'remote' && /^[\w-][\w.-]*$/.test(value));
}

interface Line {
  readonly text: string;
  /** Lower case, without the quoted subsection. */
  readonly section: string;
  readonly key?: string;
  readonly value: string;
}

const header = /^\s*\[\s*([\w.-]+)\s*(?:"(?:[^"\\]|\\.)*")?\s*\]\s*(.*)$/;
const onlyHeader = /^\s*\[[^\]]*\]\s*$/;
const setting = /^\s*([A-Za-z][\w-]*)\s*(?:=\s*(.*?))?\s*$/;

function* linesOf(text: string): Generator<Line> {
  let section = '';
  for (const line of text.split('\n')) {
    const head = header.exec(line);
    if (head !== null) section = (head[1] ?? '').toLowerCase();
    const rest = head === null ? line : (head[2] ?? '');
    const found = setting.exec(rest);
    yield {
      text: line,
      section,
      ...(found === null ? {} : { key: (found[1] ?? '').toLowerCase() }),
      value: unquoted(found?.[2] ?? ''),
    };
  }
}

/** Strips quotes and a trailing comment. */
function unquoted(value: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"\s*(?:[#;].*)?$/.exec(value);
  if (quoted !== null) return (quoted[1] ?? '').replace(/\\(["\\])/g, '$1');
  return value.replace(/\s*[#;].*$/, '');
}

export interface GuardOptions {
  readonly git: Pick<Git, 'refs'>;
  /** Git folder shared by all worktrees of the repository. */
  readonly commonDir: string;
  /** Root of the user's checkout. */
  readonly checkout: string;
  readonly checkoutFiles: CheckoutFiles;
  /** Places of the user's home to compare. */
  readonly home: readonly HomePlace[];
}

/** Files in the common git folder. */
const SETTINGS = [
  'config',
  'info/attributes',
  'info/exclude',
  'info/grafts',
  'objects/info/alternates',
];

/** Reads the files directly; asks git only for refs that are not stored in files. */
export function filesGuard(options: GuardOptions): Guard {
  let packed: Packed | undefined;
  const refs = async (): Promise<Listing | undefined> => {
    const found = await refFiles(options.commonDir, isWatched, packed);
    packed = found?.packed;
    if (found !== undefined) return listing(found.marks, limits.watchedRefs);
    const asked = await outcomeOf(options.git.refs('refs/'));
    return asked.ok ? refListing(asked.value) : undefined;
  };
  const home = homeMarks(options.home);
  return { snapshot: () => takeSnapshot(options, refs, home) };
}

async function takeSnapshot(
  options: GuardOptions,
  refsOf: () => Promise<Listing | undefined>,
  homeOf: () => Promise<Snapshot['home']>,
): Promise<Snapshot> {
  const { commonDir, checkout } = options;
  const gitDir = await gitDirOf(checkout, commonDir);
  const config = await textOf(join(commonDir, 'config'));
  const [refs, files, head, settings, hooks, named, home] = await Promise.all([
    refsOf(),
    filesAtRest(options.checkoutFiles, gitDir),
    textOf(join(gitDir, 'HEAD')),
    settingMarks(commonDir, gitDir, config ?? ''),
    folderMarks(join(commonDir, 'hooks'), (name) => name),
    namedHooks(commonDir, checkout, config ?? ''),
    homeOf(),
  ]);
  const changed = await checkoutMarks(checkout, files);
  return {
    hooks: listing([...hooks, ...named.outside], limits.watchedFiles),
    checkoutHooks: listing(named.inside, limits.watchedFiles),
    settings: listing(settings, limits.watchedFiles),
    refs,
    checkout: {
      dir: checkout,
      head: head?.trim() ?? UNKNOWN,
      files: changed,
    },
    home,
  };
}

/**
 * Asks for the changed files while no landing updates the checkout: halfway through, files of the landing would look
 * changed. Waits for a bounded time.
 */
async function filesAtRest(
  checkoutFiles: CheckoutFiles,
  gitDir: string,
): ReturnType<CheckoutFiles> {
  const index = (): string => {
    const found = statSync(join(gitDir, 'index'), { throwIfNoEntry: false });
    return isLanding(gitDir) ? UNKNOWN : `${found?.ino} ${found?.mtimeMs}`;
  };
  for (let look = 1; look < limits.landingLooks; look += 1) {
    const before = index();
    const files = before === UNKNOWN ? undefined : await checkoutFiles();
    if (files !== undefined && index() === before) return files;
    await delay(limits.lockPollMs);
  }
  return checkoutFiles();
}

/** In a linked worktree `.git` is a file that points to its git folder. */
async function gitDirOf(checkout: string, commonDir: string): Promise<string> {
  const pointer = /^gitdir: (.+?)\s*$/s.exec((await textOf(join(checkout, '.git'))) ?? '')?.[1];
  return pointer === undefined ? commonDir : resolve(checkout, pointer);
}

function refListing(refs: readonly { ref: string; commit: string }[]): Listing {
  const watched = refs.filter(({ ref }) => isWatched(ref));
  return listing(
    watched.map(({ ref, commit }) => [ref, commit] as const),
    limits.watchedRefs,
  );
}

async function settingMarks(
  commonDir: string,
  gitDir: string,
  config: string,
): Promise<readonly Mark[]> {
  const included = ['include', 'includeif']
    .flatMap((section) => settingsIn(config, section, 'path'))
    .slice(0, limits.watchedFiles);
  const own = join(relative(commonDir, gitDir), 'config.worktree');
  const files = [
    [own, join(gitDir, 'config.worktree')] as const,
    ...SETTINGS.map((name) => [name, join(commonDir, name)] as const),
    ...included.map((path) => [path, pathFrom(commonDir, path)] as const),
  ];
  return marksOf(files, {
    bytes: limits.watchedSettingsBytes,
    follow: true,
    read: withoutBranchNotes,
  });
}

/** Hooks in the folder named by `core.hooksPath`; a relative path starts at the checkout's root. */
async function namedHooks(
  commonDir: string,
  checkout: string,
  config: string,
): Promise<{ readonly inside: readonly Mark[]; readonly outside: readonly Mark[] }> {
  const named = settingsIn(config, 'core', 'hookspath').at(-1);
  if (named === undefined || named === '') return { inside: [], outside: [] };
  const folder = pathFrom(checkout, named);
  const marks = await folderMarks(folder, (name) => join(named, name));
  const isInside = isBelow(folder, checkout) && !isBelow(folder, commonDir);
  return isInside ? { inside: marks, outside: [] } : { inside: [], outside: marks };
}

function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith('../') && !isAbsolute(way);
}

function pathFrom(folder: string, path: string): string {
  return path.startsWith('~/') ? join(homedir(), path.slice(2)) : resolve(folder, path);
}

async function checkoutMarks(
  checkout: string,
  names: Result<readonly string[]>,
): Promise<Listing | undefined> {
  if (!names.ok) return undefined;
  const some = [...names.value].sort().slice(0, limits.watchedChanges + 1);
  const marks = await statMarks(some.map((name) => [name, join(checkout, name)] as const));
  return listing(marks, limits.watchedChanges);
}
