import { join } from 'node:path';
import { projectConfig } from '../app/config.ts';
import type { Here, Opened } from '../app/ports.ts';
import { runConfig } from '../app/target.ts';
import type { Config } from '../config/config.ts';
import { projectFile } from '../config/keys.ts';
import {
  type DaemonAnswer,
  type DaemonRequest,
  daemonLimits,
  type Submission,
  type Wishes,
} from '../model/daemon.ts';
import { defined } from '../model/defined.ts';
import { formatDuration } from '../model/duration.ts';
import { type Failure, fail, ok, type Result, unreachable, usage } from '../model/failure.ts';
import { caught, settledAll } from '../model/trouble.ts';
import { checkStore, checkWords, passedOn } from './environment.ts';
import { Projects } from './projects.ts';
import { RunChildren } from './run-children.ts';
import { type Environment, Runs } from './runs.ts';
import { Schedules } from './schedules.ts';
import type { StateFile } from './state-file.ts';

interface DaemonOptions {
  readonly here: Here;
  readonly dir: string;
  readonly version: string;
  readonly state: StateFile;
  readonly config: Config['daemon'];
  log(line: string): void;
  sentence(failure: Failure): string;
}

type NewRun = Omit<Extract<DaemonRequest, { readonly ask: 'submit' }>, 'ask' | 'env'> & {
  readonly env: Environment;
};

const program = [process.execPath, process.argv[1] ?? 'ym'] as const;

/** Drives submitted runs of several projects until it is stopped. Without runs it only reads schedules. */
export class Daemon {
  readonly #options: DaemonOptions;
  readonly #projects = new Projects();
  readonly #children: RunChildren;
  readonly #runs: Runs;
  readonly #schedules: Schedules;
  readonly #since: number;
  #config: Config['daemon'];
  #stopping: { readonly how: 'finish' | 'now'; readonly until: number } | undefined;
  /** When schedules are looked at again; never if no project is followed. */
  #firesAt = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Requests and ticks, one after the other. */
  #turn: Promise<unknown> = Promise.resolve();
  #end: () => void = () => {};
  /** Resolves after the daemon was asked to stop and no run is driven any more. */
  readonly ended: Promise<void>;

  constructor(options: DaemonOptions) {
    this.#options = options;
    this.#config = options.config;
    const { here, dir, state, log, sentence } = options;
    this.#since = here.clock.now();
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    const { host } = here.self();
    const onEnd = (): void => this.#wake(0);
    this.#children = new RunChildren({ dir, host, program, onEnd });
    const children = this.#children;
    const projects = this.#projects;
    this.#runs = new Runs({ here, projects, children, log, sentence }, state.value.submissions);
    const now = here.clock.now;
    this.#schedules = new Schedules({ now, projects, state, log, sentence });
    this.#wake(0);
  }

  answer(request: DaemonRequest): Promise<Result<DaemonAnswer>> {
    return this.#inTurn(() => this.#answer(request));
  }

  /** Ends all runs: after the current turns, or now. The next daemon resumes them. */
  stop(how: 'finish' | 'now'): void {
    const before = this.#stopping?.how;
    if (before === 'now' || before === how) return;
    const wait = how === 'now' ? daemonLimits.stopNowMs : this.#config.drainMs;
    this.#stopping = { how, until: this.#options.here.clock.now() + wait };
    const text = how === 'now' ? 'agents are stopped now' : 'agents finish their turns';
    this.#options.log(`the daemon stops: ${text}`);
    this.#wake(0);
  }

  async #answer(request: DaemonRequest): Promise<Result<DaemonAnswer>> {
    switch (request.ask) {
      case 'status':
        return ok(this.#status());
      case 'enroll':
        return this.#enroll(request.root);
      case 'submit':
        return this.#submit(request);
      case 'submission': {
        const state = this.#runs.stateOf(request.number);
        if (state !== undefined) return ok({ answer: 'submission', state });
        return usage(`the daemon knows no submission ${request.number}`, 'See `ym daemon status`.');
      }
      case 'stop':
        this.stop(request.how);
        return ok({ answer: 'done' });
      case 'reload':
        return ok({ answer: 'reloaded', ...(await this.#reload()) });
      default:
        return unreachable(request);
    }
  }

  #status(): DaemonAnswer {
    const { version, here, state } = this.#options;
    const { jobs, spawnsPerTick } = this.#config;
    return {
      answer: 'status',
      version,
      owner: here.self(),
      since: this.#since,
      jobs,
      spawnsPerTick,
      stopping: this.#stopping?.how,
      projects: state.value.projects,
      runs: this.#runs.list(),
    };
  }

  async #enroll(root: string): Promise<Result<DaemonAnswer>> {
    const project = await this.#projects.use(root, async () => ok(undefined));
    if (!project.ok) return project;
    this.#firesAt = 0;
    this.#wake(0);
    const { projects } = this.#options.state.value;
    const saved = projects.includes(root)
      ? ok(undefined)
      : this.#save({ projects: [...projects, root] });
    return saved.ok ? ok({ answer: 'done' }) : saved;
  }

  async #submit(
    request: Extract<DaemonRequest, { readonly ask: 'submit' }>,
  ): Promise<Result<DaemonAnswer>> {
    if (this.#stopping !== undefined) {
      return usage('the daemon is stopping', 'Start it again with `ym daemon start`.');
    }
    const allowed = checkWords(request.words);
    if (!allowed.ok) return allowed;
    const same = checkStore(request.env, this.#options.here.env);
    if (!same.ok) return same;
    const enrolled = await this.#enroll(request.root);
    if (!enrolled.ok) return enrolled;
    const { env, dropped } = passedOn(request.env);
    const added = await this.#add({ ...request, env });
    for (const name of dropped) {
      this.#options.log(`the run does not get ${name} of its caller, because it loads code`);
    }
    return added;
  }

  /** Adds a run, and starts it if a slot is free. */
  async #add(request: NewRun): Promise<Result<DaemonAnswer>> {
    const { root, words, wishes, env, resumes } = request;
    const idle = resumes === undefined ? ok(undefined) : this.#runs.checkIdle(root, resumes);
    if (!idle.ok) return idle;
    const number = this.#options.state.value.last + 1;
    const { input: text } = request;
    const input = text === undefined ? ok(undefined) : this.#children.keepInput(number, text);
    if (!input.ok) return input;
    const askedAt = this.#options.here.clock.now();
    const kept = { input: input.value, resumes, path: env.PATH };
    const more = { askedAt, deaths: 0, ...defined(kept) };
    const submission: Submission = { number, root, words, wishes, ...more };
    this.#runs.add(submission, env);
    const saved = this.#save({ last: number });
    if (!saved.ok) {
      this.#runs.remove(number);
      return saved;
    }
    this.#options.log(`submission ${number} of ${root}: ym ${words.join(' ')}`);
    await this.#runs.share(this.#config);
    this.#save();
    this.#wake(0);
    return ok({ answer: 'submitted', number });
  }

  /** Applies the config as it is now: the keys of the daemon, then those of each run under way. */
  async #reload(): Promise<{ changes: readonly string[]; problems: readonly Failure[] }> {
    const { here, dir, log, sentence, state } = this.#options;
    const changes: string[] = [];
    const problems: Failure[] = [];
    const own = projectConfig({ root: dir, env: here.env });
    if (!own.ok) problems.push(...own.failure);
    else {
      changes.push(...changedKeys(this.#config, own.value.daemon));
      this.#config = own.value.daemon;
      for (const submission of this.#runs.submissions) {
        const { number, root, wishes } = submission;
        const target = this.#runs.targetOf(number);
        const read = await this.#projects.use(root, async (project) =>
          ok(await reloadRun(project, submission, target)),
        );
        const now = read.ok ? read.value : fail([read.failure]);
        if (!now.ok) problems.push(...now.failure);
        else {
          this.#runs.wish(number, now.value);
          changes.push(...changedWishes(root, wishes, now.value));
          changes.push(`The run of ${root} uses its limits and agents as they are now.`);
        }
      }
      const busy = new Set(this.#runs.submissions.map(({ root }) => root));
      const idle = state.value.projects.filter((root) => !busy.has(root));
      problems.push(...idle.flatMap((root) => idleProblems(root, here.env)));
    }
    this.#firesAt = 0;
    for (const change of changes) log(`reload: ${change}`);
    for (const problem of problems) log(`reload: this file is ignored. ${sentence(problem)}`);
    this.#wake(0);
    return { changes, problems };
  }

  async #tick(): Promise<void> {
    await this.#runs.look();
    const stopping = this.#stopping;
    if (stopping === undefined) {
      await this.#schedule();
      await this.#runs.share(this.#config);
    }
    if (stopping !== undefined && (await this.#hasStopped(stopping))) {
      this.#save();
      await this.#projects.keepOnly(new Set());
      return this.#end();
    }
    this.#save();
    const roots = new Set(this.#runs.submissions.map(({ root }) => root));
    await this.#projects.keepOnly(roots);
    const isBusy = roots.size > 0 || this.#stopping !== undefined;
    const pause = this.#firesAt - this.#options.here.clock.now();
    const ms = Math.min(isBusy ? daemonLimits.tickMs : pause, Math.max(0, pause));
    if (Number.isFinite(ms)) this.#wake(ms);
  }

  /** Adds tasks of schedules that are due, and runs for them. */
  async #schedule(): Promise<void> {
    const now = this.#options.here.clock.now();
    if (now < this.#firesAt) return;
    const next = await this.#schedules.fire();
    const busy = new Set(this.#runs.submissions.map(({ root }) => root));
    for (const run of await this.#schedules.runs(busy)) {
      await this.#add({ ...run, env: this.#options.here.env });
    }
    const isDue = this.#options.state.value.due.length > 0;
    const again = isDue ? now + daemonLimits.scheduleMs : Number.POSITIVE_INFINITY;
    this.#firesAt = Math.min(next ?? again, again);
  }

  /** Agents that take too long are stopped, and runs that do not end then are left to the next daemon. */
  async #hasStopped({ how, until }: { how: 'finish' | 'now'; until: number }): Promise<boolean> {
    if (await this.#runs.stop(how)) return true;
    if (this.#options.here.clock.now() < until) return false;
    if (how === 'finish') this.stop('now');
    return how === 'now';
  }

  #save(changes: Partial<StateFile['value']> = {}): Result<void> {
    const { state, log, sentence } = this.#options;
    const saved = state.save({ ...changes, submissions: this.#runs.submissions });
    if (!saved.ok) log(sentence(saved.failure));
    return saved;
  }

  #wake(ms: number): void {
    clearTimeout(this.#timer);
    const tick = (): void => {
      this.#inTurn(() => this.#tick()).catch((error: unknown) => {
        // A bug in one tick must not end the daemon: runs of other projects depend on it.
        this.#options.log(this.#options.sentence(caught(error)));
        this.#wake(daemonLimits.tickMs);
      });
    };
    this.#timer = setTimeout(tick, ms);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.then(
      () => undefined,
      () => undefined,
    );
    return done;
  }
}

type Values = Readonly<Record<string, string | number>>;

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
async function reloadRun(
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
function idleProblems(root: string, env: Environment): readonly Failure[] {
  const read = projectConfig({ root, env });
  return read.ok ? [] : read.failure.map((one) => inProject(root, one));
}

/** Names the file of a project by its whole path: the caller may be in another project. */
function inProject(root: string, failure: Failure): Failure {
  if (failure.kind !== 'config-invalid' || !failure.file.startsWith(projectFile)) return failure;
  return { ...failure, file: join(root, failure.file) };
}
