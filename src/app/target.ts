import { isDeepStrictEqual } from 'node:util';
import type { Config } from '../config/config.ts';
import { isJudging } from '../config/dotted.ts';
import { projectFile } from '../config/keys.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { settled } from '../model/trouble.ts';
import type { Repository } from '../port/git.ts';
import { type ConfigInputs, projectConfig, redactorFor } from './config.ts';
import type { Environment, Failures, Project } from './ports.ts';

export interface Target {
  readonly branch: string;
  readonly commit: string;
}

/** The target branch and its commit, if the repository is usable. */
export async function findTarget(
  { git }: Pick<Project, 'git'>,
  config: Pick<Config, 'target'>,
): Promise<Result<Target>> {
  const repository = await git.inspect();
  const wanted = config.target === undefined ? {} : { target: config.target };
  const fit = fitness(repository, wanted);
  if (!fit.ok) return fit;
  const branch = fit.value.target;
  const tip = await git.resolve(`refs/heads/${branch}`);
  if (tip === undefined) return fail({ kind: 'target-missing', branch });
  return ok({ branch, commit: tip });
}

interface RunConfig {
  readonly config: Config;
  /** Messages for the user: keys for which the checkout's file differs from the target's. */
  readonly warnings: readonly string[];
}

/**
 * The config of a run. Keys that decide what may land are read from the target's commit, so that neither a branch nor
 * an uncommitted edit can change them. If the target has no config file, or there is no usable target, the checkout's
 * file applies. `target` overrides the branch named by the config.
 */
export async function runConfig(
  project: Pick<Project, 'git' | 'root' | 'env'>,
  { target, ...inputs }: ConfigInputs & { readonly target?: string } = {},
): Promise<Result<RunConfig, Failures>> {
  const own = projectConfig(project, inputs);
  if (!own.ok) return own;
  const unchanged = ok({ config: own.value, warnings: [] });
  const found = await settled(findTarget(project, target === undefined ? own.value : { target }));
  if (!found.ok) return unchanged;
  const { branch, commit } = found.value;
  const text = await project.git.file(commit, projectFile);
  if (text === undefined) return unchanged;
  const judge = { text, file: `${projectFile} at ${branch}` };
  const config = projectConfig(project, { ...inputs, judge });
  if (!config.ok) return config;
  const warnings = differences(own.value, config.value, branch, project.env);
  return ok({ config: config.value, warnings });
}

function differences(
  own: Config,
  effective: Config,
  branch: string,
  env: Environment,
): readonly string[] {
  const keys = new Set([...own.origins.keys(), ...effective.origins.keys()].filter(isJudging));
  const { whole } = redactorFor(effective, env);
  const shown = (value: unknown): string => cut(whole(textOf(value)));
  return [...keys].flatMap((key) => {
    const [here, there] = [projectValue(own, key), projectValue(effective, key)];
    if (isDeepStrictEqual(asList(here), asList(there))) return [];
    return [
      `${projectFile} in your checkout sets ${key} to ${shown(here)}, but runs use the value on ${branch} (${shown(there)}). Commit your change to ${branch} to use it.`,
    ];
  });
}

/** The value set by the project's config file; undefined if another layer decides. */
function projectValue({ origins }: Config, key: string): unknown {
  const origin = origins.get(key);
  return origin?.origin === 'project file' ? origin.value : undefined;
}

/** A single text means a list of one. */
function asList(value: unknown): unknown {
  return typeof value === 'string' ? [value] : value;
}

function textOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function cut(text: string): string {
  const { shownValueChars: most } = limits;
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

export interface Wanted {
  readonly target?: string;
}

/**
 * Checks that a run may start, and returns the branch it will move: the given one, else the one checked out. A shallow
 * clone is allowed; a merge that needs missing history fails when it happens.
 */
export function fitness(repo: Repository, wanted: Wanted): Result<{ readonly target: string }> {
  if (repo.bare) return fail({ kind: 'bare-repository', dir: repo.root });
  // Checked before the detached HEAD, since rebase and bisect detach HEAD too.
  if (repo.operation !== undefined) {
    return fail({ kind: 'operation-in-progress', operation: repo.operation, dir: repo.root });
  }
  // The given target may have commits even if the checked-out branch has none.
  if (wanted.target !== undefined) return ok({ target: wanted.target });
  if (repo.head === undefined) return fail({ kind: 'no-commits', dir: repo.root });
  if (repo.branch === undefined) return fail({ kind: 'detached-head', commit: repo.head });
  return ok({ target: repo.branch });
}
