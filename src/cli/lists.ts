import { showTask, tasksListed } from '../app/explain.ts';
import { listRuns } from '../app/runs.ts';
import { nearest } from '../graph/nearest.ts';
import { fail } from '../model/failure.ts';
import { given } from '../model/given.ts';
import { stateOrder } from '../report/format/glyph.ts';
import { runsSchema, runsText } from '../report/run/runs.ts';
import { tasksText } from '../report/status/status.ts';
import { showText } from '../report/task/task.ts';
import { viewSchema } from '../report/view/view.ts';
import { withStore } from './open.ts';
import type { Call } from './parse.ts';
import { clockOffset, print } from './screen.ts';

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
  return withStore(call, 'read', async (opened) => {
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
    const all = call.options.flag('all');
    const listed = await tasksListed(opened, { states: wanted, all });
    if (!listed.ok) return listed;
    const { hidden, tasks } = listed.value;
    return print(call, { schema: viewSchema, hidden, tasks }, ({ style, width }) =>
      tasksText(listed.value, style, width),
    );
  });
}
