import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Decided, Result as Done, Yard } from '../library/yard.ts';
import { ok, type Result } from '../model/failure.ts';
import type { Sentences } from '../report/explain/sentences.ts';
import { decidedText } from '../report/task/decision.ts';
import { decided, id, ids, newTask } from './schemas.ts';
import type { Session } from './session.ts';
import { addTool, refused, type ToolSpec } from './tool.ts';

const some = z.object({
  ids: ids.min(1).describe('Ids of tasks'),
  reason: z.string().optional().describe('Kept in the log'),
});
const worded = z.object({ id, text: z.string() });

type Deciding<In extends z.ZodObject> = ToolSpec<In, typeof decided>;

/** Tools that decide. The project refuses all of them to agents of its own runs. */
export function addDecideTools(server: McpServer, session: Session): void {
  addTool(server, session, 'approve', approve(session.options.mayApprove));
  addTool(server, session, 'reject', reject);
  addTool(server, session, 'answer', answer);
  addTool(server, session, 'tell', tell);
  addTool(server, session, 'retry', ofSome('retry', retrying, 'write'));
  addTool(server, session, 'cancel', ofSome('cancel', canceling, 'undo'));
  addTool(server, session, 'edit', edit);
}

const retrying = [
  'Retry tasks',
  'Opens failed or blocked tasks again. A run must be active or started to work on them.',
] as const;
const canceling = [
  'Cancel tasks',
  'Cancels tasks. Work of their agents is kept on branches.',
] as const;

function ofSome(
  kind: 'approve' | 'retry' | 'cancel',
  [title, description]: readonly [string, string],
  effect: 'write' | 'undo',
): Deciding<typeof some> {
  const run: Deciding<typeof some>['run'] = async ({ ids: tasks, reason }, { yard }) =>
    told(kind, tasks, await yard[kind](tasks, reason));
  return { title, description, input: some, output: decided, effect, run };
}

function approve(mayApprove: boolean): Deciding<typeof some> {
  const effect = 'Lets work land that waits for approval.';
  if (mayApprove) {
    return ofSome('approve', ['Approve work', `${effect} Read its diff first.`], 'write');
  }
  const ask = 'Only a person may do this here: ask them to type `ym approve ID`.';
  return {
    ...ofSome('approve', ['Approve work', `${effect} ${ask}`], 'write'),
    run: async ({ ids: tasks }) =>
      refused(
        'Approvals are for people: this server was started without `--approve`.',
        `Ask the person to type \`ym approve ${tasks.join(' ')}\`, or to start \`ym mcp --approve\`.`,
      ),
  };
}

const toReject = z.object({ id, reason: z.string().describe('What the agent must change') });
const reject: Deciding<typeof toReject> = {
  title: 'Reject work',
  description: 'Sends work that waits for approval back to its agent, with the reason.',
  input: toReject,
  output: decided,
  effect: 'write',
  run: async ({ id: task, reason }, { yard }) =>
    told('reject', [task], await yard.reject(task, reason)),
};

const answer: Deciding<typeof worded> = {
  title: 'Answer a question',
  description: 'Answers the question that the agent of a task has asked.',
  input: worded,
  output: decided,
  effect: 'write',
  run: async ({ id: task, text }, { yard }) =>
    told('answer', [task], await yard.answer(task, text)),
};

const tell: Deciding<typeof worded> = {
  title: 'Send a message',
  description: 'Sends a message to the agent of a task; the answer says when it will be read.',
  input: worded,
  output: decided,
  effect: 'write',
  async run({ id: task, text }, { yard }) {
    const read = await yard.tell(task, text);
    if (!read.ok) return read;
    return ok({ ids: [task], text: `${task}: its agent reads this ${read.value}.` });
  },
};

const edit = {
  title: 'Edit a task',
  description: 'Changes fields of a task that no agent works on.',
  input: z.object({ id, changes: newTask.omit({ id: true }).partial() }),
  output: z.looseObject({ task: z.looseObject({ id: z.string() }) }),
  effect: 'write' as const,
  async run(
    { id: task, changes }: { readonly id: string; readonly changes: object },
    { yard }: { readonly yard: Yard },
  ): Promise<Result<object, Sentences>> {
    const edited = await yard.edit(task, { ...changes });
    return edited.ok ? ok({ task: edited.value }) : edited;
  },
};

function told(
  kind: Parameters<typeof decidedText>[0],
  tasks: readonly string[],
  done: Done<Decided>,
): Result<object, Sentences> {
  if (!done.ok) return done;
  const next = done.value.willContinue
    ? 'the run continues with it'
    : 'continue with `resume` or `run`';
  return ok({ ids: tasks, text: `${tasks.join(', ')} ${decidedText(kind, next)}.` });
}
