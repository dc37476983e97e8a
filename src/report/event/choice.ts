import type { Choice } from '../../model/best-of.ts';
import { counted } from '../format/amount.ts';

/** `search.v2 was chosen by codex: it handles empty input`. `person` is the name of the person, if it is known. */
export function choiceText({ variant, by, agent, reason }: Choice, person = 'a person'): string {
  const actor = { person, agent: agent ?? 'an agent', rule: 'a rule' }[by];
  return `${variant} was chosen by ${actor}${reason === undefined ? '' : `: ${reason}`}`;
}

export function variantsText(ids: readonly string[], base: string): string {
  return `${counted(ids.length, 'variant')} from ${base}: ${ids.join(', ')}`;
}

export function choiceAskedText(finished: readonly string[]): string {
  const verb = finished.length === 1 ? 'is' : 'are';
  return `waits for a person to choose: ${finished.join(', ')} ${verb} finished`;
}
