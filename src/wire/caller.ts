import { ok, type Result, usage } from '../model/failure.ts';
import type { Store } from '../port/store.ts';

/**
 * Refuses a decision to processes that a run of this project started: agents, reviewers, setup commands and gates have
 * `YARD_RUN` in their environment. It stops well-meaning agents, not one that removes the variable.
 */
export async function byPerson(
  store: Pick<Store, 'run'>,
  command: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Result<void>> {
  const { YARD_RUN: name = '' } = env;
  if (name === '') return ok(undefined);
  // The run may belong to another project, for example if agents of one project work on another.
  const run = await store.run(name);
  if (!run.ok) return run;
  if (run.value === undefined) return ok(undefined);
  return usage(
    `only a person may ${command}, and this was called from within run ${name}`,
    'An agent states what it needs in its last message, or with `ym agent`.',
  );
}
