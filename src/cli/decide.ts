import type { EventBody } from '../model/event.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import type { Decision } from '../model/task.ts';
import { stateOf, type TaskRecord } from '../plan/record.ts';
import { taskNamed, withStore } from './open.ts';
import type { Call } from './parse.ts';
import { byPerson } from './person.ts';
import { screenOf } from './screen.ts';

/** What a person decides by a word alone; the rest has commands of its own. */
type Kind = 'retry' | 'cancel' | 'skip' | 'block' | 'unblock';

const done: Readonly<Record<Kind, string>> = {
  retry: 'will be tried again',
  cancel: 'is cancelled',
  skip: 'counts as done',
  block: 'is blocked',
  unblock: 'may go on',
};

/** What a person decides about tasks: one event for each, all or none. */
export function run(call: Call): Promise<number> {
  return withStore(call, 'write', async ({ store }) => {
    const person = await byPerson(store, call.command);
    if (!person.ok) return person;
    const kind = call.command as Kind;
    const decision = decisionOf(kind, call.options.text('reason'));
    const events: EventBody[] = [];
    for (const id of new Set(call.args)) {
      const record = await taskNamed(store, id);
      if (!record.ok) return record;
      const allowed = mayDecide(kind, record.value);
      if (!allowed.ok) return allowed;
      events.push({ type: 'task-decided', id, decision });
    }
    const stored = await store.append(Date.now(), events);
    if (!stored.ok) return stored;
    const ids = new Set(call.args);
    if (!call.global.quiet) screenOf(call).lines([...ids].map((id) => `${id} ${done[kind]}`));
    return ok(0);
  });
}

function decisionOf(kind: Kind, reason: string | undefined): Decision {
  if (kind === 'retry' || kind === 'unblock')
    return reason === undefined ? { kind } : { kind, reason };
  return { kind, reason: reason ?? 'no reason was given' };
}

/** Whether the decision makes sense where the task stands; a word that changes nothing is refused, not swallowed. */
function mayDecide(kind: Kind, record: TaskRecord): Result<void> {
  const state = stateOf(record);
  const refuse = (): Result<never, Failure> =>
    fail({ kind: 'task-busy', task: record.task.id, state, wanted: kind });
  if (state === 'landed') return refuse();
  switch (kind) {
    case 'retry':
      return record.status.id === 'open' ? refuse() : ok(undefined);
    case 'unblock':
      return record.status.id === 'blocked' ? ok(undefined) : refuse();
    case 'cancel':
    case 'skip':
    case 'block':
      return ok(undefined);
  }
}
