import type { Event } from '../../model/event.ts';
import { isKilled } from '../../model/fault.ts';
import { changeNames } from '../../model/revision.ts';
import { tokensOf } from '../../model/turn.ts';
import { oneLine } from '../explain/explain.ts';
import { amount } from '../format/amount.ts';
import type { Line, ProgressContext } from './line.ts';

const causeChars = 100;
const killedText = 'was killed before it answered, and is asked again';

export function proposalLines(
  { run: id, id: task, agent, outcome }: Extract<Event, { type: 'plan-proposed' }>,
  { run }: ProgressContext,
): Line[] {
  switch (outcome.id) {
    case 'failed': {
      const isRepeated = run?.(id)?.revisions?.due.includes(task) === true;
      if (isRepeated) return [{ verb: 'plan', task, rest: `${agent} ${killedText}` }];
      const rest = `${agent} did not revise the plan: ${oneLine(outcome.failure, causeChars)}`;
      return [{ verb: 'plan', task, rest, paint: 'yellow' }];
    }
    case 'unchanged':
      return [{ verb: 'plan', task, rest: `${agent} proposes no change of the plan` }];
    case 'proposed': {
      const rest = `${agent} proposes ${changeNames(outcome).join(', ')}: ym why ${task}`;
      return [{ verb: 'plan', task, rest, paint: 'yellow' }];
    }
  }
}

/** A disabled planner is not worth a line. */
export function batchLines(
  { run: id, plan, usage }: Extract<Event, { type: 'batch-planned' }>,
  { run }: ProgressContext,
): Line[] {
  const { batches, settings } = run?.(id) ?? {};
  const agent = settings?.planner?.agent ?? '';
  if (plan.source === 'skipped') {
    if (plan.reason === 'planner_disabled') return [];
    const isRepeated = isKilled(plan.failure) && (batches?.killed ?? 0) > 0;
    if (isRepeated) return [{ verb: 'planner', rest: `${agent} ${killedText}` }];
    const cause = plan.failure === undefined ? '' : `: ${oneLine(plan.failure, causeChars)}`;
    return [{ verb: 'planner', rest: `chose no tasks (${plan.reason})${cause}`, paint: 'yellow' }];
  }
  const next = plan.ids.join(', ') || 'any';
  const used = usage === undefined ? '' : `  (${amount(tokensOf(usage))} tokens)`;
  return [{ verb: 'planner', rest: `${agent} chose next: ${next}${used}` }];
}
