import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Decided, Result as Done } from '../library/yard.ts';
import { ok } from '../model/failure.ts';
import { decidedText } from '../report/task/decision.ts';
import { decided, id, ids, newTask } from './schemas.ts';
import type { Session } from './session.ts';
import { addTool, refused } from './tool.ts';

const reason = z.string().optional().describe('Kept in the log');
const some = z.object({ ids: ids.min(1).describe('Ids of tasks'), reason });

/** Tools that decide. The project refuses all of them to agents of its own runs. */
export function addDecideTools(server: McpServer, session: Session): void {
  const { mayApprove } = session.options;
  addTool(server, session, 'approve', {
    title: 'Approve work',
    description: mayApprove
      ? 'Lets work land that waits for approval. Read its diff first.'
      : 'Lets work land that waits for approval. Only a person may do this here: ask them to type `ym approve ID`.',
    input: some,
    output: decided,
    effect: 'write',
    async run({ ids: tasks, reason: why }, { yard }) {
      if (!mayApprove) {
        return refused(
          'Approvals are for people: this server was started without `--approve`.',
          `Ask the person to type \`ym approve ${tasks.join(' ')}\`, or to start \`ym mcp --approve\`.`,
        );
      }
      return told('approve', tasks, await yard.approve(tasks, why));
    },
  });
  addTool(server, session, 'reject', {
    title: 'Reject work',
    description: 'Sends work that waits for approval back to its agent, with the reason.',
    input: z.object({ id, reason: z.string().describe('What the agent must change') }),
    output: decided,
    effect: 'write',
    run: async ({ id: task, reason: why }, { yard }) =>
      told('reject', [task], await yard.reject(task, why)),
  });
  addTool(server, session, 'answer', {
    title: 'Answer a question',
    description: 'Answers the question that the agent of a task has asked.',
    input: z.object({ id, text: z.string() }),
    output: decided,
    effect: 'write',
    run: async ({ id: task, text }, { yard }) =>
      told('answer', [task], await yard.answer(task, text)),
  });
  addTool(server, session, 'tell', {
    title: 'Send a message',
    description: 'Sends a message to the agent of a task; it reads it before it finishes.',
    input: z.object({ id, text: z.string() }),
    output: decided,
    effect: 'write',
    async run({ id: task, text }, { yard }) {
      const read = await yard.tell(task, text);
      return read.ok
        ? ok({ ids: [task], text: `${task}: its agent reads this ${read.value}.` })
        : read;
    },
  });
  addTool(server, session, 'retry', {
    title: 'Retry tasks',
    description:
      'Opens failed or blocked tasks again. A run must be active or started to work on them.',
    input: some,
    output: decided,
    effect: 'write',
    run: async ({ ids: tasks, reason: why }, { yard }) =>
      told('retry', tasks, await yard.retry(tasks, why)),
  });
  addTool(server, session, 'cancel', {
    title: 'Cancel tasks',
    description: 'Cancels tasks. Work of their agents is kept on branches.',
    input: some,
    output: decided,
    effect: 'undo',
    run: async ({ ids: tasks, reason: why }, { yard }) =>
      told('cancel', tasks, await yard.cancel(tasks, why)),
  });
  addTool(server, session, 'edit', {
    title: 'Edit a task',
    description: 'Changes fields of a task that no agent works on.',
    input: z.object({ id, changes: newTask.omit({ id: true }).partial() }),
    output: z.looseObject({ task: z.looseObject({ id: z.string() }) }),
    effect: 'write',
    async run({ id: task, changes }, { yard }) {
      const edited = await yard.edit(task, changes);
      return edited.ok ? ok({ task: edited.value }) : edited;
    },
  });
}

function told(
  kind: Parameters<typeof decidedText>[0],
  tasks: readonly string[],
  done: Done<Decided>,
) {
  if (!done.ok) return done;
  const next = done.value.isRunActive
    ? 'the run continues with it'
    : 'no run is active; use `resume` or `run` to continue';
  return ok({ ids: tasks, text: `${tasks.join(', ')} ${decidedText(kind, next)}.` });
}
