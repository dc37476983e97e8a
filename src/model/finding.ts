import { int, type Of, object, optional, text, words } from './shape.ts';
/** Most severe first: `blocker` must not land, `note` is a remark. */
export const severities = ['blocker', 'major', 'minor', 'note'] as const;
export type Severity = (typeof severities)[number];

/** One finding of a reviewer. The reviewer chooses the id and keeps it across rounds. */
export const Finding = object({
  id: text,
  severity: words(...severities),
  file: optional(text),
  line: optional(int),
  text,
});
export type Finding = Of<typeof Finding>;
