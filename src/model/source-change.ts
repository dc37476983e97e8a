import { count, type Of, object, optional, text, time, words } from './shape.ts';

/** State of a task in the place that it was imported from. */
export const SourceState = words('open', 'claimed', 'closed');
export type SourceState = Of<typeof SourceState>;

/** A state to write to the source of a task. */
export const SourceChange = object({
  id: text,
  source: text,
  /** State that was written last. */
  from: SourceState,
  to: SourceState,
  /** Reason for closing it; empty otherwise. */
  reason: text,
  /** Time in which its last attempt worked; `until` is absent while it does. */
  worked: optional(object({ since: time, until: optional(time) })),
  landed: optional(object({ by: text, at: time, reviewRounds: count, commit: text })),
});
export type SourceChange = Of<typeof SourceChange>;
