import type { Project } from '../app/ports.ts';
import { runConfig } from '../app/target.ts';
import type { Config } from '../config/config.ts';
import { type Failure, ok, type Result } from '../model/failure.ts';
import { given } from '../model/given.ts';
import type { Call } from './parse.ts';
import { warn } from './screen.ts';

type Flags = Readonly<Record<string, unknown>>;

/** The config of a run. Warns if the checkout's file differs from the target's. */
export async function configOfRun(
  call: Call,
  project: Project,
  flags: Flags = {},
  target?: string,
): Promise<Result<Config, readonly Failure[]>> {
  const found = await runConfig(project, { flags, ...given({ target }) });
  if (!found.ok) return found;
  if (!call.global.quiet) warn(found.value.warnings);
  return ok(found.value.config);
}

/** Flags that both `run` and `resume` have, by config key. */
export function sharedFlags(call: Call): Flags {
  const { options } = call;
  return {
    'budget.attempts': options.number('max-attempts'),
    'budget.new_tasks': options.number('max-new-tasks'),
    'budget.wall': options.text('budget-wall'),
    'budget.tokens': options.text('budget-tokens'),
    'budget.cost': options.text('budget-cost'),
    preflight: options.flag('no-preflight') ? false : undefined,
    ...verifyFlags(call),
  };
}

/** `--no-verify-tests` overrides the others; a command implies `--verify-tests`. */
function verifyFlags({ options }: Call): Flags {
  const command = options.text('verify-command');
  const isAsked = options.flag('verify-tests') || command !== undefined;
  const enabled = options.flag('no-verify-tests') ? false : isAsked || undefined;
  return { 'verify.enabled': enabled, 'verify.command': command };
}

export function runFlags(call: Call): Flags {
  const { options } = call;
  return {
    ...sharedFlags(call),
    jobs: options.number('jobs'),
    agent: options.text('agent'),
    target: options.text('target'),
    retries: options.number('retries'),
    'model.default': options.text('model'),
    'fallback.agent': options.text('fallback'),
    'gate.slots': options.number('gate-slots'),
    'delivery.how': options.text('deliver'),
  };
}
