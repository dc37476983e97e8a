import { showTask } from '../app/explain.ts';
import { listRuns } from '../app/runs.ts';
import { nearest } from '../graph/nearest.ts';
import { fail, ok } from '../model/failure.ts';
import { given } from '../model/given.ts';
import { isRemoved } from '../model/task-record.ts';
import { isDone, stateOrder } from '../report/format/glyph.ts';
import { runsSchema, runsText } from '../report/run/runs.ts';
import { tasksText } from '../report/status/status.ts';
import { showText } from '../report/task/task.ts';
import { type TaskView, viewOf } from '../report/view/view.ts';
import { withStore } from './open.ts';
import type { Call } from './parse.ts';
import { clockOffset, print, screenOf } from './screen.ts';

export function runs(call: Call): Promise<number> {
  return withStore(call, 'read', async (opened) => {
    const runs = await listRuns(opened, { all: call.options.flag('all') });
    if (!runs.ok) return runs;
    return print(call, { schema: runsSchema, runs: runs.value }, ({ style, width }) =>
      runsText(runs.value, style, width, clockOffset(), opened.clock.now()),
    );
  });
}

export function show(call: Call): Promise<number> {
  return withStore(call, 'read', async (opened) => {
    const shown = await showTask(opened, call.args[0] ?? '');
    if (!shown.ok) return shown;
    const { record, view } = shown.value;
    const { task, messages } = record;
    return print(call, { ...view, task, ...given({ messages }) }, ({ style, width }) =>
      showText(record, view, style, width, { offsetMin: clockOffset() }),
    );
  });
}

export function listTasks(call: Call): Promise<number> {
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
