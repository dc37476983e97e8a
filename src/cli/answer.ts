import { fail, ok, type Result } from '../model/failure.ts';
import type { TaskRecord } from '../plan/record.ts';
import { goesOnBy, taskNamed, withStore } from './open.ts';
import type { Call } from './parse.ts';
import { byPerson } from './person.ts';
import { screenOf } from './screen.ts';
import { textArgument } from './stdin.ts';

/** A person's answer to what an agent asked. Its attempt goes on with it; nothing else about the task changes. */
export function run(call: Call): Promise<number> {
  return withStore(call, 'write', async ({ store }) => {
    const person = await byPerson(store, call.command);
    if (!person.ok) return person;
    const [id = '', word = ''] = call.args;
    const record = await taskNamed(store, id);
    if (!record.ok) return record;
    const asking = mayAnswer(record.value);
    if (!asking.ok) return asking;
    const text = await textArgument(word, 'the answer');
    if (!text.ok) return text;
    const decision = { kind: 'answer', text: text.value } as const;
    const stored = await store.append(Date.now(), [{ type: 'task-decided', id, decision }]);
    if (!stored.ok) return stored;
    const line = `${id} has its answer; ${await goesOnBy(store)}`;
    if (!call.global.quiet) screenOf(call).lines([line]);
    return ok(0);
  });
}

/** Refuses where no agent asked. */
function mayAnswer({ task, attempt }: TaskRecord): Result<void> {
  if (attempt?.state.id === 'asking') return ok(undefined);
  return fail({
    kind: 'usage',
    problem: `the agent of ${task.id} has not asked anything`,
    remedy: `See \`ym why ${task.id}\` for where it is, or write to its agent with \`ym tell ${task.id} TEXT\`.`,
  });
}
