import { isLive } from '../model/attempt.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../plan/limits.ts';
import type { TaskRecord } from '../plan/record.ts';
import type { Store } from '../record/store.ts';
import { readingOf } from '../report/task/message.ts';
import { isUnderWay } from '../wire/driven.ts';
import { taskNamed, withStore } from './open.ts';
import type { Call } from './parse.ts';
import { byPerson } from './person.ts';
import { screenOf } from './screen.ts';
import { textArgument } from './stdin.ts';

/** A person writes to the agent of a task, which reads it with its next turn. */
export function run(call: Call): Promise<number> {
  return withStore(call, 'write', async ({ store }) => {
    const person = await byPerson(store, call.command);
    if (!person.ok) return person;
    const [id = '', word = ''] = call.args;
    const before = await readingNow(store, id);
    if (!before.ok) return before;
    const text = await textArgument(word, 'the message');
    if (!text.ok) return text;
    const sent = { type: 'message-sent', id, text: text.value } as const;
    const stored = await store.append(Date.now(), [sent]);
    if (!stored.ok) return stored;
    // The task may have moved on while the text was read or stored.
    const after = await readingNow(store, id);
    if (!after.ok) return after;
    if (!call.global.quiet) screenOf(call).lines([`${id}: its agent reads this ${after.value}.`]);
    return ok(0);
  });
}

/** When a message to the task is read. A failure where none will be. */
async function readingNow(store: Store, id: string): Promise<Result<string>> {
  const record = await taskNamed(store, id);
  if (!record.ok) return record;
  const driven = await isDriven(store, record.value);
  if (!driven.ok) return driven;
  const reading = readingOf(record.value, driven.value);
  if (reading.id === 'read') return ok(reading.when);
  const { because, remedy } = reading;
  return fail({ kind: 'usage', problem: `no agent would read it: ${because}`, remedy });
}

/** True if the run of its live attempt is at work, or any run where it has none. */
async function isDriven(store: Store, { attempt }: TaskRecord): Promise<Result<boolean>> {
  const runs = await store.runs(limits.runsListed);
  if (!runs.ok) return runs;
  const owner = attempt !== undefined && isLive(attempt.state) ? attempt.run : undefined;
  return ok(runs.value.some((run) => isUnderWay(run) && (owner ?? run.id) === run.id));
}
