import { createHash } from 'node:crypto';
import { ok, type Result } from '../model/failure.ts';
import { outcomeOf } from '../model/trouble.ts';
import type { Git } from '../port/git.ts';

/** Files that tell a package manager what to install: lock files, manifests, settings. */
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
/** Python requirement files and patches of installed packages. */
const lists = /(?:requirements|constraints).*\.txt$|\.in$|\.patch$|(?:^|\/)patches\/|^\.yarn\//;

/** True if the result of these setup commands may depend on this file. */
function isManifest(path: string, commands: readonly string[]): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (manifests.has(name) || lists.test(path)) return true;
  return commands.some((command) => wordsOf(command).has(path));
}

function wordsOf(command: string): ReadonlySet<string> {
  return new Set(command.split(/[\s"'`;&|()<>=]+/).map((word) => word.replace(/^\.\//, '')));
}

export interface SetupSource {
  readonly commands: readonly string[];
  readonly commit: string;
  /** Tool versions from the config; see `Gate.environment`. */
  readonly environment?: string;
  /** True for a gate worktree: sources that influence the result must be those of the commit. */
  readonly isJudged: boolean;
}

/**
 * Key of a setup result: commands, contents of manifests, and configured tool versions. Undefined if the setup must run
 * every time: commands that use their slot or task and, in a gate worktree, anything but a plain install.
 */
export async function setupKey(
  git: Pick<Git, 'listing' | 'file'>,
  { commands, commit, isJudged, environment = '' }: SetupSource,
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

/** Fingerprint of the manifests of a commit. */
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
  outcomeOf(git.listing(commit, (path) => isManifest(path, commands)));

const textOf = (files: Files): string => files.map(({ path, id }) => `${id} ${path}\0`).join('');

/** True if the commands only install packages, without influence of the sources. */
async function isPlain(
  git: Pick<Git, 'file'>,
  commands: readonly string[],
  commit: string,
  files: Files,
): Promise<boolean> {
  if (!arePlain(commands) || files.some(({ path }) => readsSources(path))) return false;
  for (const { path } of files) {
    if (!isToldApart(path)) continue;
    const text = await outcomeOf(git.file(commit, path));
    // Unreadable or too large: assume the worst.
    if (!text.ok || text.value === undefined) return false;
    if (letsSourcesIn(path, text.value)) return false;
  }
  return true;
}

/** Flags of Node.js package managers that only install packages from the lock file. */
const nodeFlags = [
  ...[
    '--prefer-offline',
    '--offline',
    '--no-audit',
    '--no-fund',
    '--no-progress',
    '--no-package-lock',
  ],
  ...['--legacy-peer-deps', '--ignore-scripts', '--silent', '--quiet', '-s', '-q', '--omit=dev'],
  ...['--frozen-lockfile', '--immutable', '--non-interactive', '--prod', '--production'],
];
const node = new RegExp(
  `^(?:npm (?:ci|install)|(?:pnpm|yarn|bun) install)(?: (?:${nodeFlags.join('|')}))*$`,
);
const venv = /^python3? -m venv \.venv(?: && echo '\*' > \.venv\/\.gitignore)?$/;
/** Requirement files and package names; no paths and not the project itself. */
const pip =
  /^(?:\.venv\/bin\/)?(?:python3? -m )?pip install(?: (?:-q|--quiet|--disable-pip-version-check|--no-input|(?:-r|-c) [\w./-]+|[A-Za-z0-9][\w-]*(?:[=<>~!]=[\w.]+)?))+$/;
const uv = /^uv sync(?: (?:--locked|--frozen|--no-install-project|-q|--quiet))*$/;
const plain: readonly RegExp[] = [node, venv, pip, uv];

/** Package scripts that run during an install. */
const lifecycle = new Set([
  ...['preinstall', 'install', 'postinstall', 'preprepare', 'prepare', 'postprepare'],
  ...['prepublish', 'dependencies', 'pnpm:devPreinstall'],
]);
/** Scripts that only set up git hooks. */
const hooksOnly = /^(?:husky(?: install)?|lefthook install|simple-git-hooks)$/;
/** Packages whose install script reads project files, and packages installed from the tree itself. */
const readsProject =
  /"(?:@prisma\/client|prisma|msw|patch-package)"\s*:|"(?:file|link|portal|patch):|[pP]atchedDependencies|"injected"/;

/** True if these setup commands depend on manifests only, as far as the commands show. */
const arePlain = (commands: readonly string[]): boolean =>
  commands.every((command) => plain.some((known) => known.test(command.trim())));

/** True if this file lets an install run code from the tree, or copy parts of it. */
function readsSources(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return (
    name === 'binding.gyp' || name.startsWith('.pnpmfile.') || path.startsWith('.yarn/plugins/')
  );
}

/** True if the text of this file decides whether an install runs code from the tree or copies parts of it. */
function isToldApart(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return checks.some(([wanted]) => wanted.test(name)) || isList(path);
}

const checks: readonly (readonly [RegExp, (text: string) => boolean])[] = [
  [/^package\.json$/, packageReads],
  [/^pnpm-workspace\.yaml$/, (text) => /patchedDependencies|injected/.test(text)],
  [/^\.npmrc$/, (text) => /install-links|node-options|script-shell|pnpmfile/.test(text)],
  [/^\.yarnrc(?:\.yml)?$/, (text) => /plugins:|^--/m.test(text)],
  [/^uv\.lock$/, (text) => /source = \{ (?:editable|directory|path)/.test(text)],
];

/** True if this file, with this text, lets sources influence what is installed. */
function letsSourcesIn(path: string, text: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (isList(path))
    return /^\s*(?:-e|--editable|\.|\/)|file:|@ *\.|\.(?:whl|tar\.gz|zip)/m.test(text);
  return checks.some(([wanted, reads]) => wanted.test(name) && reads(text));
}

/** Python requirements or constraints file. */
const isList = (path: string): boolean => /(?:requirements|constraints).*\.(?:txt|in)$/.test(path);

function packageReads(text: string): boolean {
  if (readsProject.test(text)) return true;
  try {
    const { scripts = {} } = JSON.parse(text.replace(/^\uFEFF/, ''));
    return Object.entries(scripts).some(
      ([name, script]) => lifecycle.has(name) && !hooksOnly.test(String(script).trim()),
    );
  } catch (error) {
    // Unreadable: assume the worst.
    if (error instanceof SyntaxError || error instanceof TypeError) return true;
    throw error;
  }
}
