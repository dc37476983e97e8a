import type { PlanCritique } from '../app/plan-critic.ts';
import { tokensOf, type Usage } from '../model/turn.ts';
import { dollars, shortAmount } from '../report/format/amount.ts';

/** The critique for `--json`, without its concerns. */
export function summaryOf(critique: PlanCritique): object {
  if (critique.id !== 'given') return critique;
  const { concerns: _concerns, ...rest } = critique;
  return rest;
}

/** Tells what the critic used, and why it gave no answer. The plan is shown without its concerns then. */
export async function critiqueNotes(critique: PlanCritique): Promise<readonly string[]> {
  if (critique.id === 'none') return [];
  const used = usageNotes(critique.critic, critique.usage);
  if (critique.id === 'given') return used;
  const { explain } = await import('../report/explain/explain.ts');
  const { what, why } = explain(critique.failure);
  const reason = [what, why].filter((part) => part !== '').join(' ');
  return [
    ...used,
    `The plan was not critiqued, because ${critique.critic} gave no answer. ${reason}`,
  ];
}

/** Tells what a call outside of any run used: no summary of a run counts it. */
export function usageNotes(agent: string, usage: Usage | undefined): readonly string[] {
  if (usage === undefined) return [];
  const cost = usage.costUsd === undefined ? '' : `, ${dollars(usage.costUsd)}`;
  return [`${agent} used ${shortAmount(tokensOf(usage))} tokens${cost}.`];
}
