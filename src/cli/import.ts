import { ok } from '../model/failure.ts';
import { warnOfAgents } from './agent-warnings.ts';
import { bringIn, readSources, warnOfLanded, warnOfRemoved } from './bring-in.ts';
import { folderOf, withStore } from './open.ts';
import type { Call } from './parse.ts';
import { screenOf } from './screen.ts';

export function run(call: Call): Promise<number> {
  const dryRun = call.options.flag('dry-run');
  return withStore(call, dryRun ? 'read' : 'write', async ({ project, store }) => {
    const incoming = await readSources(call.args, folderOf(call), project.root);
    if (!incoming.ok) return incoming;
    const options = { dryRun, pruneRemoved: call.options.flag('prune-removed') };
    const brought = await bringIn(store, incoming.value, options);
    if (!brought.ok) return brought;
    warnOfLanded(brought.value);
    warnOfRemoved(brought.value, options);
    warnOfAgents(project, [...brought.value.added, ...brought.value.changed]);
    const added = brought.value.added.map((task) => task.id);
    const changed = brought.value.changed.map((task) => task.id);
    const { same } = brought.value;
    const screen = screenOf(call);
    const removed = brought.value.removed.map(({ id }) => id);
    if (call.options.flag('json')) screen.json({ dryRun, added, changed, same, removed });
    else if (!call.global.quiet) {
      const would = dryRun ? 'Would add' : 'Added';
      const counts = [`${would} ${added.length}`];
      if (changed.length > 0) counts.push(`changed ${changed.length}`);
      if (same.length > 0) counts.push(`${same.length} known already`);
      screen.lines([counts.join(', ')]);
    }
    return ok(0);
  });
}
