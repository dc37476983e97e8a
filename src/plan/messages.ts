import type { TurnReason } from '../model/attempt.ts';
import type { Event } from '../model/event.ts';
import type { Records } from '../model/records.ts';
import type { Message, PromptMessage } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';

/** Messages that no successful turn has had in its prompt. */
export function unreadMessages({ messages }: TaskRecord): readonly Message[] {
  return messages.filter(({ readIn }) => readIn === undefined);
}

/**
 * Messages for the prompt of a turn: its own, and all earlier ones if the conversation is new. An answer that is the
 * reason for the turn is left out, since the prompt has it already.
 */
export function messagesFor(
  { messages }: TaskRecord,
  turn: { readonly attempt: number; readonly turn: number; readonly turnReason?: TurnReason },
  resumed: boolean,
): readonly PromptMessage[] {
  return messages
    .filter((message) => {
      const { readIn } = message;
      if (readIn === undefined || isReason(message, turn.turnReason)) return false;
      return !resumed || (readIn.attempt === turn.attempt && readIn.turn === turn.turn);
    })
    .map(({ text, question }) => ({ text, question }));
}

/** True for the answer that a turn is about; after an interruption, that the interrupted turn was about. */
function isReason(message: PromptMessage, reason: TurnReason | undefined): boolean {
  if (reason?.id === 'paused' || reason?.id === 'attached') {
    return isReason(message, reason.before);
  }
  const { text, question } = message;
  return reason?.id === 'answer' && reason.question === question && reason.text === text;
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

/** An answer counts as read in the turn that it starts, which repeats it until the agent has seen it. */
export function withAnswer(
  record: TaskRecord,
  answer: Pick<Message, 'seq' | 'at' | 'text' | 'question'>,
  readIn: { readonly attempt: number; readonly turn: number },
): TaskRecord {
  return { ...record, messages: [...record.messages, { ...answer, readIn }] };
}

/** Marks the messages of a failed turn as unread, since its agent may not have seen them. An answer stays read. */
export function withUnread(record: TaskRecord, attempt: number, turn: number): TaskRecord {
  const messages = record.messages.map((message): Message => {
    const { readIn, ...unread } = message;
    const isFrom = readIn?.attempt === attempt && readIn.turn === turn;
    return isFrom && message.question === undefined ? unread : message;
  });
  return { ...record, messages };
}
