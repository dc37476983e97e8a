import { ok } from '../model/failure.ts';
import { showText } from '../report/task/task.ts';
import { taskNamed, withStore } from './open.ts';
import type { Call } from './parse.ts';
import { clockOffset, screenOf } from './screen.ts';
import { viewOfTask } from './task-view.ts';

export function run(call: Call): Promise<number> {
  return withStore(call, 'read', async ({ store }) => {
    const record = await taskNamed(store, call.args[0] ?? '');
    if (!record.ok) return record;
    const view = await viewOfTask(store, record.value);
    if (!view.ok) return view;
    const screen = screenOf(call);
    const { task, messages } = record.value;
    if (call.options.flag('json')) {
      screen.json({ ...view.value, task, ...(messages === undefined ? {} : { messages }) });
      return ok(0);
    }
    const options = { offsetMin: clockOffset() };
    screen.lines(showText(record.value, view.value, screen.style, screen.width, options));
    return ok(0);
  });
}
