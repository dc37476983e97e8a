import { type Of, object, optional, text, words } from './shape.ts';

/**
 * `task` waits for `parent`, because its `after` says so (`declared`), a person added it with `ym plan --apply`
 * (`applied`), or `parent` belongs to the epic `task` (`member`).
 */
export const CycleEdge = object({
  task: text,
  parent: text,
  origin: words('declared', 'applied', 'member'),
  source: optional(text),
});
export type CycleEdge = Of<typeof CycleEdge>;
