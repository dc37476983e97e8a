import { showTask } from '../app/explain.ts';
import { given } from '../model/given.ts';
import { showText } from '../report/task/task.ts';
import { withStore } from './open.ts';
import type { Call } from './parse.ts';
import { clockOffset, print } from './screen.ts';

export function run(call: Call): Promise<number> {
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
