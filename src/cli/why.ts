import { showTask } from '../app/explain.ts';
import type { Event } from '../model/event.ts';
import { ok, type Result } from '../model/failure.ts';
import { given } from '../model/given.ts';
import type { TaskId } from '../model/task.ts';
import type { Store } from '../port/store.ts';
import { historyOf } from '../report/history/history.ts';
import { whyText } from '../report/task/task.ts';
import { someEvents, trainEvents } from './events.ts';
import { withStore } from './open.ts';
import type { Call } from './parse.ts';
import { clockOffset, screenOf } from './screen.ts';

export function run(call: Call): Promise<number> {
  return withStore(call, 'read', async (opened) => {
    const id = call.args[0] ?? '';
    const shown = await showTask(opened, id);
    if (!shown.ok) return shown;
    const { record, view } = shown.value;
    const events = await eventsOf(opened.store, id);
    if (!events.ok) return events;
    const screen = screenOf(call);
    const { messages } = record;
    const sent = given({ messages });
    if (call.options.flag('json')) {
      const history = historyOf(id, events.value);
      screen.json({ ...view, ...sent, history });
      return ok(0);
    }
    const options = { offsetMin: clockOffset(), ...sent };
    screen.lines(whyText(view, events.value, screen.style, screen.width, options));
    return ok(0);
  });
}

/** Events of a task, and those of its candidates and pull requests, which name no task. */
async function eventsOf(store: Store, id: TaskId): Promise<Result<readonly Event[]>> {
  const own = await store.events({ task: id });
  if (!own.ok) return own;
  const all = new Map(own.value.map((event) => [event.seq, event]));
  const built = own.value.flatMap((one) => (one.type === 'candidate-built' ? [one.run] : []));
  for (const run of new Set(built)) {
    const train = await trainEvents(store, run);
    if (!train.ok) return train;
    for (const event of train.value) all.set(event.seq, event);
  }
  const delivered = own.value.findLast(({ type }) => type === 'delivered');
  if (delivered !== undefined) {
    const seen = await someEvents(
      store,
      { after: delivered.seq },
      ({ type }) => type === 'pulls-seen',
    );
    if (!seen.ok) return seen;
    for (const event of seen.value) all.set(event.seq, event);
  }
  return ok([...all.values()].sort((a, b) => a.seq - b.seq));
}
