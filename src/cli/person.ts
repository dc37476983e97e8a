import { fail, ok, type Result } from '../model/failure.ts';
import type { Store } from '../record/store.ts';

/**
 * Refuses a decision to whatever a run of this project has started: agents, reviewers, set-up commands and gates have its
 * name in their environment. Who takes that out on purpose is not held by this; it keeps decisions with a person
 * where an agent means well.
 */
export async function byPerson(
  store: Pick<Store, 'run'>,
  command: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Result<void>> {
  const { YARD_RUN: name = '' } = env;
  if (name === '') return ok(undefined);
  // A project may be looked after from within another one, as where this program is worked on by its own agents.
  const run = await store.run(name);
  if (!run.ok) return run;
  if (run.value === undefined) return ok(undefined);
  return fail({
    kind: 'usage',
    problem: `only a person may ${command}, and this was called from within run ${name}`,
    remedy: 'An agent says what it wants in its last message, or by `ym agent`.',
  });
}
