import { checkRequest, readRequest, startRun } from '../app/start.ts';
import { dryRun } from '../report/run/dry-run.ts';
import { openProject } from '../wire/project.ts';
import { drive } from './drive.ts';
import { importWarnings } from './import-text.ts';
import { folderOf } from './open.ts';
import type { Call } from './parse.ts';
import { runFlags } from './run-flags.ts';
import { scopeOf } from './scope.ts';
import { complain, print, warn } from './screen.ts';
import { readStdin } from './stdin.ts';

export async function run(call: Call): Promise<number> {
  const project = await openProject(folderOf(call));
  if (!project.ok) return complain([project.failure]);
  const from = { cwd: folderOf(call), readStdin };
  const request = await readRequest(project.value, runFlags(call), call.args, from);
  if (!request.ok) return complain(request.failure);
  const { known, incoming, plan, warnings } = request.value;
  if (!call.global.quiet) warn(warnings);
  warn(incoming.notes);
  const tasks = [...known.map(({ task }) => task), ...incoming.tasks];
  const scope = await scopeOf(call, tasks, incoming.tasks);
  if (!scope.ok) return complain([scope.failure]);
  const checked = await checkRequest(request.value, scope.value);
  if (!checked.ok) return complain(checked.failure);
  const { ready, ignored } = checked.value;
  warn(
    ignored.map(
      ({ agent, reasoning }) =>
        `${agent} has no setting for the reasoning effort; "${reasoning}" is not passed to it.`,
    ),
  );
  const pruneRemoved = call.options.flag('prune-removed');
  if (call.options.flag('dry-run')) {
    await project.value.git.close();
    const { commands, lines } = dryRun(ready.settings, known, incoming.tasks, ready.check);
    warn(importWarnings({ landed: [], removed: plan.removed }, { dryRun: true, pruneRemoved }));
    print(call, { commands }, () => lines);
    return 0;
  }
  const share = call.options.flag('share');
  const started = await startRun(ready, { share, incoming, pruneRemoved });
  const isImported = started.ok || started.failure[0]?.kind === 'nothing-to-do';
  if (isImported) warn(importWarnings(plan, { pruneRemoved }));
  return drive(call, ready, started);
}
