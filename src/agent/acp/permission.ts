import type { Json } from '../harness.ts';
import { listAt, objectAt, textAt } from '../stream.ts';
import { bounds } from './event.ts';

export interface PermissionAnswer {
  /** The agent's name of the tool. */
  readonly tool: string;
  readonly allowed: boolean;
  /** Response to the request. */
  readonly outcome: Json;
}

/** `allow_once` first, because an agent may store a permanent permission in a file of the user. */
const allowKinds = ['allow_once', 'allow_always'];
const rejectKinds = ['reject_once', 'reject_always'];

/** Tool kinds that change nothing. */
const readOnlyKinds = new Set(['read', 'search', 'fetch', 'think']);

/**
 * Answers a permission request. There is no user to ask, so everything is allowed that the agent offers to allow; for
 * `readOnly`, only reading.
 */
export function answerPermission(params: Json, readOnly = false): PermissionAnswer {
  const options = listAt(params, 'options');
  const idOf = (kind: string): string | undefined =>
    textAt(
      options.find((option) => option.kind === kind),
      'optionId',
    );
  const pick = (kinds: readonly string[]): string | undefined =>
    kinds.map(idOf).find((id) => id !== undefined);
  const call = objectAt(params, 'toolCall');
  const isHarmless = readOnlyKinds.has(textAt(call, 'kind') ?? '');
  const allow = readOnly && !isHarmless ? undefined : pick(allowKinds);
  const optionId = allow ?? pick(rejectKinds);
  const tool =
    textAt(call, 'name') ?? textAt(call, 'title') ?? textAt(call, 'kind') ?? 'unnamed tool';
  return {
    tool: tool.slice(0, bounds.titleChars),
    allowed: allow !== undefined,
    outcome: optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId },
  };
}
