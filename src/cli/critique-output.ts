import type { PlanCritique } from '../app/plan-critic.ts';

/** The critique for `--json`, without its concerns. */
export function summaryOf(critique: PlanCritique): object {
  if (critique.id !== 'given') return critique;
  const { concerns: _concerns, ...rest } = critique;
  return rest;
}

/** Reports that the critic gave no answer, and why. The plan is shown without its concerns. */
export async function critiqueWarnings(critique: PlanCritique): Promise<readonly string[]> {
  if (critique.id !== 'unavailable') return [];
  const { explain } = await import('../report/explain/explain.ts');
  const { what, why } = explain(critique.failure);
  const reason = [what, why].filter((part) => part !== '').join(' ');
  return [`The plan was not critiqued, because ${critique.critic} gave no answer. ${reason}`];
}
