import { isLive } from '../model/attempt.ts';
import { ok, type Result, usage } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { TaskRecord } from '../model/task-record.ts';
import type { Store } from '../port/store.ts';
import { readingOf } from '../report/task/message.ts';
import { isUnderWay } from '../wire/driven.ts';
import { asPerson, taskNamed } from './open.ts';
import type { Call } from './parse.ts';
import { confirm } from './screen.ts';
import { textArgument } from './stdin.ts';

/** Sends a person's message to the agent of a task, which reads it in its next turn. */
export function run(call: Call): Promise<number> {
  return asPerson(call, async ({ store }) => {
    const [id = '', word = ''] = call.args;
    const before = await readingNow(store, id);
    if (!before.ok) return before;
    const text = await textArgument(word, 'the message');
    if (!text.ok) return text;
    const sent = { type: 'message-sent', id, text: text.value } as const;
    const stored = await store.append(Date.now(), [sent]);
    if (!stored.ok) return stored;
    // The task may have changed while the text was read and stored.
    const after = await readingNow(store, id);
    if (!after.ok) return after;
    return confirm(call, [`${id}: its agent reads this ${after.value}.`]);
  });
}

/** When the agent reads a message sent now, or why no agent would. */
async function readingNow(store: Store, id: string): Promise<Result<string>> {
  const record = await taskNamed(store, id);
  if (!record.ok) return record;
  const driven = await isDriven(store, record.value);
  if (!driven.ok) return driven;
  const reading = readingOf(record.value, driven.value);
  if (reading.id === 'read') return ok(reading.when);
  return usage(`no agent would read it: ${reading.because}`, reading.remedy);
}

/** True if the run of its live attempt is under way; without a live attempt, if any run is. */
async function isDriven(store: Store, { attempt }: TaskRecord): Promise<Result<boolean>> {
  const runs = await store.runs(limits.runsListed);
  if (!runs.ok) return runs;
  const owner = attempt !== undefined && isLive(attempt.state) ? attempt.run : undefined;
  return ok(runs.value.some((run) => isUnderWay(run) && (owner ?? run.id) === run.id));
}
