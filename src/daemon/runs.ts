import type { Here, Liveness, Opened } from '../app/ports.ts';
import {
  type DaemonRun,
  daemonLimits,
  type Submission,
  type SubmissionState,
} from '../model/daemon.ts';
import { defined } from '../model/defined.ts';
import { type Failure, fail, ok, type Result, usage } from '../model/failure.ts';
import { isSameOwner } from '../model/lease.ts';
import { limits } from '../model/limits.ts';
import type { Owner } from '../model/run.ts';
import type { SlotChange } from '../model/run-record.ts';
import { settled } from '../model/trouble.ts';
import { type Claimant, fairPace, fairShares } from '../plan/share.ts';
import { counted } from '../report/format/amount.ts';
import { isOfStore } from './projects.ts';
import type { RunChildren } from './run-children.ts';
import { type RunFacts, readFacts, verdictOn } from './run-facts.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

interface RunsOptions {
  readonly here: Liveness & Pick<Here, 'env'>;
  readonly projects: {
    use<T>(
      root: string,
      work: (project: Pick<Opened, 'store'>) => Promise<Result<T>>,
    ): Promise<Result<T>>;
  };
  readonly children: Pick<RunChildren, 'start' | 'state' | 'output' | 'terminate' | 'forget'>;
  log(line: string): void;
  sentence(failure: Failure): string;
}

/** A submitted run with what this process knows of it. */
interface Watched {
  readonly submission: Submission;
  readonly facts: RunFacts;
  /** Slots that the daemon gave it last, 0 if none. */
  readonly granted: number;
  /** The process that the daemon did not start and that drives the run: the daemon only watches it. */
  readonly elsewhere?: Owner;
  /** Its last trouble, so that it is logged once. */
  readonly trouble?: string;
}

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

  /** Fails for a run that a submission drives or will drive: a second process would take slots before it is refused. */
  checkIdle(root: string, run: string): Result<void> {
    const other = [...this.#watched.values()].find(
      ({ submission: one }) => one.root === root && (one.run === run || one.resumes === run),
    );
    if (other === undefined) return ok(undefined);
    const driver = other.elsewhere ?? other.submission.owner;
    if (driver !== undefined) {
      const { pid, host } = driver;
      return fail({ kind: 'run-alive', run, pid, host });
    }
    return usage(
      `the daemon will resume run ${run} when a slot is free`,
      'See `ym daemon status`; `ym watch` shows the run.',
    );
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
    const { elsewhere: driver, submission } = watched;
    const { owner, run } = submission;
    if (driver !== undefined && run !== undefined) return { id: 'elsewhere', run, driver };
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

  async look(): Promise<void> {
    const { here, projects, log } = this.#options;
    const now = here.clock.now();
    const look = async (one: Watched): Promise<void> => {
      const { submission } = one;
      const facts = await projects.use(submission.root, (project) =>
        readFacts(here, project, submission),
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
    const { elsewhere, ...watched } = one;
    const { facts } = one;
    const { run: _unknown, ...rest } = one.submission;
    const submission = { ...rest, run: facts.run?.id ?? one.submission.run };
    const seen: Watched = { ...watched, submission };
    const verdict = verdictOn(submission, children.state(submission), facts);
    switch (verdict.id) {
      case 'waits':
        // The daemon pauses after a death elsewhere: another standby may take over first.
        return elsewhere === undefined
          ? this.#put(seen)
          : this.#again({ ...seen, submission: { ...submission, owner: elsewhere } }, true, now);
      case 'elsewhere':
        return this.#watchElsewhere(one, submission, verdict.driver);
      case 'runs': {
        if (one.submission.run === undefined && submission.run !== undefined)
          log(`${nameOf(submission)}: run ${submission.run} has started`);
        return this.#put(withUserSlots(seen));
      }
      case 'ended':
        return this.#end(submission, this.#outputOf(submission));
      case 'again':
        return this.#again(seen, verdict.trouble, now);
    }
  }

  /** Watches a run that a process of the user drives. It gets no slots from the daemon, which does not stop it. */
  #watchElsewhere(one: Watched, submission: Submission, driver: Owner): void {
    const { owner: _gone, stopped: _stopped, retryAt: _later, ...rest } = submission;
    if (!isSameOwner(one.elsewhere, driver)) {
      const { pid, host } = driver;
      this.#options.log(`${nameOf(submission)}: process ${pid} on ${host} drives run ${rest.run}`);
    }
    const granted = one.facts.run?.settings.jobs ?? 0;
    this.#put({ ...one, submission: rest, granted, elsewhere: driver });
  }

  /** Output of the daemon's process; a run that ended elsewhere has none. */
  #outputOf({ number, owner }: Submission): string {
    return owner === undefined ? '' : this.#options.children.output(number);
  }

  /** Lets a run wait for a slot again, to be resumed. */
  #again({ submission, facts }: Watched, trouble: boolean, now: number): void {
    const { owner, ...rest } = submission;
    const lived = now - (facts.run?.startedAt ?? now);
    const before = lived > daemonLimits.healthyMs ? 0 : submission.deaths;
    const deaths = trouble ? before + 1 : 0;
    const name = nameOf(submission);
    if (deaths > daemonLimits.restarts) {
      this.#options.log(
        `${name}: its process died ${counted(deaths, 'time')}; it is not resumed any more`,
      );
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
    this.#ended.set(number, { id: 'ended', output, run, exit });
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
      return now >= retryAt && one.trouble === undefined && one.elsewhere === undefined;
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
    const { children, log } = this.#options;
    const { run } = submission;
    const resumed = run ?? submission.resumes;
    if (resumed !== undefined) {
      const facts = await this.#grant(submission.root, resumed, slots);
      if (!facts.ok) return this.#troubled(one, facts.failure);
      const { driver } = facts.value;
      const taken = { ...submission, run: resumed };
      if (driver !== undefined)
        return this.#watchElsewhere({ ...one, facts: facts.value }, taken, driver);
    }
    const first = [...submission.words, ...(resumed === undefined ? ['--jobs', `${slots}`] : [])];
    const words = run === undefined ? first : ['resume', run];
    const env = { ...this.#environmentOf(submission), YARDMASTER_SPAWN_RATE: `${starts}` };
    const owner = await settled(children.start(submission, [...words, '--foreground'], env));
    if (!owner.ok) return this.#troubled(one, owner.failure);
    const { retryAt: _now, stopped: _before, ...rest } = submission;
    log(`${nameOf(submission)}: process ${owner.value.pid} has started with ${slots} slots`);
    this.#put({ ...one, submission: { ...rest, owner: owner.value }, granted: slots });
  }

  /**
   * Sets the slots of a run before it is resumed: it has those it had, and other runs may need them now. A run that a
   * process has taken since the daemon last looked stays as it is; the facts name that process.
   */
  #grant(root: string, run: string, jobs: number): Promise<Result<RunFacts>> {
    const { here, projects } = this.#options;
    return projects.use(root, async (project) => {
      const facts = await readFacts(here, project, { run });
      if (!facts.ok || facts.value.driver !== undefined) return facts;
      const change = { id: 'number', jobs } as const;
      const event = { type: 'slots-changed', run, change } as const;
      const stored = await project.store.append(here.clock.now(), [event]);
      return stored.ok ? facts : stored;
    });
  }

  #environmentOf(submission: Submission): Environment {
    const own = this.#environments.get(submission.number);
    if (own !== undefined) return own;
    const { here, log } = this.#options;
    log(
      `${nameOf(submission)}: it gets the environment of the daemon, because that of its shell ended with the daemon before`,
    );
    return { ...here.env, ...defined({ PATH: submission.path }) };
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
