import type { State } from '../plan/state.ts';
import { poolKey } from './attempt.ts';
import type { Ports, RunContext } from './context.ts';
import { save } from './save.ts';

/**
 * Saves the work of every live attempt on its branch where nothing can be recorded any more, and removes the worktrees.
 * Returns the branches that hold work now.
 */
export async function rescueWork(
  ports: Ports,
  context: RunContext,
  state: State,
): Promise<readonly string[]> {
  const branches: string[] = [];
  for (const id of state.live) {
    const record = state.task(id);
    if (record?.attempt?.run !== context.run) continue;
    const work = { task: record.task, attempt: record.attempt };
    const by = 'the loss of the records';
    const events = await save(ports, context, state, work, { kind: 'interrupted', by });
    for (const event of events) {
      if (event.type !== 'attempt-failed') continue;
      if (event.kept !== undefined) branches.push(event.kept);
      if (event.left === undefined) await ports.pool.give(poolKey(work));
    }
  }
  await ports.pool.removeAll();
  return branches;
}
