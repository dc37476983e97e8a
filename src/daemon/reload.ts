import { join } from 'node:path';
import { projectConfig } from '../app/config.ts';
import type { Environment, Opened } from '../app/ports.ts';
import { runConfig } from '../app/target.ts';
import type { Config } from '../config/config.ts';
import { projectFile } from '../config/keys.ts';
import type { Submission, Wishes } from '../model/daemon.ts';
import { formatDuration } from '../model/duration.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { settledAll } from '../model/trouble.ts';

type Values = Readonly<Record<string, string | number>>;

/** Keys of the daemon that differ, as sentences. */
export function changedKeys(before: Config['daemon'], now: Config['daemon']): readonly string[] {
  const shown = ({ jobs, spawnsPerTick, drainMs }: Config['daemon']): Values => ({
    'daemon.jobs': jobs,
    'daemon.spawns_per_tick': spawnsPerTick,
    'daemon.drain': formatDuration(drainMs),
  });
  return changes(shown(before), shown(now));
}

/** Keys of a run that differ, as sentences. */
export function changedWishes(root: string, before: Wishes, now: Wishes): readonly string[] {
  const shown = ({ jobs, spawnRate, priority }: Wishes): Values => ({
    jobs,
    spawn_rate: spawnRate,
    'daemon.priority': priority,
  });
  return changes(shown(before), shown(now), ` of the run of ${root}`);
}

function changes(before: Values, now: Values, of = ''): readonly string[] {
  return Object.entries(now).flatMap(([key, value]) =>
    before[key] === value ? [] : [`${key}${of} is ${value} now; it was ${before[key]}.`],
  );
}

type Reloaded = Result<Wishes, readonly Failure[]>;

/** Lets a run under way read its config again, and returns what it wants now. An invalid config changes nothing. */
export async function reloadRun(
  project: Pick<Opened, 'git' | 'root' | 'env' | 'store' | 'clock'>,
  { run, wishes }: Pick<Submission, 'run' | 'wishes'>,
  target: string | undefined,
): Promise<Reloaded> {
  const read = await settledAll(runConfig(project, target === undefined ? {} : { target }));
  if (!read.ok) return fail(read.failure.map((one) => inProject(project.root, one)));
  if (run !== undefined) {
    const stored = await project.store.append(project.clock.now(), [{ type: 'run-reloaded', run }]);
    if (!stored.ok) return fail([stored.failure]);
  }
  const { jobs, spawnRate, daemon } = read.value.config;
  const own = wishes.hasOwnJobs === true ? {} : { jobs };
  return ok({ ...wishes, ...own, spawnRate, priority: daemon.priority });
}

/** Problems with the config of a project without a run, whose schedules are read from it. */
export function idleProblems(root: string, env: Environment): readonly Failure[] {
  const read = projectConfig({ root, env });
  return read.ok ? [] : read.failure.map((one) => inProject(root, one));
}

/** Names the file of a project by its whole path: the caller may be in another project. */
function inProject(root: string, failure: Failure): Failure {
  if (failure.kind !== 'config-invalid' || !failure.file.startsWith(projectFile)) return failure;
  return { ...failure, file: join(root, failure.file) };
}
