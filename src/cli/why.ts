import { showTask } from '../app/explain.ts';
import { ok } from '../model/failure.ts';
import { given } from '../model/given.ts';
import { historyLines } from '../report/task/history.ts';
import { whyText } from '../report/task/task.ts';
import { withStore } from './open.ts';
import type { Call } from './parse.ts';
import { clockOffset, screenOf } from './screen.ts';

export function run(call: Call): Promise<number> {
  return withStore(call, 'read', async (opened) => {
    const id = call.args[0] ?? '';
    const shown = await showTask(opened, id);
    if (!shown.ok) return shown;
    const { record, view } = shown.value;
    const steps = await opened.store.steps(id);
    if (!steps.ok) return steps;
    const screen = screenOf(call);
    const { messages } = record;
    const sent = given({ messages });
    if (call.options.flag('json')) {
      const history = historyLines(steps.value);
      screen.json({ ...view, ...sent, history });
      return ok(0);
    }
    const options = { offsetMin: clockOffset(), ...sent };
    screen.lines(whyText(view, steps.value, screen.style, screen.width, options));
    return ok(0);
  });
}
