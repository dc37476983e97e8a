import type { Event } from '../model/event.ts';
import type { Records } from '../model/records.ts';
import type { Message } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';

/** Messages that no successful turn has had in its prompt. */
export function unreadMessages({ messages }: TaskRecord): readonly Message[] {
  return messages.filter(({ readIn }) => readIn === undefined);
}

/** Messages for the prompt of a turn: its own, and all earlier ones if the conversation is new. */
export function messagesFor(
  { messages }: TaskRecord,
  turn: { readonly attempt: number; readonly turn: number },
  resumed: boolean,
): readonly string[] {
  return messages
    .filter(({ readIn }) => {
      if (readIn === undefined) return false;
      return !resumed || (readIn.attempt === turn.attempt && readIn.turn === turn.turn);
    })
    .map(({ text }) => text);
}

export function addMessage(
  records: Records,
  { id, text, seq, at }: Extract<Event, { type: 'message-sent' }>,
): void {
  const record = records.task(id);
  if (record === undefined || record.messages.some((known) => known.seq === seq)) return;
  records.putTask({ ...record, messages: [...record.messages, { seq, at, text }] });
}

/** Marks messages as read by the turn that has them in its prompt. */
export function withRead(
  record: TaskRecord,
  seqs: readonly number[],
  readIn: { readonly attempt: number; readonly turn: number },
): TaskRecord {
  if (seqs.length === 0) return record;
  const messages = record.messages.map((message) =>
    message.readIn === undefined && seqs.includes(message.seq) ? { ...message, readIn } : message,
  );
  return { ...record, messages };
}

/** Marks the messages of a failed turn as unread, since its agent may not have seen them. */
export function withUnread(record: TaskRecord, attempt: number, turn: number): TaskRecord {
  const messages = record.messages.map(({ readIn, ...message }): Message => {
    const isFrom = readIn?.attempt === attempt && readIn.turn === turn;
    return readIn === undefined || isFrom ? message : { ...message, readIn };
  });
  return { ...record, messages };
}
