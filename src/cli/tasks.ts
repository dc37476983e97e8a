import { nearest } from '../graph/nearest.ts';
import { fail, ok } from '../model/failure.ts';
import { isRemoved } from '../model/task-record.ts';
import { isDone, stateOrder } from '../report/format/glyph.ts';
import { tasksText } from '../report/status/status.ts';
import { type TaskView, viewOf } from '../report/view/view.ts';
import { withStore } from './open.ts';
import type { Call } from './parse.ts';
import { screenOf } from './screen.ts';

export function run(call: Call): Promise<number> {
  return withStore(call, 'read', async ({ store }) => {
    const wanted = call.options.list('state');
    const wrong = wanted.find((state) => !stateOrder.some((known) => known === state));
    if (wrong !== undefined) {
      const near = nearest(wrong, stateOrder);
      const meant = near === undefined ? '' : `Did you mean "${near}"? `;
      return fail({
        kind: 'usage',
        problem: `there is no state "${wrong}"`,
        remedy: `${meant}States are ${stateOrder.join(', ')}.`,
      });
    }
    const tasks = await store.tasks();
    if (!tasks.ok) return tasks;
    const whole = viewOf(tasks.value, undefined, Date.now());
    const removed = new Set(tasks.value.filter(isRemoved).map(({ task }) => task.id));
    const all = call.options.flag('all');
    const isShown = ({ id, state }: TaskView): boolean =>
      wanted.length > 0 ? wanted.includes(state) : all ? !removed.has(id) : !isDone(state);
    const shown = whole.tasks.filter(isShown);
    const hidden = wanted.length > 0 || all ? 0 : whole.tasks.length - removed.size - shown.length;
    const screen = screenOf(call);
    if (call.options.flag('json')) screen.json({ schema: whole.schema, hidden, tasks: shown });
    else screen.lines(tasksText({ ...whole, tasks: shown }, hidden, screen.style, screen.width));
    return ok(0);
  });
}
