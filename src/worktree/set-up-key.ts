import { createHash } from 'node:crypto';
import type { Git } from '../git/git.ts';
import { ok, type Result } from '../model/failure.ts';

/** Files by which a package manager is told what to install: lock files, manifests, and its own settings. */
const manifests = new Set([
  ...['package.json', 'package-lock.json', 'npm-shrinkwrap.json', '.npmrc', '.nvmrc'],
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
const requirements = /^requirements[^/]*\.(?:txt|in)$/;

/** True if the outcome of these set-up commands may depend on the contents of this file. */
export function isManifest(path: string, commands: readonly string[]): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (manifests.has(name) || requirements.test(name)) return true;
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
}

/**
 * Identity of what a set-up leaves behind: its commands, the contents of the files that say what to
 * install, and the versions of tools that the user named.
 * Undefined for commands that ask for their slot or task, as those have to run every time.
 */
export async function setUpKey(
  git: Pick<Git, 'listing'>,
  { commands, commit, environment = '' }: SetUpOf,
): Promise<Result<string | undefined>> {
  if (commands.some((command) => command.includes('YARD_'))) return ok(undefined);
  const found = await manifestsAt(git, commands, commit);
  if (!found.ok) return found;
  const hash = createHash('sha256').update(`${environment}\n`);
  for (const command of commands) hash.update(`${command.length}:${command}\n`);
  hash.update(found.value);
  return ok(hash.digest('hex').slice(0, 32));
}

/** The files of a commit that say what to install, as a text that is the same where all of them are. */
export async function manifestsAt(
  git: Pick<Git, 'listing'>,
  commands: readonly string[],
  commit: string,
): Promise<Result<string>> {
  const listed = await git.listing(commit, (path) => isManifest(path, commands));
  if (!listed.ok) return listed;
  return ok(listed.value.map(({ path, id }) => `${id} ${path}\0`).join(''));
}
