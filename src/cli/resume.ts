import type { Config } from '../config/config.ts';
import { isLive } from '../model/attempt.ts';
import { fail, ok } from '../model/failure.ts';
import type { RunSettings } from '../model/run.ts';
import type { Task } from '../model/task.ts';
import type { RunRecord, TaskRecord } from '../plan/record.ts';
import { finder, inScope } from '../plan/scope.ts';
import { preflight } from '../wire/preflight.ts';
import { openProject, openStore } from '../wire/project.ts';
import { type Bring, resumeRun } from '../wire/run.ts';
import { openTasks, retryFailed } from './again.ts';
import { budgetFlags, preflightFlags, verifyFlags } from './budget.ts';
import { drive } from './drive.ts';
import { runConfig } from './judged.ts';
import { folderOf, resumableRun } from './open.ts';
import type { Call } from './parse.ts';
import { screenOf } from './screen.ts';
import { complain } from './trouble.ts';

/** Goes on with a run that was stopped or killed, as it was asked for, with the budget counting again. */
export async function run(call: Call): Promise<number> {
  const opened = await openProject(folderOf(call));
  if (!opened.ok) return complain([opened.failure]);
  const project = opened.value;
  const store = await openStore(project, 'read');
  if (!store.ok) return complain([store.failure]);
  const found = await resumableRun({ project, store: store.value }, call.args[0]);
  const tasks = await store.value.tasks();
  await store.value.close();
  if (!found.ok) return complain([found.failure]);
  if (!tasks.ok) return complain([tasks.failure]);
  const record = found.value;
  if (record === undefined) return complain([{ kind: 'nothing-to-resume' }]);
  const { settings } = record;
  const flags = { ...budgetFlags(call), ...verifyFlags(call), ...preflightFlags(call) };
  const config = await runConfig(call, project, flags, settings.target);
  if (!config.ok) return complain(config.failure);
  const left = toDo(tasks.value, settings);
  const then = asStarted(config.value, record);
  const ready = await preflight(
    project,
    then,
    settings.scope,
    left,
    asAsked(settings, config.value),
  );
  if (!ready.ok) return complain(ready.failure);
  const bring = bringer(record, call.options.flag('retry-failed'));
  return drive(call, screenOf(call), project, settings.scope, (observe) =>
    resumeRun(ready.value, record, observe, bring),
  );
}

/** What the run may still work on: those tasks need their agents. */
function toDo(tasks: readonly TaskRecord[], { scope }: RunSettings): readonly Task[] {
  const within = inScope(scope, finder(tasks));
  return tasks
    .filter(({ task, status }) => status.id === 'open' && within(task))
    .map(({ task, attempt }) =>
      attempt !== undefined && isLive(attempt.state) ? { ...task, agent: attempt.agent } : task,
    );
}

/** What a run was started with stays, whatever the config says by now. */
function asStarted({ fallback: _now, ...config }: Config, { settings }: RunRecord): Config {
  const { target, agent, jobs, fallback } = settings;
  return { ...config, target, agent, jobs, ...(fallback === undefined ? {} : { fallback }) };
}

/** Only the look at the target may be asked for again, and only by a flag. */
function asAsked(started: RunSettings, { verify, origins }: Config): RunSettings {
  if (origins.get('verify.enabled')?.origin !== 'flag') return started;
  const { verify: _before, ...settings } = started;
  return verify.enabled ? { ...settings, verify: verify.onFailure } : settings;
}

/**
 * A run that has not ended is gone on with in any case, if only to end it in order; so is one that still holds work of a
 * task that a person has decided about meanwhile.
 */
function bringer({ id, settings, endedAt }: RunRecord, retry: boolean): Bring {
  return async (store) => {
    const again = retry ? await retryFailed(store, settings.scope, 'person') : ok(undefined);
    if (!again.ok) return fail([again.failure]);
    const left = await openTasks(store, settings.scope);
    if (!left.ok) return fail([left.failure]);
    if (endedAt === undefined) return ok(Math.max(1, left.value));
    const tasks = await store.tasks();
    if (!tasks.ok) return fail([tasks.failure]);
    const holds = tasks.value.some(({ attempt }) => attempt?.run === id && isLive(attempt.state));
    return holds ? ok(Math.max(1, left.value)) : left;
  };
}
