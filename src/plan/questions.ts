import type { AttemptState } from '../model/attempt.ts';
import type { Command } from '../model/command.ts';
import { formatDuration } from '../model/duration.ts';
import type { Records } from '../model/records.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { Decision, Message } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { putState } from './live-attempt.ts';
import { withAnswer } from './messages.ts';

type Asking = Extract<AttemptState, { readonly id: 'asking' }>;

/** Commands about a question that nobody answered in time, as the config wants it; none before that. */
export function afterQuestion(
  { settings: { ask } }: RunRecord,
  of: { readonly id: string; readonly attempt: number },
  { question, since }: Asking,
  now: number,
): readonly Command[] {
  if (ask === undefined || now < since + ask.timeoutMs) return [];
  if (ask.onTimeout === 'block') {
    const failure = { kind: 'question-unanswered', question, ms: ask.timeoutMs } as const;
    return [{ type: 'give-up', ...of, failure }];
  }
  const text = `Nobody answered within ${formatDuration(ask.timeoutMs)}. Decide yourself, and say in your last message what you assumed.`;
  return [{ type: 'answer-question', ...of, text }];
}

/** Times at which open questions are no longer waited for. */
export function questionDeadlines(
  { settings: { ask } }: RunRecord,
  live: readonly TaskRecord[],
): readonly number[] {
  if (ask === undefined) return [];
  return live.flatMap(({ attempt }) =>
    attempt?.state.id === 'asking' ? [attempt.state.since + ask.timeoutMs] : [],
  );
}

/** The conversation continues with the answer. That of a person is also a message for later conversations. */
export function answerQuestion(
  records: Records,
  before: TaskRecord,
  { text, by }: Extract<Decision, { kind: 'answer' }>,
  { seq, at }: Pick<Message, 'seq' | 'at'>,
): void {
  const { attempt } = before;
  if (attempt?.state.id !== 'asking') return;
  const { question } = attempt.state;
  const turn = { attempt: attempt.number, turn: attempt.conversation.turns + 1 };
  const record = by === 'run' ? before : withAnswer(before, { seq, at, text, question }, turn);
  const turnReason = { id: 'answer', question, text, by } as const;
  putState({ records, record, attempt }, { id: 'between-turns', turnReason });
}
