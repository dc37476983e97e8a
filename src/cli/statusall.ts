import { ok } from '../model/failure.ts';
import { statusText } from '../report/text.ts';
import { viewOf } from '../report/view.ts';
import { isDriven } from '../wire/driven.ts';
import { withStore } from './open.ts';
import type { Call } from './parse.ts';
import { screenOf } from './screen.ts';

/** The whole status: every task, and the target's commit as git has it. */
export function run(call: Call): Promise<number> {
  return withStore(call, 'read', async ({ project, store }) => {
    const tasks = await store.tasks();
    if (!tasks.ok) return tasks;
    const runs = await store.runs(1);
    if (!runs.ok) return runs;
    const [newest] = runs.value;
    const branch = newest?.settings.target;
    const tip =
      branch === undefined ? undefined : await project.git.resolve(`refs/heads/${branch}`);
    const commit = tip?.ok ? tip.value : undefined;
    const target =
      branch === undefined ? undefined : commit === undefined ? { branch } : { branch, commit };
    const now = Date.now();
    const driven = newest === undefined || isDriven(newest);
    const view = viewOf(tasks.value, newest, now, target, driven);
    const screen = screenOf(call);
    if (call.options.flag('json')) screen.json(view);
    else screen.lines(statusText(view, { now, all: true }, screen.style, screen.width));
    return ok(0);
  });
}
