import { Journal } from '../engine/journal.ts';
import type { Event } from '../model/event.ts';
import { ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { RunId } from '../model/run.ts';
import { hasEnded, type LeasedRun, lastSignOf } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { outcomeOf } from '../model/trouble.ts';
import { State } from '../plan/state.ts';
import type { View } from '../report/view/view.ts';
import { comparedTasks } from './landings.ts';
import { type Seen, viewer } from './live.ts';
import { driverOf, isUnderWay, runsUnderWay, runToShow } from './liveness.ts';
import { runNamed } from './lookup.ts';
import { stepEvents, stepsOnce } from './moment.ts';
import type { Opened } from './ports.ts';
import { type RunStep, RunSteps } from './run-steps.ts';

type Ports = Pick<Opened, 'store' | 'git' | 'clock' | 'self' | 'isAlive' | 'lastActions'>;

/** Times between two reads of the locks of runs, and between two comparisons of the target with the landings. */
const runsMs = 2_000;
const targetMs = 2_000;

/**
 * Keeps the records of a project in memory and reads only new events, for displays that show it while it changes. It
 * shows the run that `ym status` shows, or the named one. The process that drives the run may be another.
 */
export class Follower {
  readonly state = new State();
  readonly #ports: Ports;
  readonly #makeView: (seen: Seen) => View;
  readonly #named: RunId | undefined;
  readonly #journal: Journal;
  readonly #steps = new Map<RunId, RunSteps>();
  #news: RunStep[] = [];
  #leases = new Map<RunId, LeasedRun>();
  #run: LeasedRun | undefined;
  #compared: readonly TaskRecord[] | undefined;
  #targetCommit: string | undefined;
  /** Runs whose process was alive before the last events were read: the end of a run may be stored since. */
  #alive: ReadonlySet<RunId> = new Set();
  #due = { runs: 0, target: 0 };

  private constructor(
    ports: Ports,
    makeView: (seen: Seen) => View,
    first: LeasedRun | undefined,
    named: RunId | undefined,
  ) {
    this.#ports = ports;
    this.#makeView = makeView;
    this.#named = named;
    const { store, clock } = ports;
    this.#journal = new Journal(store, clock, first?.id ?? '', this.state, (event) =>
      this.#observe(event),
    );
  }

  /** Loads the project. `name` is a run as `ym runs` lists it; absent, the run to show is chosen again at each refresh. */
  static async open(ports: Ports, name?: string): Promise<Result<Follower>> {
    const { store } = ports;
    const named = name === undefined ? ok(undefined) : await runNamed(store, name);
    if (!named.ok) return named;
    const runs = await store.runs(limits.runsListed);
    if (!runs.ok) return runs;
    const live = await store.live();
    if (!live.ok) return live;
    const first = named.value ?? runToShow(ports, runs.value, live.value);
    const view = await viewer(ports);
    const follower = new Follower(ports, view, first, named.value?.id);
    for (const run of runs.value) follower.state.putRun(run);
    const loaded = await follower.#journal.load();
    if (!loaded.ok) return loaded;
    const refreshed = await follower.refresh();
    return refreshed.ok ? ok(follower) : refreshed;
  }

  /** Number of the newest event that was read. */
  get seq(): number {
    return this.#journal.seq;
  }

  get run(): RunId | undefined {
    return this.#run?.id;
  }

  /** Reads what was stored since the last call, and returns the new steps of the run that is shown. */
  async refresh(): Promise<Result<readonly RunStep[]>> {
    const before = this.seq;
    this.#alive = new Set(runsUnderWay(this.#ports, [...this.#leases.values()]));
    const read = await this.#journal.refresh();
    if (!read.ok) return read;
    const now = this.#ports.clock.now();
    const changed = before !== this.seq;
    if (changed || now >= this.#due.runs) {
      const runs = await this.#readRuns(now);
      if (!runs.ok) return runs;
    }
    const isStale = changed && this.#compared !== undefined;
    if (isStale || now >= this.#due.target) await this.#compareTarget(now);
    const news = this.#news.filter(({ event }) => !('run' in event) || event.run === this.#run?.id);
    this.#news = [];
    return ok(news);
  }

  /** The last steps of the run that is shown: up to its end, or to the newest event that was read. */
  async earlierSteps(signal: AbortSignal): Promise<Result<readonly RunStep[]>> {
    if (this.#run === undefined) return ok([]);
    const { id, phase } = this.#run;
    const seq = (phase.id === 'ended' ? phase.seq : undefined) ?? this.seq;
    return stepsOnce(this.#ports.store, { run: id, seq, count: stepEvents }, signal);
  }

  view(): View {
    const { self } = this.#ports;
    const underWay = [...this.#leases.values()].filter(
      (run) => !hasEnded(run) && (this.#alive.has(run.id) || isUnderWay(this.#ports, run)),
    );
    const record = this.#run && (this.state.run(this.#run.id) ?? this.#run);
    const driven = this.#run && {
      driver: driverOf({ self }, this.#run),
      lastSignAt: lastSignOf(this.#run),
    };
    return this.#makeView({
      state: this.state,
      underWay: underWay.map(({ id }) => id),
      ...(record === undefined || driven === undefined ? {} : { run: { record, ...driven } }),
      tasks: this.#compared,
      targetCommit: this.#targetCommit,
    });
  }

  /** Locks tell which runs are under way on other machines, and are no events. */
  async #readRuns(now: number): Promise<Result<void>> {
    const { store } = this.#ports;
    const runs = await store.runs(limits.runsListed);
    if (!runs.ok) return runs;
    this.#leases = new Map(runs.value.map((run) => [run.id, run]));
    this.#due.runs = now + runsMs;
    const active = [...this.state.live].flatMap((id) => this.state.task(id) ?? []);
    const named = this.#named === undefined ? undefined : await store.run(this.#named);
    if (named !== undefined && !named.ok) return named;
    const shown = named?.value ?? runToShow(this.#ports, runs.value, active);
    const isNew = shown !== undefined && shown.id !== this.#run?.id;
    this.#run = shown;
    return isNew ? this.#loadHistory(shown.id) : ok(undefined);
  }

  async #loadHistory(run: RunId): Promise<Result<void>> {
    const { store } = this.#ports;
    const attempts = await store.attempts({ run });
    if (!attempts.ok) return attempts;
    for (const attempt of attempts.value) this.state.putAttempt(attempt);
    const history = await store.runHistory(run);
    if (history.ok && history.value !== undefined) this.state.putRunHistory(history.value);
    return history.ok ? ok(undefined) : history;
  }

  /** A run under way compares the target itself; otherwise a person may have dropped landings from it. */
  async #compareTarget(now: number): Promise<void> {
    this.#due.target = now + targetMs;
    const run = this.#run;
    const tip =
      run && (await outcomeOf(this.#ports.git.resolve(`refs/heads/${run.settings.target}`)));
    this.#targetCommit = tip?.ok ? tip.value : undefined;
    this.#compared = undefined;
    if (run === undefined || isUnderWay(this.#ports, run)) return;
    const tasks = [...this.state.tasks.values()];
    this.#compared = await comparedTasks(this.#ports, [...this.#leases.values()], tasks);
  }

  #observe(event: Event): void {
    const run = 'run' in event ? event.run : (this.#run?.id ?? '');
    const steps = this.#steps.get(run) ?? new RunSteps(run, this.state);
    this.#steps.set(run, steps);
    const step = steps.of(event);
    if (step !== undefined) this.#news.push(step);
  }
}
