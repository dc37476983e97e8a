// Apart from `project.ts`, so that commands that need no config load neither the YAML reader nor the schemas.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, loadConfig } from '../config/config.ts';
import type { Judge } from '../config/judge.ts';
import { projectFile } from '../config/keys.ts';
import type { Failure, Result } from '../model/failure.ts';
import type { Place } from './place.ts';
import type { Environment } from './project.ts';

/**
 * The settled config; `text` stands for the project's own file where a change to it is only tried, `judge` for what the
 * target has of it (see `judge.ts`).
 */
export function projectConfig(
  project: Place,
  flags: Readonly<Record<string, unknown>> = {},
  env: Environment = process.env,
  text?: string,
  judge?: Judge,
): Result<Config, readonly Failure[]> {
  const own = join(project.root, projectFile);
  const readFile = (path: string): string | undefined =>
    text !== undefined && path === own ? text : readIfThere(path);
  const judging = judge === undefined ? {} : { judge };
  return loadConfig({ root: project.root, env, flags, readFile, ...judging });
}

function readIfThere(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
