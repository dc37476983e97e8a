import { type AttemptState, slotOf } from '../model/attempt.ts';
import type { Command } from '../model/command.ts';
import type { RunRecord, TaskRecord } from './record.ts';
import { inScope } from './scope.ts';
import type { State } from './state.ts';

/**
 * Attempts that runs which have ended left behind, and that this run goes on with. What waits for a person stays where it
 * is until the person has decided. An attempt that holds a slot is taken over when one of `free` is left for it.
 */
export function adoptions(
  state: State,
  run: RunRecord,
  free: readonly number[],
): readonly Command[] {
  const slots = [...free];
  const commands: Command[] = [];
  for (const id of state.live) {
    const record = state.task(id);
    const attempt = record?.attempt;
    if (record === undefined || attempt === undefined || attempt.run === run.id) continue;
    const left = state.run(attempt.run);
    if (left?.endedAt === undefined || left.settings.target !== run.settings.target) continue;
    const within = inScope(run.settings.scope, (other) => state.task(other)?.task);
    if (!within(record.task) && !isDecided(record, attempt.state)) continue;
    if (attempt.state.id === 'asking' || attempt.state.id === 'awaiting') continue;
    const adopt = { type: 'adopt', id, attempt: attempt.number, from: attempt.run } as const;
    const held = slotOf(attempt.state);
    if (held === undefined) {
      commands.push(adopt);
      continue;
    }
    // The agent may still run, with the old number in its environment.
    const slot = slots.includes(held) ? held : slots[0];
    if (slot === undefined) continue;
    slots.splice(slots.indexOf(slot), 1);
    commands.push({ ...adopt, slot });
  }
  return commands;
}

/** What a person has just decided is gone on with whatever the scope. */
function isDecided({ attempt }: TaskRecord, state: AttemptState): boolean {
  if (state.id === 'between-turns')
    return ['answer', 'rejected', 'attached'].includes(state.turnReason.id);
  const isFinished = state.id === 'queued' || state.id === 'unreviewed';
  return isFinished && attempt?.approved === state.commit;
}
