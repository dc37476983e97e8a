import { importTasks, unknownAgents } from '../app/tasks.ts';
import { importWarnings, sourcesOf } from './import-text.ts';
import { withStore } from './open.ts';
import type { Call } from './parse.ts';
import { confirm, warn } from './screen.ts';

export function run(call: Call): Promise<number> {
  const dryRun = call.options.flag('dry-run');
  return withStore(call, dryRun ? 'read' : 'write', async (opened) => {
    const incoming = await sourcesOf(call, opened.root);
    if (!incoming.ok) return incoming;
    const options = { dryRun, pruneRemoved: call.options.flag('prune-removed') };
    const imported = await importTasks(opened, incoming.value, options);
    if (!imported.ok) return imported;
    warn(importWarnings(imported.value, options));
    warn(unknownAgents(opened, [...imported.value.added, ...imported.value.changed]));
    const { same } = imported.value;
    const added = imported.value.added.map((task) => task.id);
    const changed = imported.value.changed.map((task) => task.id);
    const removed = imported.value.removed.map(({ id }) => id);
    const counts = [`${dryRun ? 'Would add' : 'Added'} ${added.length}`];
    if (changed.length > 0) counts.push(`changed ${changed.length}`);
    if (same.length > 0) counts.push(`${same.length} already known`);
    return confirm(call, [counts.join(', ')], { dryRun, added, changed, same, removed });
  });
}
