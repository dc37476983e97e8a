import type { Failure } from '../../model/failure.ts';
import { explain } from '../explain/explain.ts';
import { counted } from '../format/amount.ts';
import { wrap } from '../format/layout.ts';
import { utcMinute } from '../format/time.ts';

/** Result of a repair of the store, with what it could not restore. */
export type Repair =
  | { readonly id: 'sound' }
  | {
      readonly id: 'repaired';
      readonly trouble: Failure;
      /** The damaged database under its new name; absent if there was none. */
      readonly aside?: string;
      /** Absent if no copy was sound: then the records come from git and run files alone. */
      readonly copy?: { readonly run: string; readonly file: string; readonly at: number };
      /** Tasks that git or run files added. */
      readonly added: readonly string[];
      /** Tasks that landed according to git, and not according to the copy. */
      readonly landed: readonly string[];
      /** Tasks whose attempts ended here. */
      readonly ended: readonly string[];
      /** Branches and keep refs of tasks that no record describes. */
      readonly unknown: readonly string[];
      /** Run files that exist and cannot be read. */
      readonly unreadable: readonly string[];
    };

/** `ym doctor --repair` */
export function repairText(repair: Repair, width: number): readonly string[] {
  if (repair.id === 'sound') return ['The store is sound; nothing was changed.'];
  const { trouble, aside, copy, added, landed, ended, unknown, unreadable } = repair;
  const lines = [
    explain(trouble).what,
    ...(aside === undefined ? [] : [`The damaged database is kept as ${aside}.`]),
    copy === undefined
      ? 'No sound copy was found: the records below come from git and run files.'
      : `Restored the copy of ${utcMinute(copy.at)}, made in run ${copy.run}.`,
    ...named('added from git and run files', added),
    ...named('landed according to git, now recorded', landed),
    ...named('no longer under way; work that was saved is on their branches', ended),
    '',
    copy === undefined
      ? 'Missing: tasks that no agent had started, decisions and messages of people, reviews, verdicts and costs.'
      : 'Missing: what happened after the copy, except for the above: new tasks that no agent had started, decisions and messages of people, reviews, verdicts and costs.',
    ...(unknown.length === 0
      ? []
      : [`Branches with work of unknown tasks: ${unknown.join(', ')}.`]),
    ...(unreadable.length === 0 ? [] : [`Files that cannot be read: ${unreadable.join(', ')}.`]),
    'Next: import your plan again if you have one (`ym import`), then type `ym run`.',
  ];
  return lines.flatMap((line) => (line === '' ? [''] : wrap(line, width)));
}

function named(what: string, tasks: readonly string[]): readonly string[] {
  return tasks.length === 0
    ? []
    : [`${counted(tasks.length, 'task')} ${what}: ${tasks.join(', ')}.`];
}
