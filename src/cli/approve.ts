import { fail, ok, type Result } from '../model/failure.ts';
import type { Decision } from '../model/task.ts';
import { stateOf, type TaskRecord } from '../plan/record.ts';
import { goesOnBy, taskNamed, withStore } from './open.ts';
import type { Call } from './parse.ts';
import { byPerson } from './person.ts';
import { screenOf } from './screen.ts';
import { textArgument } from './stdin.ts';

/** What a person says of work that waits for them: it may land as it is, or it may not and why. All or none. */
export function run(call: Call): Promise<number> {
  return withStore(call, 'write', async ({ store }) => {
    const person = await byPerson(store, call.command);
    if (!person.ok) return person;
    const ids = [...new Set(call.command === 'approve' ? call.args : call.args.slice(0, 1))];
    for (const id of ids) {
      const record = await taskNamed(store, id);
      if (!record.ok) return record;
      const waiting = mayDecide(record.value, call.command);
      if (!waiting.ok) return waiting;
    }
    const decided = await decisionOf(call);
    if (!decided.ok) return decided;
    const decision = decided.value;
    const stored = await store.append(
      Date.now(),
      ids.map((id) => ({ type: 'task-decided', id, decision })),
    );
    if (!stored.ok) return stored;
    const said =
      decision.kind === 'approve' ? 'is approved' : 'is rejected, and its agent is told why';
    const next = await goesOnBy(store);
    const lines = ids.map((id) => `${id} ${said}; ${next}`);
    if (!call.global.quiet) screenOf(call).lines(lines);
    return ok(0);
  });
}

/** Refuses where the work does not wait for a person. */
function mayDecide(record: TaskRecord, wanted: string): Result<void> {
  const { task, attempt, status } = record;
  if (attempt?.state.id === 'awaiting' && status.id === 'open') return ok(undefined);
  return fail({
    kind: 'usage',
    problem: `task ${task.id} is ${stateOf(record)} and does not wait for an approval, so there is nothing to ${wanted}`,
    remedy: `See \`ym why ${task.id}\` for where it is.`,
  });
}

async function decisionOf(call: Call): Promise<Result<Decision>> {
  if (call.command === 'approve') {
    const reason = call.options.text('reason');
    return ok(reason === undefined ? { kind: 'approve' } : { kind: 'approve', reason });
  }
  const reason = await textArgument(call.args[1] ?? '', 'the reason');
  return reason.ok ? ok({ kind: 'reject', reason: reason.value }) : reason;
}
