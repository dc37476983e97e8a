import type { Failure } from './failure.ts';
import type { TaskId } from './task.ts';
import type { AgentCall, FollowUp } from './turn.ts';

/** One `ym agent …` call of an agent, as its run receives it. */
export type AgentRequest =
  | { readonly id: 'report'; readonly calls: readonly AgentCall[] }
  | { readonly id: 'claim'; readonly ids: readonly TaskId[] }
  | { readonly id: 'follow-up'; readonly found: FollowUp; readonly after: readonly TaskId[] };

/** Answer to a request: lines for a person, and the same as a value for `--json`. */
export type AgentAnswer =
  | { readonly ok: true; readonly lines: readonly string[]; readonly value: object }
  | { readonly ok: false; readonly failures: readonly Failure[] };
