import type { Config } from '../config/config.ts';
import { type Failure, ok, type Result } from '../model/failure.ts';
import { judgedConfig } from '../wire/judge.ts';
import type { Project } from '../wire/project.ts';
import { projectConfig } from '../wire/project-config.ts';
import type { Call } from './parse.ts';

/** The config of a run, with what judges read from its target. Where the checkout says otherwise is told. */
export async function runConfig(
  call: Call,
  project: Project,
  flags: Readonly<Record<string, unknown>>,
  target?: string,
): Promise<Result<Config, readonly Failure[]>> {
  const judged = await judgedConfig(
    project,
    (judge) => projectConfig(project, flags, process.env, undefined, judge),
    target,
  );
  if (!judged.ok) return judged;
  const warnings = call.global.quiet ? [] : judged.value.warnings;
  for (const warning of warnings) process.stderr.write(`ym: ${warning}\n`);
  return ok(judged.value.config);
}
