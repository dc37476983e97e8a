import { count, type Of, object, text, words } from './shape.ts';

/**
 * Purpose of a one-shot call: a review of the work, a critique of the task text, a better task text, or a choice
 * between variants.
 */
const callKindNames = ['review', 'critique', 'improve', 'choose'] as const;
export type CallKind = (typeof callKindNames)[number];

/** Text that people see while a call runs. */
export const callPhases = {
  review: 'reviewing',
  critique: 'critiquing',
  improve: 'critiquing',
  choose: 'comparing',
} as const satisfies Readonly<Record<CallKind, string>>;

export const ofCall = {
  kind: words(...callKindNames),
  round: count,
  agent: text,
  again: count,
};
/**
 * A one-shot agent call about an attempt: the agent answers with text, and its changes are discarded. `again` counts
 * the calls for the same answer, from 1.
 */
export const Call = object(ofCall);
export type Call = Of<typeof Call>;

/** Name of the files of a call. Several agents may review in one round. */
export function callName({ kind, round, agent, again }: Call): string {
  const name = kind === 'review' ? `${kind}-${round}-${agent}` : `${kind}-${round}`;
  return again === 1 ? name : `${name}-again${again - 1}`;
}

/** Identity of a call among all calls of a run. */
export function callKey({ id, attempt, call }: OfCall): string {
  const { kind, round, agent, again } = call;
  return [id, attempt, kind, round, agent, again].join(' ');
}

interface OfCall {
  readonly id: string;
  readonly attempt: number;
  readonly call: Call;
}
