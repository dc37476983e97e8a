import { checkModels } from '../app/model-probe.ts';
import { outcomeOf } from '../app/outcome.ts';
import { checkPlan, planRefusal } from '../app/plan-check.ts';
import type { Failures, Project } from '../app/ports.ts';
import { checkResume, readResume, resumeRun } from '../app/resume.ts';
import type { Run } from '../app/run.ts';
import { withoutSandbox } from '../app/sandbox.ts';
import { checkScope, knownTasks } from '../app/scope.ts';
import { checkRequest, readRequest, startRun } from '../app/start.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import type { Task } from '../model/task.ts';
import { settledAll } from '../model/trouble.ts';
import { caughtUpText } from '../report/run/caught-up.ts';
import { type Access, answered, told } from './access.ts';
import type * as api from './yard.ts';

interface Started {
  readonly run: Run;
  readonly warnings: readonly string[];
}

/** Runs that this process drives. Signals are left to the program: a run ends when it is asked to. */
export function runsOf(access: Access): Pick<api.Yard, 'run' | 'resume'> {
  return {
    run: (options = {}) => launched(access, 'run', (project) => started(access, project, options)),
    resume: (options = {}) =>
      launched(access, 'resume', (project) => resumed(access, project, options)),
  };
}

/** The run closes its project when it ends; if none starts, it is closed here. */
async function launched(
  access: Access,
  command: 'run' | 'resume',
  start: (project: Project) => Promise<Result<Started, Failures>>,
): Promise<api.Result<api.YardRun>> {
  const allowed = access.checkPerson(command);
  if (!allowed.ok) return told(allowed);
  const project = await answered(access.open());
  if (!project.ok) return project;
  const begun = await settledAll(start(project.value));
  if (!begun.ok) {
    await project.value.git.close();
    return told(begun);
  }
  const { run, warnings } = begun.value;
  return ok({
    id: run.id,
    warnings,
    ended: endOf(run),
    stop: async (how) => told(await run.stop(how, '`stop` of the library')),
  });
}

async function started(
  access: Access,
  project: Project,
  { sources = [], scope, share = false, pruneRemoved = false, force = false }: api.RunOptions,
): Promise<Result<Started, Failures>> {
  const request = await readRequest(project, access.config, sources, access.from());
  if (!request.ok) return request;
  const { known, incoming, warnings } = request.value;
  const tasks = knownTasks(known, incoming.tasks);
  const wanted = checkScope(scope ?? scopeOf(sources, incoming.tasks), tasks);
  if (!wanted.ok) return fail([wanted.failure]);
  const checked = await checkRequest(request.value, wanted.value);
  if (!checked.ok) return checked;
  const { ready } = checked.value;
  const { times } = ready.settings.forecast ?? {};
  const plan = await checkPlan(request.value, times, new AbortController().signal);
  if (!plan.ok) return plan;
  const refusal = planRefusal(plan.value?.concerns ?? [], force);
  if (refusal !== undefined) return fail([refusal]);
  const probed = await checkModels(ready, new AbortController().signal);
  if (!probed.ok) return probed;
  const run = await startRun(ready, { share, incoming, pruneRemoved, attended: false });
  if (!run.ok) return run;
  const notes = [...warnings, ...incoming.notes, ...withoutSandbox(ready.sandbox)];
  return ok({ run: run.value, warnings: notes });
}

function scopeOf(sources: readonly string[], tasks: readonly Task[]) {
  if (sources.length === 0) return { kind: 'ready' } as const;
  return { kind: 'only', tasks: tasks.map(({ id }) => id) } as const;
}

async function resumed(
  { config }: Access,
  project: Project,
  { run: name, retryFailed: retry = false }: api.ResumeOptions,
): Promise<Result<Started, Failures>> {
  const request = await readResume(project, config, name);
  if (!request.ok) return request;
  const ready = await checkResume(request.value);
  if (!ready.ok) return ready;
  const probed = await checkModels(ready.value, new AbortController().signal);
  if (!probed.ok) return probed;
  const run = await resumeRun(ready.value, request.value.record, { retry, attended: false });
  if (!run.ok) return run;
  const { caughtUp, warnings } = request.value;
  const moved = caughtUp === undefined ? [] : [caughtUpText(caughtUp)];
  return ok({ run: run.value, warnings: [...moved, ...warnings] });
}

async function endOf(run: Run): Promise<api.Result<api.RunEnd>> {
  // Steps that nobody reads would stay in memory.
  for await (const _step of run.steps);
  const { run: record, files, undelivered } = await run.ended;
  if (!record.ok) return told(record);
  const warnings = files.ok ? undelivered : [...undelivered, noFiles];
  return ok({ run: run.id, ...outcomeOf(record.value, [...run.state.tasks.values()]), warnings });
}

const noFiles = 'The files of the run could not be written completely; its records are complete.';
