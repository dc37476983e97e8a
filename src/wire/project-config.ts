// Separate from `project.ts`, so that commands without a config load neither the YAML reader nor the schemas.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Config, loadConfig } from '../config/config.ts';
import { isJudging, type Judge } from '../config/judge.ts';
import { projectFile } from '../config/keys.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { given } from '../model/given.ts';
import { limits } from '../model/limits.ts';
import type { Place } from './place.ts';
import type { Environment, Project } from './project.ts';
import { type Redactor, redactorFor } from './secrets.ts';
import { findTarget } from './target.ts';

export interface ConfigInputs {
  /** Values from the command line, by config key. */
  readonly flags?: Readonly<Record<string, unknown>>;
  readonly env?: Environment;
  /** Replaces the content of the project's config file, to try out an edit. */
  readonly text?: string;
  /** Config file of the target's commit; see `runConfig`. */
  readonly judge?: Judge;
}

/** The config as files, environment and flags set it. */
export function projectConfig(
  { root }: Place,
  { flags = {}, env = process.env, text, judge }: ConfigInputs = {},
): Result<Config, readonly Failure[]> {
  const own = join(root, projectFile);
  const readFile = (path: string): string | undefined => {
    if (text !== undefined && path === own) return text;
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  };
  return loadConfig({ root, env, flags, readFile, ...given({ judge }) });
}

/** Redactor of a project; a config that cannot be read adds no secrets. */
export function projectRedactor(place: Place): Redactor {
  const config = projectConfig(place);
  return redactorFor(config.ok ? config.value : { agents: {} }, process.env);
}

export interface RunConfig {
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
  project: Project,
  { target, ...inputs }: ConfigInputs & { readonly target?: string } = {},
): Promise<Result<RunConfig, readonly Failure[]>> {
  const own = projectConfig(project, inputs);
  if (!own.ok) return own;
  const unchanged = ok({ config: own.value, warnings: [] });
  const found = await findTarget(project, target === undefined ? own.value : { target });
  if (!found.ok) return unchanged;
  const { branch, commit } = found.value;
  const text = await project.git.file(commit, projectFile);
  if (!text.ok) return fail([text.failure]);
  if (text.value === undefined) return unchanged;
  const judge = { text: text.value, file: `${projectFile} at ${branch}` };
  const config = projectConfig(project, { ...inputs, judge });
  if (!config.ok) return config;
  return ok({ config: config.value, warnings: differences(own.value, config.value, branch) });
}

function differences(own: Config, effective: Config, branch: string): readonly string[] {
  const keys = new Set([...own.origins.keys(), ...effective.origins.keys()].filter(isJudging));
  const { whole } = redactorFor(effective, process.env);
  const shown = (value: unknown): string => cut(whole(textOf(value)));
  return [...keys].flatMap((key) => {
    const [here, there] = [projectValue(own, key), projectValue(effective, key)];
    if (isDeepStrictEqual(asList(here), asList(there))) return [];
    return [
      `${projectFile} in your checkout sets ${key} to ${shown(here)}, but the run uses the value on ${branch} (${shown(there)}). Commit your change to ${branch} to use it.`,
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
