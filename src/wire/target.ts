import type { Config } from '../config/config.ts';
import { fitness } from '../git/fitness.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import type { Project } from './project.ts';

export interface Target {
  readonly branch: string;
  readonly commit: string;
}

/** The target branch and its commit, if the repository is usable. */
export async function findTarget(
  { git }: Project,
  config: Pick<Config, 'target'>,
): Promise<Result<Target>> {
  const repository = await git.inspect();
  if (!repository.ok) return repository;
  const wanted = config.target === undefined ? {} : { target: config.target };
  const fit = fitness(repository.value, wanted);
  if (!fit.ok) return fit;
  const branch = fit.value.target;
  const tip = await git.resolve(`refs/heads/${branch}`);
  if (!tip.ok) return tip;
  if (tip.value === undefined) return fail({ kind: 'target-missing', branch });
  return ok({ branch, commit: tip.value });
}
