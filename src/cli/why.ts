import { ok } from '../model/failure.ts';
import { historyOf } from '../report/history.ts';
import { whyText } from '../report/tasktext.ts';
import { taskNamed, withStore } from './open.ts';
import type { Call } from './parse.ts';
import { clockOffset, screenOf } from './screen.ts';
import { viewOfTask } from './taskview.ts';

export function run(call: Call): Promise<number> {
  return withStore(call, 'read', async ({ store }) => {
    const id = call.args[0] ?? '';
    const record = await taskNamed(store, id);
    if (!record.ok) return record;
    const view = await viewOfTask(store, record.value);
    if (!view.ok) return view;
    const events = await store.events({ task: id });
    if (!events.ok) return events;
    const screen = screenOf(call);
    if (call.options.flag('json')) {
      screen.json({ ...view.value, history: historyOf(id, events.value) });
      return ok(0);
    }
    const offsetMin = clockOffset();
    screen.lines(whyText(view.value, events.value, screen.style, screen.width, { offsetMin }));
    return ok(0);
  });
}
