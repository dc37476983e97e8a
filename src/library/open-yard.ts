import { configValues, projectConfig, projectRedactor } from '../app/config.ts';
import { diffOf } from '../app/diff.ts';
import { readEvents } from '../app/events.ts';
import { explainTask } from '../app/explain.ts';
import { readLedger } from '../app/ledger.ts';
import { findLog, wholeLog } from '../app/log.ts';
import { planWork } from '../app/plan.ts';
import { concernsAbout, critiquePlan, knownCritique } from '../app/plan-critic.ts';
import type { Failures, Opened, Project } from '../app/ports.ts';
import { listRuns } from '../app/runs.ts';
import { fullStatus } from '../app/status.ts';
import { summarize } from '../app/summary.ts';
import type { Actor } from '../model/actor.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import { Trouble } from '../model/trouble.ts';
import { taskNodes } from '../report/graph/nodes.ts';
import { historyLines } from '../report/task/history.ts';
import { failureView } from '../report/view/failure.ts';
import { openProject } from '../wire/project.ts';
import { Access, answered, told } from './access.ts';
import { changesOf } from './changes.ts';
import { runsOf } from './runs.ts';
import type * as api from './yard.ts';

export const openYard: api.OpenYard = (folder, options = {}) =>
  openYardThrough(folder, options, 'library');

/** `through` is the program that events name next to the actor. */
export async function openYardThrough(
  folder: string,
  { config = {}, actor: name, env = process.env }: api.YardOptions,
  through: Actor['through'],
): Promise<api.Result<api.Yard>> {
  const open = (): Promise<Result<Project>> => openProject(folder, env, { through, name });
  const project = await answered(open());
  if (!project.ok) return project;
  const access = new Access(project.value, open, config);
  return ok({
    root: project.value.root,
    ...readsOf(access),
    ...changesOf(access),
    ...runsOf(access),
    close: () => project.value.git.close(),
  });
}

type Reads = Pick<
  api.Yard,
  | 'plan'
  | 'graph'
  | 'status'
  | 'why'
  | 'log'
  | 'diff'
  | 'runs'
  | 'summary'
  | 'ledger'
  | 'events'
  | 'config'
>;

function readsOf(access: Access): Reads {
  return {
    plan: (options = {}) => access.reading((opened) => planned(access, opened, options)),
    graph: () =>
      access.reading(async ({ store }) => {
        const tasks = await store.tasks();
        return tasks.ok ? ok(taskNodes(tasks.value)) : tasks;
      }),
    status: ({ run } = {}) => access.reading((opened) => fullStatus(opened, run)),
    why: (id) => access.reading((opened) => storyOf(opened, id)),
    log: (id, options = {}) => access.reading((opened) => logOf(opened, id, options)),
    diff: (id, attempt) =>
      access.reading(async (opened) => {
        const found = await diffOf(opened, id, attempt);
        if (!found.ok) return found;
        return ok({ ...found.value, patch: projectRedactor(opened).whole(found.value.patch) });
      }),
    runs: () => access.reading((opened) => listRuns(opened, { all: true })),
    summary: (run) => access.reading((opened) => summarize(opened, run)),
    ledger: (run) => access.reading((opened) => readLedger(opened, run)),
    events: (options = {}) => eventsOf(access, options),
    config: (keys) => told(configValues(access.project, keys)),
  };
}

async function planned(
  access: Access,
  opened: Opened,
  { sources, critic = 'known', signal = new AbortController().signal }: api.PlanOptions,
): Promise<Result<api.Planned, Failures>> {
  const incoming = await access.readSources(sources);
  if (!incoming.ok) return incoming;
  const config = projectConfig(opened, { flags: access.config });
  if (!config.ok) return config;
  const work = await planWork(opened, incoming.value.tasks);
  if (!work.ok) return work;
  const { plan, open } = work.value;
  const shown = { open, found: plan.found };
  const critique =
    critic === 'ask'
      ? await critiquePlan(opened, config.value, shown, { refresh: false, signal })
      : knownCritique(opened, config.value, shown);
  return ok({ ...plan, concerns: concernsAbout(critique, open.tasks.values()) });
}

async function storyOf(opened: Opened, id: string): Promise<Result<api.TaskStory>> {
  const found = await explainTask(opened, id);
  if (!found.ok) return found;
  const { record, view, steps, unblocks } = found.value;
  const history = historyLines(steps).map(({ failure, ...line }) => ({
    ...line,
    failure: failure && failureView(failure, id),
  }));
  const { task, messages = [] } = record;
  return ok({ view, task, messages, history, unblocks });
}

async function logOf(
  opened: Opened,
  id: string,
  { shows = 'newest', attempt, turn, bytes, raw = shows === 'gate' }: api.LogOptions,
): Promise<Result<api.TaskLog>> {
  const log = await findLog(opened, id, { shows, attempt, turn });
  if (!log.ok) return log;
  const files = await wholeLog(opened, log.value, { raw, bytes });
  return files.ok ? ok({ task: id, attempt: log.value.attempt, files: files.value }) : files;
}

async function* eventsOf(
  { project }: Access,
  { follow = false, signal = new AbortController().signal, ...asked }: api.EventsOptions,
): AsyncGenerator<api.Result<readonly api.LoggedEvent[]>, void, void> {
  try {
    for await (const page of readEvents(project, { ...asked, follow, signal })) yield told(page);
  } catch (error) {
    if (!(error instanceof Trouble)) throw error;
    yield told(fail(error.failure));
  }
}
