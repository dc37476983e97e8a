import type { Choice } from '../../model/best-of.ts';
import { counted } from '../format/amount.ts';
import { actorText } from './actor.ts';

/** `search.v2 was chosen by codex: it handles empty input`. */
export function choiceText({ variant, by, agent, reason, actor }: Choice): string {
  const chooser = { person: actorText(actor), agent: agent ?? 'an agent', rule: 'a rule' }[by];
  return `${variant} was chosen by ${chooser}${reason === undefined ? '' : `: ${reason}`}`;
}

export function variantsText(ids: readonly string[], base: string): string {
  return `${counted(ids.length, 'variant')} from ${base}: ${ids.join(', ')}`;
}

export function choiceAskedText(finished: readonly string[]): string {
  const verb = finished.length === 1 ? 'is' : 'are';
  return `waits for a person to choose: ${finished.join(', ')} ${verb} finished`;
}
