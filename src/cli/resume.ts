import type { Project } from '../app/ports.ts';
import { preflight } from '../app/preflight.ts';
import { resumableRun, resumeRun } from '../app/run.ts';
import type { Config } from '../config/config.ts';
import { isLive } from '../model/attempt.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import { given } from '../model/given.ts';
import type { RunSettings } from '../model/run.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { Task } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { finder, inScope } from '../task/scope.ts';
import { openProject } from '../wire/project.ts';
import { drive } from './drive.ts';
import { folderOf } from './open.ts';
import type { Call } from './parse.ts';
import { configOfRun, sharedFlags } from './run-flags.ts';
import { complain } from './screen.ts';

/** Continues a run that was stopped or killed, with its own settings; the budget starts counting again. */
export async function run(call: Call): Promise<number> {
  const opened = await openProject(folderOf(call));
  if (!opened.ok) return complain([opened.failure]);
  const project = opened.value;
  const found = await recordsOf(project, call.args[0]);
  if (!found.ok) return complain([found.failure]);
  const { record, tasks } = found.value;
  const { settings } = record;
  const config = await configOfRun(call, project, sharedFlags(call), settings.target);
  if (!config.ok) return complain(config.failure);
  const ready = await preflight(
    project,
    asStarted(config.value, record),
    settings.scope,
    openTasksOf(tasks, settings),
    withVerifyFlag(settings, config.value),
  );
  if (!ready.ok) return complain(ready.failure);
  const running = await resumeRun(ready.value, record, {
    retry: call.options.flag('retry-failed'),
  });
  return drive(call, ready.value, running);
}

async function recordsOf(
  project: Project,
  name: string | undefined,
): Promise<Result<{ readonly record: RunRecord; readonly tasks: readonly TaskRecord[] }>> {
  const store = await project.openStore('read');
  if (!store.ok) return store;
  const tasks = await store.value.tasks();
  const run = tasks.ok
    ? await resumableRun({ ...project, store: store.value }, tasks.value, name)
    : tasks;
  await store.value.close();
  if (!run.ok) return run;
  if (!tasks.ok) return tasks;
  if (run.value === undefined) return fail({ kind: 'nothing-to-resume' });
  return ok({ record: run.value, tasks: tasks.value });
}

/** Tasks the run may still work on; their agents must be available. */
function openTasksOf(tasks: readonly TaskRecord[], { scope }: RunSettings): readonly Task[] {
  const within = inScope(scope, finder(tasks));
  return tasks
    .filter(({ task, status }) => status.id === 'open' && within(task))
    .map(({ task, attempt }) =>
      attempt !== undefined && isLive(attempt.state) ? { ...task, agent: attempt.agent } : task,
    );
}

/** A run keeps the settings it was started with, whatever the config contains now. */
function asStarted({ fallback: _now, ...config }: Config, { settings }: RunRecord): Config {
  const { target, agent, jobs, fallback } = settings;
  return { ...config, target, agent, jobs, ...given({ fallback }) };
}

/** Only the end-of-run verification can be changed, and only by a flag. */
function withVerifyFlag(started: RunSettings, { verify, origins }: Config): RunSettings {
  if (origins.get('verify.enabled')?.origin !== 'flag') return started;
  const { verify: _before, ...settings } = started;
  return verify.enabled ? { ...settings, verify: verify.onFailure } : settings;
}
