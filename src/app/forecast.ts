import { learnFiles } from '../graph/learned-files.ts';
import { agentMs, learnTimes, type PastTask } from '../graph/learned-times.ts';
import { changedFiles } from '../model/attempt-state.ts';
import { ok, type Result } from '../model/failure.ts';
import type { Forecast, LearnedFiles, LearnedTimes } from '../model/forecast.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { outcomeOf } from '../model/trouble.ts';
import type { Git } from '../port/git.ts';
import type { Store } from '../port/store.ts';
import { reading } from './lookup.ts';
import type { Project } from './ports.ts';

/** Newest attempts, and newest commits of the target, that are learned from. */
const attemptsRead = 500;
const commitsRead = 300;

/** Learns a forecast for a new run on top of `base`; undefined if there is too little history. */
export async function readForecast(
  project: Pick<Project, 'git' | 'openStore'>,
  known: readonly TaskRecord[],
  base: string,
): Promise<Result<Forecast | undefined>> {
  const times = await reading(project, (store) => learnedTimes(store, known));
  if (!times.ok) return times;
  const files = await learnedFiles(project.git, known, base);
  const isEmpty = times.value === undefined && files === undefined;
  return ok(isEmpty ? undefined : { times: times.value, files });
}

/** Learns agent times from the newest attempts. */
export async function learnedTimes(
  store: Pick<Store, 'attempts'>,
  known: readonly TaskRecord[],
): Promise<Result<LearnedTimes | undefined>> {
  const attempts = await store.attempts({ newest: attemptsRead });
  if (!attempts.ok) return attempts;
  const byId = new Map(known.map(({ task }) => [task.id, task]));
  const past = attempts.value.flatMap((attempt): PastTask[] => {
    const task = byId.get(attempt.task);
    const { id } = attempt.end;
    if (task === undefined || (id !== 'landed' && id !== 'delivered')) return [];
    return [{ task, agent: attempt.agent, ms: agentMs(attempt) }];
  });
  return ok(learnTimes(past));
}

/** If git cannot read the history, as in some partial clones, learns only from landed tasks. */
async function learnedFiles(
  git: Pick<Git, 'changedTogether'>,
  known: readonly TaskRecord[],
  base: string,
): Promise<LearnedFiles | undefined> {
  const landed = known.flatMap(({ task, status, attempt }) => {
    const files = attempt === undefined ? [] : changedFiles(attempt);
    return status.id === 'landed' && files.length > 0 ? [{ task, files, at: status.at }] : [];
  });
  const newest = landed.sort((a, b) => b.at - a.at).slice(0, attemptsRead);
  const commits = await outcomeOf(git.changedTogether(base, commitsRead));
  return learnFiles(newest, commits.ok ? commits.value : []);
}
