import type { Choice } from '../../model/best-of.ts';
import { counted } from '../format/amount.ts';
import { actorText } from './actor.ts';

/** `search.v2 was chosen by codex: it handles empty input`. */
export function choiceText({ reason, ...choice }: Choice): string {
  return `${chosenText(choice)}${reason === undefined ? '' : `: ${reason}`}`;
}

function chosenText({ variant, by, agent, actor }: Choice): string {
  const chooser = { person: actorText(actor), agent: agent ?? 'an agent', rule: 'a rule' }[by];
  return `${variant} was chosen by ${chooser}`;
}

/** A choice whose variant was given up before it landed, and why. */
interface WithdrawnChoice extends Choice {
  readonly failure: { readonly what: string };
}

/** `search.v2 was chosen by codex and given up since: a.ts conflicts with what landed.` */
export function withdrawnText(choice: WithdrawnChoice): string {
  return `${chosenText(choice)} and given up since: ${choice.failure.what}`;
}

export function variantsText(ids: readonly string[], base: string): string {
  return `${counted(ids.length, 'variant')} from ${base}: ${ids.join(', ')}`;
}

export function choiceAskedText(finished: readonly string[]): string {
  const verb = finished.length === 1 ? 'is' : 'are';
  return `waits for a person to choose: ${finished.join(', ')} ${verb} finished`;
}
