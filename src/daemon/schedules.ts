import { projectConfig } from '../app/config.ts';
import { activeRun } from '../app/lookup.ts';
import type { Opened } from '../app/ports.ts';
import { addTask } from '../app/tasks.ts';
import type { Config } from '../config/config.ts';
import type { Schedule } from '../config/daemon-keys.ts';
import { type DaemonState, daemonLimits, type Wishes } from '../model/daemon.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import type { TaskId } from '../model/task.ts';
import { stateOf, type TaskRecord } from '../model/task-record.ts';
import { dueFiring, isOfSchedule, nextFirings, scheduledTask } from './schedule.ts';

type Project = Pick<Opened, 'root' | 'env' | 'store' | 'clock' | 'self' | 'isAlive'>;

interface SchedulesOptions {
  readonly now: () => number;
  readonly projects: {
    use<T>(root: string, work: (project: Project) => Promise<Result<T>>): Promise<Result<T>>;
  };
  readonly state: {
    readonly value: DaemonState;
    save(changes: Partial<DaemonState>): Result<void>;
  };
  log(line: string): void;
  sentence(failure: Failure): string;
}

interface ScheduledRun {
  readonly root: string;
  readonly words: readonly string[];
  readonly wishes: Wishes;
}

/** Adds the tasks of schedules at their times. A firing adds its task once, also if the daemon dies meanwhile. */
export class Schedules {
  readonly #options: SchedulesOptions;
  readonly #troubles = new Map<string, string>();
  /** The last valid config of each project. */
  readonly #valid = new Map<string, Config>();

  constructor(options: SchedulesOptions) {
    this.#options = options;
  }

  /** Adds the tasks that are due, and returns when to look again; undefined if no project is followed. */
  async fire(): Promise<number | undefined> {
    const { state, now } = this.#options;
    if (state.value.projects.length === 0) return undefined;
    let next = now() + daemonLimits.scheduleMs;
    for (const root of state.value.projects) {
      this.#config(root);
      for (const [name, schedule] of Object.entries(this.#valid.get(root)?.schedules ?? {})) {
        await this.#follow(root, name, schedule);
        const [at] = nextFirings(schedule, now()) ?? [];
        next = Math.min(next, at ?? next);
      }
    }
    return next;
  }

  /** Reads the config of a project; undefined if it is invalid. Its schedules stay as they were then. */
  #config(root: string): Config | undefined {
    const config = projectConfig({ root, env: process.env });
    const trouble = config.ok ? '' : config.failure.map(this.#options.sentence).join(' ');
    this.#trouble(`schedules of ${root} are not read`, trouble);
    if (!config.ok) return undefined;
    this.#valid.set(root, config.value);
    return config.value;
  }

  /** Logs what is wrong, once. */
  #trouble(what: string, why: string): void {
    if (why !== '' && why !== this.#troubles.get(what)) this.#options.log(`${what}: ${why}`);
    this.#troubles.set(what, why);
  }

  async #follow(root: string, name: string, schedule: Schedule): Promise<void> {
    const { state, now, log, sentence } = this.#options;
    const key = `${root} ${name}`;
    const since = state.value.fired[key];
    const at = since === undefined ? now() : dueFiring(schedule, since, now());
    if (at === undefined) return;
    if (since !== undefined) {
      const task = scheduledTask(name, schedule, at);
      const added = await this.#options.projects.use(root, (project) =>
        addScheduled(project, name, task, schedule),
      );
      // Tried again at the next look, because nothing was added.
      const what = `schedule ${name} of ${root}`;
      this.#trouble(what, added.ok ? '' : sentence(added.failure));
      if (!added.ok) return;
      log(`${what}: ${added.value}`);
      if (added.value === `added ${task}`)
        state.save({ due: [...state.value.due, { root, task }] });
    }
    state.save({ fired: { ...state.value.fired, [key]: at } });
  }

  /** State of an added task: it waits for a run that is active, or is open or done. */
  #next({ root, task }: DaemonState['due'][number]): Promise<Result<'waits' | 'open' | 'done'>> {
    return this.#options.projects.use(root, async (project) => {
      const active = await activeRun(project);
      if (!active.ok) return active;
      if (active.value !== undefined) return ok('waits');
      const record = await project.store.task(task);
      return record.ok ? ok(record.value?.status.id === 'open' ? 'open' : 'done') : record;
    });
  }

  /** Runs for added tasks that no run of their project works on. */
  async runs(busy: ReadonlySet<string>): Promise<readonly ScheduledRun[]> {
    const { state } = this.#options;
    const waiting: DaemonState['due'][number][] = [];
    const tasks = new Map<string, { readonly config: Config; readonly ids: TaskId[] }>();
    for (const one of state.value.due) {
      // A run with an invalid config would be refused.
      const config = busy.has(one.root) ? undefined : this.#config(one.root);
      const next = config && (await this.#next(one));
      if (config === undefined || !next?.ok || next.value === 'waits') waiting.push(one);
      else if (next.value === 'open') {
        tasks.set(one.root, { config, ids: [...(tasks.get(one.root)?.ids ?? []), one.task] });
      }
    }
    if (waiting.length !== state.value.due.length) state.save({ due: waiting });
    return [...tasks].map(([root, { config, ids }]) => {
      const { jobs, spawnRate, daemon } = config;
      const words = ['run', ...ids.map((id) => `--only=${id}`), '--yes', '--skip-plan'];
      return { root, words, wishes: { jobs, spawnRate, priority: daemon.priority } };
    });
  }
}

/** Adds the task of a firing, unless it was added before or an earlier one is still open. */
async function addScheduled(
  project: Project,
  name: string,
  id: TaskId,
  { task }: Schedule,
): Promise<Result<string>> {
  const known = await project.store.tasks();
  if (!known.ok) return known;
  const mine = known.value.filter((record) => isOfSchedule(name, record.task.id));
  if (mine.some((record) => record.task.id === id)) return ok(`${id} was added before`);
  const open = mine.find(isUnfinished);
  if (open !== undefined) {
    return ok(`skipped ${id}, because ${open.task.id} is still ${stateOf(open)}`);
  }
  const added = await addTask(project, { ...task, id });
  if (added.ok) return ok(`added ${id}`);
  const [failure = { kind: 'other', message: 'no reason was given' } as const] = added.failure;
  return fail(failure);
}

function isUnfinished({ status }: TaskRecord): boolean {
  return status.id === 'open' || status.id === 'blocked';
}
