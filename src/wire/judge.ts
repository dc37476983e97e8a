import { isDeepStrictEqual } from 'node:util';
import type { Config } from '../config/config.ts';
import { isJudging, type Judge } from '../config/judge.ts';
import { projectFile } from '../config/keys.ts';
import type { Origin } from '../config/layers.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../plan/limits.ts';
import type { Project } from './project.ts';
import { redactorFor } from './secrets.ts';
import { findTarget } from './target.ts';

export interface Judged {
  readonly config: Config;
  /** For people: where the file in the checkout says something else than what the run is judged by. */
  readonly warnings: readonly string[];
}

type Load = (judge?: Judge) => Result<Config, readonly Failure[]>;

/**
 * The config of a run. What judges is read from the target's commit, so that neither a branch nor an edit that nobody
 * committed can change it; a target without the file leaves it to the checkout. Where there is no fit target, whoever
 * needs one says what is wrong with it.
 */
export async function judgedConfig(
  project: Project,
  load: Load,
  target?: string,
): Promise<Result<Judged, readonly Failure[]>> {
  const own = load();
  if (!own.ok) return own;
  const unwarned = { config: own.value, warnings: [] };
  const aim = await findTarget(project, target === undefined ? own.value : { target });
  if (!aim.ok) return ok(unwarned);
  const { branch, commit } = aim.value;
  const text = await project.git.file(commit, projectFile);
  if (!text.ok) return fail([text.failure]);
  if (text.value === undefined) return ok(unwarned);
  const judged = load({ text: text.value, file: `${projectFile} at ${branch}` });
  if (!judged.ok) return judged;
  return ok({ config: judged.value, warnings: differences(own.value, judged.value, branch) });
}

function differences(own: Config, judged: Config, branch: string): readonly string[] {
  const keys = new Set([...own.origins.keys(), ...judged.origins.keys()].filter(isJudging));
  const { whole } = redactorFor(judged, process.env);
  return [...keys].flatMap((key) => {
    const [here, there] = [saidBy(own, key), saidBy(judged, key)];
    if (isDeepStrictEqual(asList(here), asList(there))) return [];
    const [mine, counts] = [cut(whole(shown(here))), cut(whole(shown(there)))];
    return [
      `${projectFile} in your checkout says ${mine} for ${key}, but the run is judged by what ${branch} has (${counts}). Commit it to ${branch} to change that.`,
    ];
  });
}

/** None where no file of the project says anything that counts. */
function saidBy({ origins }: Config, key: string): unknown {
  const origin: Origin | undefined = origins.get(key);
  return origin?.origin === 'project file' ? origin.value : undefined;
}

/** One text is a list of one. */
function asList(value: unknown): unknown {
  return typeof value === 'string' ? [value] : value;
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function cut(text: string): string {
  const { shownValueChars: most } = limits;
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
