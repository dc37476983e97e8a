import type { Here, Opened } from '../app/ports.ts';
import {
  type DaemonRun,
  daemonLimits,
  type Submission,
  type SubmissionState,
} from '../model/daemon.ts';
import type { Failure, Result } from '../model/failure.ts';
import { given } from '../model/given.ts';
import { limits } from '../model/limits.ts';
import type { SlotChange } from '../model/run-record.ts';
import { type Claimant, fairPace, fairShares } from '../plan/share.ts';
import { isOfStore } from './projects.ts';
import type { RunChildren } from './run-children.ts';
import { type RunFacts, readFacts, verdictOn } from './run-facts.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface RunsOptions {
  readonly here: Pick<Here, 'clock' | 'env'>;
  readonly projects: {
    use<T>(
      root: string,
      work: (project: Pick<Opened, 'store'>) => Promise<Result<T>>,
    ): Promise<Result<T>>;
  };
  readonly children: Pick<RunChildren, 'start' | 'state' | 'output' | 'terminate' | 'forget'>;
  log(line: string): void;
  /** Turns a failure into one sentence. */
  sentence(failure: Failure): string;
}

/** A submitted run with what this process knows of it. */
interface Watched {
  readonly submission: Submission;
  readonly facts: RunFacts;
  /** Slots that the daemon gave it last, 0 if none. */
  readonly granted: number;
  /** Its last trouble, so that it is logged once. */
  readonly trouble?: string;
}

/** Limits that all runs share. */
export interface Pool {
  readonly jobs: number;
  readonly spawnsPerTick: number;
}

/** The submitted runs. Each is driven by a process of its own, so that a crash of one leaves the others alone. */
export class Runs {
  readonly #options: RunsOptions;
  readonly #watched = new Map<number, Watched>();
  readonly #ended = new Map<number, SubmissionState>();
  /** Environments of the callers. They may hold secrets, so no file gets them. */
  readonly #environments = new Map<number, Environment>();

  constructor(options: RunsOptions, submissions: readonly Submission[]) {
    this.#options = options;
    for (const one of submissions) this.#put(watchedOf(one));
  }

  get submissions(): readonly Submission[] {
    return [...this.#watched.values()].map(({ submission }) => submission);
  }

  add(submission: Submission, env: Environment): void {
    this.#environments.set(submission.number, env);
    this.#put(watchedOf(submission));
  }

  remove(number: number): void {
    this.#watched.delete(number);
    this.#environments.delete(number);
  }

  /** Changes what the runs of a project want. */
  wish(number: number, wishes: Submission['wishes']): void {
    const one = this.#watched.get(number);
    if (one !== undefined) this.#put({ ...one, submission: { ...one.submission, wishes } });
  }

  targetOf(number: number): string | undefined {
    return this.#watched.get(number)?.facts.run?.settings.target;
  }

  list(): readonly DaemonRun[] {
    return [...this.#watched.values()].map(({ submission, facts, granted }) => {
      const { number, root, wishes } = submission;
      const state = this.stateOf(number) ?? { id: 'queued' };
      return { number, root, wishes, state, jobs: granted, busy: facts.busy };
    });
  }

  stateOf(number: number): SubmissionState | undefined {
    const watched = this.#watched.get(number);
    if (watched === undefined) return this.#ended.get(number);
    const { owner, run } = watched.submission;
    if (owner === undefined) return { id: 'queued' };
    return run === undefined ? { id: 'starting' } : { id: 'running', run };
  }

  /** True while a process drives one of the runs. */
  get areDriven(): boolean {
    return [...this.#watched.values()].some(
      (one) => one.submission.owner !== undefined && !this.#isLost(one),
    );
  }

  /** True if the process of a run is gone, and its records cannot be read: it holds no slots until they can. */
  #isLost({ submission, trouble }: Watched): boolean {
    return trouble !== undefined && this.#options.children.state(submission).id !== 'alive';
  }

  /** Reads what became of every run. */
  async look(): Promise<void> {
    const { here, projects, log } = this.#options;
    const now = here.clock.now();
    const look = async (one: Watched): Promise<void> => {
      const { submission } = one;
      const facts = await projects.use(submission.root, (project) =>
        readFacts(project, submission),
      );
      if (!facts.ok) return this.#troubled(one, facts.failure);
      const { trouble, ...rest } = one;
      if (trouble !== undefined) log(`${nameOf(submission)}: its records can be read again`);
      this.#judge({ ...rest, facts: facts.value }, now);
    };
    await Promise.all([...this.#watched.values()].map(look));
  }

  /** A run waits for a store that cannot be read now. It waits for a project whose folder is gone while its process lives. */
  #troubled(one: Watched, failure: Failure): void {
    const { submission } = one;
    const trouble = this.#options.sentence(failure);
    if (trouble !== one.trouble) this.#options.log(`${nameOf(submission)}: ${trouble}`);
    const isAlive = this.#options.children.state(submission).id === 'alive';
    if (isAlive || isOfStore(failure)) this.#put({ ...one, trouble });
    else this.#end(submission, trouble);
  }

  #judge(one: Watched, now: number): void {
    const { children, log } = this.#options;
    const { facts } = one;
    const { run: _unknown, ...rest } = one.submission;
    const submission = { ...rest, ...given({ run: facts.run?.id ?? one.submission.run }) };
    const seen: Watched = { ...one, submission };
    const verdict = verdictOn(submission, children.state(submission), facts);
    switch (verdict.id) {
      case 'waits':
        return this.#put(seen);
      case 'runs': {
        if (one.submission.run === undefined && submission.run !== undefined)
          log(`${nameOf(submission)}: run ${submission.run} has started`);
        return this.#put(withUserSlots(seen));
      }
      case 'ended':
        return this.#end(submission, children.output(submission.number));
      case 'again': {
        const lived = now - (facts.run?.startedAt ?? now);
        const deaths = !verdict.trouble || lived > daemonLimits.healthyMs ? 0 : submission.deaths;
        return this.#again(seen, verdict.trouble ? deaths + 1 : 0, now);
      }
    }
  }

  /** Lets a run wait for a slot again, to be resumed. */
  #again({ submission }: Watched, deaths: number, now: number): void {
    const { owner, stopped: _stopped, ...rest } = submission;
    const name = nameOf(submission);
    if (deaths > daemonLimits.restarts) {
      this.#options.log(`${name}: its process died ${deaths} times; it is not resumed any more`);
      return this.#end(submission, this.#options.children.output(submission.number));
    }
    if (deaths > 0) this.#options.log(`${name}: process ${owner?.pid} died; it is resumed`);
    const retryAt = now + deaths * daemonLimits.restartPauseMs;
    const waits = { ...rest, deaths, ...(deaths > 0 ? { retryAt } : {}) };
    this.#put(watchedOf(waits));
  }

  #end(submission: Submission, output: string): void {
    const { number, run } = submission;
    const { children, log } = this.#options;
    const process = children.state(submission);
    const exit = process.id === 'gone' && (process.exit ?? -1) >= 0 ? process.exit : undefined;
    const how = exit === undefined ? '' : ` with exit status ${exit}`;
    log(
      `${nameOf(submission)}: ${run === undefined ? 'did not start' : `run ${run} has ended`}${how}`,
    );
    this.#ended.set(number, { id: 'ended', output, ...given({ run, exit }) });
    this.remove(number);
    const [oldest] = this.#ended.keys();
    if (this.#ended.size <= daemonLimits.endedKept || oldest === undefined) return;
    this.#ended.delete(oldest);
    children.forget(oldest);
  }

  /** Divides slots and agent starts: starts runs that wait, and changes the slots of those under way. */
  async share({ jobs, spawnsPerTick }: Pool): Promise<void> {
    const now = this.#options.here.clock.now();
    const all = [...this.#watched.values()].filter((one) => {
      const { owner, retryAt = 0 } = one.submission;
      if (owner !== undefined) return !this.#isLost(one);
      return now >= retryAt && one.trouble === undefined;
    });
    const shares = fairShares(jobs, all.map(claimantOf));
    const count = all.filter(({ submission }) => (shares.get(submission.number) ?? 0) > 0).length;
    for (const one of all) {
      const slots = Math.min(shares.get(one.submission.number) ?? 0, limits.jobsMax);
      const pace = fairPace(spawnsPerTick, count, one.submission.wishes.spawnRate);
      if (slots === 0) continue;
      if (one.submission.owner === undefined) await this.#start(one, slots, pace.starts);
      else await this.#adjust(one, slots, { id: 'pace', ...pace });
    }
  }

  async #start(one: Watched, slots: number, starts: number): Promise<void> {
    const { submission } = one;
    const { projects, children, here, log } = this.#options;
    const { run } = submission;
    const resumed = run ?? submission.resumes;
    if (resumed !== undefined) {
      // A resumed run has the slots it had; other runs may need them now.
      const change = { id: 'number', jobs: slots } as const;
      const event = { type: 'slots-changed', run: resumed, change } as const;
      const stored = await projects.use(submission.root, ({ store }) =>
        store.append(here.clock.now(), [event]),
      );
      if (!stored.ok) return this.#troubled(one, stored.failure);
    }
    const first = [...submission.words, ...(resumed === undefined ? ['--jobs', `${slots}`] : [])];
    const words = run === undefined ? first : ['resume', run];
    const env = { ...this.#environmentOf(submission), YARDMASTER_SPAWN_RATE: `${starts}` };
    const owner = await children.start(submission, [...words, '--foreground'], env);
    if (!owner.ok) return this.#troubled(one, owner.failure);
    const { retryAt: _now, ...rest } = submission;
    log(`${nameOf(submission)}: process ${owner.value.pid} has started with ${slots} slots`);
    this.#put({ ...one, submission: { ...rest, owner: owner.value }, granted: slots });
  }

  #environmentOf(submission: Submission): Environment {
    const own = this.#environments.get(submission.number);
    if (own !== undefined) return own;
    const { here, log } = this.#options;
    log(
      `${nameOf(submission)}: it gets the environment of the daemon, because that of its shell ended with the daemon before`,
    );
    return { ...here.env, ...given({ PATH: submission.path }) };
  }

  async #adjust(one: Watched, slots: number, pace: SlotChange): Promise<void> {
    const { submission, facts } = one;
    const { run } = facts;
    if (run === undefined || pace.id !== 'pace') return;
    const { settings } = run;
    const isPaced =
      settings.spawnRate === pace.starts &&
      (settings.spawnWindowMs ?? limits.spawnWindowMs) === pace.windowMs;
    const changes: SlotChange[] = [
      ...(settings.jobs === slots ? [] : [{ id: 'number', jobs: slots } as const]),
      ...(isPaced ? [] : [pace]),
    ];
    if (changes.length === 0) return this.#put({ ...one, granted: slots });
    const { projects, here } = this.#options;
    const changed = await projects.use(submission.root, ({ store }) =>
      store.append(
        here.clock.now(),
        changes.map((change) => ({ type: 'slots-changed', run: run.id, change })),
      ),
    );
    if (!changed.ok) return this.#troubled(one, changed.failure);
    this.#put({ ...one, granted: slots });
    if (settings.jobs !== slots) this.#options.log(`${nameOf(submission)}: ${slots} slots`);
  }

  /** Asks every run under way to stop. Returns true if none is driven any more. */
  async stop(how: 'finish' | 'now'): Promise<boolean> {
    for (const one of [...this.#watched.values()]) {
      const { submission, facts } = one;
      const { owner, run } = submission;
      if (owner === undefined) continue;
      this.#put({ ...one, submission: { ...submission, stopped: true } });
      const phase = facts.run?.phase;
      const asked = phase === undefined || phase.id === 'ended' ? undefined : phase.stopAsked;
      if (run === undefined && how === 'now') this.#options.children.terminate(owner);
      if (run === undefined || asked === how || asked === 'now') continue;
      const event = { type: 'stop-asked', run, how, by: '`ym daemon stop`' } as const;
      const { here, projects } = this.#options;
      const stored = await projects.use(submission.root, ({ store }) =>
        store.append(here.clock.now(), [event]),
      );
      if (!stored.ok) this.#troubled(one, stored.failure);
    }
    return !this.areDriven;
  }

  #put(one: Watched): void {
    this.#watched.set(one.submission.number, one);
  }
}

const nameOf = ({ number, root }: Submission): string => `submission ${number} of ${root}`;

function watchedOf(submission: Submission): Watched {
  return { submission, facts: { busy: 0, demand: 0 }, granted: 0 };
}

/** A number of slots that the user set with `ym slots` replaces the wish of the run. */
function withUserSlots(one: Watched): Watched {
  const jobs = one.facts.run?.settings.jobs;
  if (jobs === undefined || one.granted === 0 || one.granted === jobs) {
    return jobs === undefined ? one : { ...one, granted: jobs };
  }
  const wishes = { ...one.submission.wishes, jobs, hasOwnJobs: true as const };
  return { ...one, granted: jobs, submission: { ...one.submission, wishes } };
}

function claimantOf({ submission, facts, granted }: Watched): Claimant {
  const { number, wishes, owner } = submission;
  return {
    id: number,
    priority: wishes.priority,
    wanted: wishes.jobs,
    demand: facts.run === undefined ? wishes.jobs : facts.demand,
    granted: owner === undefined ? 0 : Math.max(1, granted),
    busy: facts.busy,
  };
}
