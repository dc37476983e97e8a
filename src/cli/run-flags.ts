import type { Call } from './parse.ts';

type Flags = Readonly<Record<string, unknown>>;

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
