import { removeTasks } from '../app/tasks.ts';
import { asPerson } from './open.ts';
import type { Call } from './parse.ts';
import { confirm } from './screen.ts';

export function run(call: Call): Promise<number> {
  return asPerson(call, async (opened) => {
    const removed = await removeTasks(opened, call.args, {
      reason: call.options.text('reason') ?? 'no reason was given',
      dependents: call.options.flag('dependents'),
    });
    if (!removed.ok) return removed;
    return confirm(
      call,
      removed.value.map((id) => `Removed ${id}`),
    );
  });
}
