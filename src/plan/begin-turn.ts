import type { Attempt } from '../model/attempt.ts';
import type { Command } from '../model/command.ts';
import type { Assignment } from './agent-pool.ts';
import { unreadMessages } from './messages.ts';
import type { TaskRecord } from './record.ts';

/** The next turn of an attempt, with everything that people wrote since the last one. */
export function beginTurn(
  record: TaskRecord,
  { number, turns }: Attempt,
  slot: number,
  assignment: Assignment,
): Command {
  const of = { id: record.task.id, attempt: number };
  const turn = { type: 'begin-turn', ...of, turn: turns + 1, slot, ...assignment } as const;
  const messages = unreadMessages(record).map(({ seq }) => seq);
  return messages.length === 0 ? turn : { ...turn, messages };
}
