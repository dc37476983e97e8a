import { fail, ok, type Result, usage } from '../model/failure.ts';
import { given } from '../model/given.ts';
import type { Decision } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { recordStateText } from '../report/view/state-text.ts';
import { asPerson, nextStep, taskNamed } from './open.ts';
import type { Call } from './parse.ts';
import { confirm } from './screen.ts';
import { textArgument } from './stdin.ts';

type Command = 'retry' | 'cancel' | 'skip' | 'block' | 'unblock' | 'answer' | 'approve' | 'reject';

/** Text after the id of a task, printed once the decision is stored. */
const confirmations: Readonly<Record<Command, string>> = {
  retry: 'will be retried',
  cancel: 'is canceled',
  skip: 'counts as done',
  block: 'is blocked',
  unblock: 'is released',
  answer: 'has its answer',
  approve: 'is approved',
  reject: 'is rejected, and its agent is told why',
};

/** Stores a person's decision about tasks: one event for each, all or none. */
export function run(call: Call): Promise<number> {
  return asPerson(call, async ({ store }) => {
    const command = call.command as Command;
    const takesText = command === 'answer' || command === 'reject';
    const ids = [...new Set(takesText ? call.args.slice(0, 1) : call.args)];
    for (const id of ids) {
      const record = await taskNamed(store, id);
      if (!record.ok) return record;
      const allowed = mayDecide(command, record.value);
      if (!allowed.ok) return allowed;
    }
    const made = await decisionOf(command, call);
    if (!made.ok) return made;
    const decision = made.value;
    const events = ids.map((id) => ({ type: 'task-decided', id, decision }) as const);
    const stored = await store.append(Date.now(), events);
    if (!stored.ok) return stored;
    const next = takesText || command === 'approve' ? `; ${await nextStep(store)}` : '';
    return confirm(
      call,
      ids.map((id) => `${id} ${confirmations[command]}${next}`),
    );
  });
}

async function decisionOf(command: Command, call: Call): Promise<Result<Decision>> {
  switch (command) {
    case 'answer': {
      const text = await textArgument(call.args[1] ?? '', 'the answer');
      return text.ok ? ok({ kind: 'answer', text: text.value }) : text;
    }
    case 'reject': {
      const reason = await textArgument(call.args[1] ?? '', 'the reason');
      return reason.ok ? ok({ kind: 'reject', reason: reason.value }) : reason;
    }
    case 'approve':
    case 'retry':
    case 'unblock':
      return ok({ kind: command, ...given({ reason: call.options.text('reason') }) });
    case 'cancel':
    case 'skip':
    case 'block':
      return ok({ kind: command, reason: call.options.text('reason') ?? 'no reason was given' });
  }
}

/** Refuses a decision that would change nothing in the task's state. */
function mayDecide(command: Command, record: TaskRecord): Result<void> {
  const { task, attempt, status } = record;
  const state = recordStateText(record);
  const refuse = (): Result<never> =>
    fail({ kind: 'task-busy', task: task.id, state, wanted: command });
  switch (command) {
    case 'answer':
      if (attempt?.state.id === 'asking') return ok(undefined);
      return usage(
        `the agent of ${task.id} has not asked anything`,
        `See \`ym why ${task.id}\`, or write to the agent with \`ym tell ${task.id} TEXT\`.`,
      );
    case 'approve':
    case 'reject':
      if (attempt?.state.id === 'awaiting' && status.id === 'open') return ok(undefined);
      return usage(
        `task ${task.id} is ${state} and does not wait for approval, so there is nothing to ${command}`,
        `See \`ym why ${task.id}\`.`,
      );
    case 'retry':
      return state === 'landed' || status.id === 'open' ? refuse() : ok(undefined);
    case 'unblock':
      return status.id === 'blocked' ? ok(undefined) : refuse();
    case 'cancel':
    case 'skip':
    case 'block':
      return state === 'landed' ? refuse() : ok(undefined);
  }
}
