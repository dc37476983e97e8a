import type { TaskId } from './task.ts';

/** `block` refuses a plan, `warn` asks before it runs, `info` is only shown. */
export const concernSeverities = ['block', 'warn', 'info'] as const;
type ConcernSeverity = (typeof concernSeverities)[number];

/** Fix of a concern. `after` adds one dependency and `not-after` removes one; both can be applied. Others are advice. */
export type Fix =
  | { readonly kind: 'none' }
  | { readonly kind: 'advice'; readonly text: string }
  | { readonly kind: 'after' | 'not-after'; readonly task: TaskId; readonly parent: TaskId };

/** A problem of a plan, found by its critic or by code. */
export interface Concern {
  readonly severity: ConcernSeverity;
  readonly text: string;
  readonly fix: Fix;
}
