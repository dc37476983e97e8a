import type { EventBody } from '../model/event.ts';
import { isCurrent, type Note, type NoteOrigin } from '../model/note.ts';
import type { VerifyOutcome } from '../model/verdict.ts';
import type { RunContext } from './context.ts';

/** Events that add a `status` note after a failed verification, and remove it after one that passed. */
export function statusNotes(
  { run, target }: Pick<RunContext, 'run' | 'target'>,
  outcome: VerifyOutcome,
  notes: readonly Note[],
): readonly EventBody[] {
  const origin: NoteOrigin = { by: 'run', run };
  const old = notes.find((note) => note.kind === 'status' && isCurrent(note));
  if (outcome.kind === 'skipped') return [];
  if (outcome.kind === 'passed') {
    const reason = `\`${outcome.command}\` passed on ${target}`;
    return old === undefined ? [] : [{ type: 'note-removed', note: old.seq, origin, reason }];
  }
  const how =
    outcome.kind === 'failed'
      ? `failed with exit status ${outcome.exit}`
      : `did not end within ${Math.round(outcome.budgetMs / 1000)} s`;
  const text = `\`${outcome.command}\` ${how} on ${target} after run ${run}. A failure that you did not cause may be this one.`;
  const event = {
    type: 'note-added',
    kind: 'status',
    text,
    labels: [],
    paths: [],
    origin,
  } as const;
  return [old === undefined ? event : { ...event, supersedes: old.seq }];
}
