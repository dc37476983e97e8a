import { valueAt } from '../document/issues.ts';
import { settableKeys } from './keys.ts';

/** The part of the config that judges: a run has it from the target, so that no branch can change its own judge. */

/** The project's file as the target has it, and how to name that to people. */
export interface Judge {
  readonly text: string;
  /** Such as `yardmaster.yaml at main`. */
  readonly file: string;
}

const sections = ['gate', 'protect', 'rules', 'review', 'critique', 'pipeline'] as const;
const setup = 'worktree.setup';

export function isJudging(key: string): boolean {
  return key === setup || sections.some((name) => key === name || key.startsWith(`${name}.`));
}

/** All keys that judge, in the order of the table. */
export const judgingNames: readonly string[] = settableKeys
  .map(({ key }) => key)
  .filter((key) => isJudging(key));

/** What of a whole file judges. The rest of what the target has is nobody's business here, right or wrong. */
export function judgingPart(whole: unknown): unknown {
  if (typeof whole !== 'object' || whole === null || Array.isArray(whole)) return whole;
  const entries = Object.entries(whole).filter(([key]) => sections.some((name) => name === key));
  const commands = valueAt(whole, ['worktree', 'setup']);
  const worktree = commands === undefined ? {} : { worktree: { setup: commands } };
  return { ...Object.fromEntries(entries), ...worktree };
}
