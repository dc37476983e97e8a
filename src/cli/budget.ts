import type { Call } from './parse.ts';

/** The flags that bound a run, by the keys of the config they stand for. `run` and `resume` have them. */
export function budgetFlags({ options }: Call): Readonly<Record<string, unknown>> {
  return {
    'budget.attempts': options.number('max-attempts'),
    'budget.wall': options.text('budget-wall'),
    'budget.tokens': options.text('budget-tokens'),
    'budget.cost': options.text('budget-cost'),
  };
}
