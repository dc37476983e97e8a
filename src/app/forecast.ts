import { learnFiles } from '../graph/learned-files.ts';
import { agentMs, learnTimes, type PastTask } from '../graph/learned-times.ts';
import { changedFiles } from '../model/attempt-state.ts';
import { ok, type Result } from '../model/failure.ts';
import type { Forecast, LearnedFiles, LearnedTimes } from '../model/forecast.ts';
import { given } from '../model/given.ts';
import { limits } from '../model/limits.ts';
import type { TaskRecord } from '../model/task-record.ts';
import type { Git } from '../port/git.ts';
import type { Store } from '../port/store.ts';
import { reading } from './lookup.ts';
import type { Project } from './ports.ts';

/** What the past says about the tasks of a new run on top of `base`; undefined if it says nothing. */
export async function readForecast(
  project: Pick<Project, 'git' | 'openStore'>,
  known: readonly TaskRecord[],
  base: string,
): Promise<Result<Forecast | undefined>> {
  const times = await reading(project, (store) => learnedTimes(store, known));
  if (!times.ok) return times;
  const files = await learnedFiles(project.git, known, base);
  const isEmpty = times.value === undefined && files === undefined;
  return ok(isEmpty ? undefined : given({ times: times.value, files }));
}

/** Learns agent times from the newest attempts. */
export async function learnedTimes(
  store: Pick<Store, 'attempts'>,
  known: readonly TaskRecord[],
): Promise<Result<LearnedTimes | undefined>> {
  const attempts = await store.attempts({ newest: limits.forecastAttempts });
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

/** A history that git cannot read, as in some partial clones, teaches nothing and stops no run. */
async function learnedFiles(
  git: Pick<Git, 'changedTogether'>,
  known: readonly TaskRecord[],
  base: string,
): Promise<LearnedFiles | undefined> {
  const landed = known.flatMap(({ task, status, attempt }) => {
    const files = attempt === undefined ? [] : changedFiles(attempt);
    return status.id === 'landed' && files.length > 0 ? [{ task, files, at: status.at }] : [];
  });
  const newest = landed.sort((a, b) => b.at - a.at).slice(0, limits.forecastAttempts);
  const commits = await git.changedTogether(base, limits.forecastCommits);
  return learnFiles(newest, commits.ok ? commits.value : []);
}
