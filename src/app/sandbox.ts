import type { Config } from '../config/config.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import type { Sandbox } from '../port/processes.ts';
import type { Project } from './ports.ts';

/** The sandbox that the config asks for. A failure if it asks for one by name that does not work here. */
export async function usableSandbox(
  project: Pick<Project, 'sandbox'>,
  config: Config,
): Promise<Result<Sandbox>> {
  const sandbox = await project.sandbox(config, { thorough: false });
  if (sandbox.id !== 'missing' || config.sandbox === 'auto') return ok(sandbox);
  const { cause, advice } = sandbox;
  return fail({ kind: 'sandbox-missing', wanted: config.sandbox, cause, advice });
}

/** Warning if no sandbox of ours is on and the user did not choose that. `instead` says what holds then. */
export function withoutSandbox(
  sandbox: Sandbox,
  instead = 'Agents use their own, if they have one.',
): readonly string[] {
  if (sandbox.id !== 'missing') return [];
  return [`No sandbox: ${sandbox.cause}. ${instead} ${sandbox.advice}.`];
}
