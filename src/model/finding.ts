/** Most severe first: `blocker` must not land, `note` is a remark. */
export const severities = ['blocker', 'major', 'minor', 'note'] as const;
export type Severity = (typeof severities)[number];

/** One finding of a reviewer. The reviewer chooses the id and keeps it across rounds. */
export interface Finding {
  readonly id: string;
  readonly severity: Severity;
  readonly file?: string;
  readonly line?: number;
  readonly text: string;
}
