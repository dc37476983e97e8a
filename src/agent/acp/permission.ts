import type { Json } from '../harness.ts';
import { listAt, objectAt, textAt } from '../stream.ts';
import { bounds } from './event.ts';

export interface PermissionAnswer {
  /** What the agent wants to do, in its words. */
  readonly tool: string;
  readonly allowed: boolean;
  /** The answer to its request. */
  readonly outcome: Json;
}

/** Leave for one use goes first: what an agent remembers may outlive the run in a file of the user's. */
const allowKinds = ['allow_once', 'allow_always'];
const rejectKinds = ['reject_once', 'reject_always'];

/** Kinds of tools that change nothing. */
const readOnlyKinds = new Set(['read', 'search', 'fetch', 'think']);

/**
 * Answers a request for leave to use a tool. Nobody is there to ask, so it is given wherever it can be given; to one who
 * only reads, for reading.
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
