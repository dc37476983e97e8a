import type { TurnResult } from '../model/attempt.ts';
import { costOf } from '../plan/price.ts';
import type { RunContext } from './context.ts';

/** What the agent says it cost, else what the price table says of the model that answered, or that was asked for. */
export function priced(
  { prices }: RunContext,
  asked: string | undefined,
  result: TurnResult,
): TurnResult {
  const { usage } = result;
  if (usage === undefined || usage.costUsd !== undefined) return result;
  const costUsd = costOf(usage, result.model ?? asked, prices);
  return costUsd === undefined ? result : { ...result, usage: { ...usage, costUsd } };
}
