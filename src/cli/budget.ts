import type { Call } from './parse.ts';

/** The flags that bound a run, by the keys of the config they stand for. `run` and `resume` have them. */
export function budgetFlags({ options }: Call): Readonly<Record<string, unknown>> {
  return {
    'budget.attempts': options.number('max-attempts'),
    'budget.new_tasks': options.number('max-new-tasks'),
    'budget.wall': options.text('budget-wall'),
    'budget.tokens': options.text('budget-tokens'),
    'budget.cost': options.text('budget-cost'),
  };
}

/**
 * The flags about the look at the whole target. That it is not wanted beats everything else; who names a command wants
 * it to be run.
 */
export function verifyFlags({ options }: Call): Readonly<Record<string, unknown>> {
  const command = options.text('verify-command');
  const wanted = options.flag('verify-tests') || command !== undefined;
  const enabled = options.flag('no-verify-tests') ? false : wanted || undefined;
  return { 'verify.enabled': enabled, 'verify.command': command };
}

/** The flag that skips the check of the target before the first agent. */
export function preflightFlags({ options }: Call): Readonly<Record<string, unknown>> {
  return { preflight: options.flag('no-preflight') ? false : undefined };
}
