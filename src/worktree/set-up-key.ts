import { createHash } from 'node:crypto';
import type { Git } from '../git/git.ts';
import { ok, type Result } from '../model/failure.ts';
import { arePlain, isToldApart, letsSourcesIn, readsSources } from './plain-install.ts';

/** Files by which a package manager is told what to install: lock files, manifests, and its own settings. */
const manifests = new Set([
  ...['package.json', 'package-lock.json', 'npm-shrinkwrap.json', '.npmrc', '.nvmrc'],
  ...['.yarnrc', 'binding.gyp', '.pnpmfile.mjs', 'lerna.json'],
  ...['pnpm-lock.yaml', 'pnpm-workspace.yaml', '.pnpmfile.cjs', 'yarn.lock', '.yarnrc.yml'],
  ...['bun.lock', 'bun.lockb', 'bunfig.toml', 'deno.json', 'deno.lock', '.node-version'],
  ...['pyproject.toml', 'setup.py', 'setup.cfg', 'uv.lock', 'poetry.lock', 'pdm.lock'],
  ...['Pipfile', 'Pipfile.lock', 'environment.yml', '.python-version', '.tool-versions'],
  ...['Cargo.toml', 'Cargo.lock', 'rust-toolchain', 'rust-toolchain.toml', 'go.mod', 'go.sum'],
  ...['Gemfile', 'Gemfile.lock', '.ruby-version', 'composer.json', 'composer.lock'],
  ...['pom.xml', 'build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'],
  ...['gradle.lockfile', 'mix.exs', 'mix.lock', 'pubspec.yaml', 'pubspec.lock'],
  ...['Package.swift', 'Package.resolved', 'packages.lock.json', 'flake.lock'],
]);
/** Lists of Python packages, also those that other lists include, and patches of installed packages. */
const lists = /(?:requirements|constraints).*\.txt$|\.in$|\.patch$|(?:^|\/)patches\/|^\.yarn\//;

/** True if the outcome of these set-up commands may depend on the contents of this file. */
export function isManifest(path: string, commands: readonly string[]): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (manifests.has(name) || lists.test(path)) return true;
  return commands.some((command) => wordsOf(command).has(path));
}

function wordsOf(command: string): ReadonlySet<string> {
  return new Set(command.split(/[\s"'`;&|()<>=]+/).map((word) => word.replace(/^\.\//, '')));
}

export interface SetUpOf {
  readonly commands: readonly string[];
  /** Revision that the worktree is at. */
  readonly commit: string;
  /** Versions of tools that the user named; see `Gate.environment`. */
  readonly environment?: string;
  /** True for a tree that is judged: sources that have a part in what the set-up leaves must be those of the commit. */
  readonly isJudged: boolean;
}

/**
 * Identity of what a set-up leaves behind: its commands, the contents of the files that say what to
 * install, and the versions of tools that the user named.
 * Undefined for what has to run every time: commands that ask for their slot or task and, on a tree that is judged,
 * whatever is not a plain install.
 */
export async function setUpKey(
  git: Pick<Git, 'listing' | 'file'>,
  { commands, commit, isJudged, environment = '' }: SetUpOf,
): Promise<Result<string | undefined>> {
  if (commands.some((command) => command.includes('YARD_'))) return ok(undefined);
  const found = await listed(git, commands, commit);
  if (!found.ok) return found;
  if (isJudged && !(await isPlain(git, commands, commit, found.value))) return ok(undefined);
  const hash = createHash('sha256').update(`${environment}\n`);
  for (const command of commands) hash.update(`${command.length}:${command}\n`);
  hash.update(textOf(found.value));
  return ok(hash.digest('hex').slice(0, 32));
}

/** The files of a commit that say what to install, as a text that is the same where all of them are. */
export async function manifestsAt(
  git: Pick<Git, 'listing'>,
  commands: readonly string[],
  commit: string,
): Promise<Result<string>> {
  const found = await listed(git, commands, commit);
  return found.ok ? ok(textOf(found.value)) : found;
}

type Files = readonly { readonly path: string; readonly id: string }[];

const listed = (git: Pick<Git, 'listing'>, commands: readonly string[], commit: string) =>
  git.listing(commit, (path) => isManifest(path, commands));

const textOf = (files: Files): string => files.map(({ path, id }) => `${id} ${path}\0`).join('');

/** True if the commands install packages and no source of the tree can have a part in that. */
async function isPlain(
  git: Pick<Git, 'file'>,
  commands: readonly string[],
  commit: string,
  files: Files,
): Promise<boolean> {
  if (!arePlain(commands) || files.some(({ path }) => readsSources(path))) return false;
  for (const { path } of files) {
    if (!isToldApart(path)) continue;
    const text = await git.file(commit, path);
    // What git cannot read, or what is too large, may be anything.
    if (!text.ok || text.value === undefined) return false;
    if (letsSourcesIn(path, text.value)) return false;
  }
  return true;
}
