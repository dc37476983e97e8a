import { Journal } from '../engine/journal.ts';
import { ok, type Result, usage } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { RunId } from '../model/run.ts';
import { hasEnded, type RunRecord } from '../model/run-record.ts';
import { State } from '../plan/state.ts';
import type { Git } from '../port/git.ts';
import type { Store } from '../port/store.ts';
import type { FollowedHooks } from './followed-hooks.ts';
import { ownerLife } from './liveness.ts';
import type { Liveness, Project } from './ports.ts';
import type { Run } from './run.ts';
import { type RunStep, RunSteps, Stream } from './run-steps.ts';

type Followed = Liveness & Pick<Project, 'openStore'> & { readonly git: Pick<Git, 'close'> };

/** Follows a run that another process drives, from before that process starts. */
export class FollowedRun {
  readonly #project: Followed;
  readonly #store: Store;
  readonly #hooks: FollowedHooks;
  readonly #state = new State();
  readonly #journal: Journal;
  readonly #steps = new Stream<RunStep>();
  #stepper: RunSteps | undefined;

  private constructor(project: Followed, store: Store, hooks: FollowedHooks, run: RunId) {
    this.#project = project;
    this.#store = store;
    this.#hooks = hooks;
    this.#journal = new Journal(store, project.clock, run, this.#state, (event) => {
      const step = this.#stepper?.of(event);
      if (step === undefined) return;
      hooks.on(step);
      this.#steps.push(step);
    });
  }

  /** Loads the project as it is now. `run` is the one that will be resumed, if it is not a new one. */
  static async open(
    project: Followed,
    hooks: FollowedHooks,
    run: RunId = '',
  ): Promise<Result<FollowedRun>> {
    const store = await project.openStore('write');
    if (!store.ok) return store;
    const followed = new FollowedRun(project, store.value, hooks, run);
    const loaded = await followed.#journal.load();
    if (loaded.ok) return ok(followed);
    await followed.close();
    return loaded;
  }

  async close(): Promise<void> {
    await this.#store.close();
    await this.#project.git.close();
  }

  /** The run with all its steps since the project was loaded. `isDriven` tells whether a dead process is replaced. */
  follow(run: RunId, isDriven: () => Promise<boolean>): Run {
    const left = new AbortController();
    this.#stepper = new RunSteps(run, this.#state);
    const ended = this.#followed(run, isDriven, left.signal).finally(async () => {
      this.#steps.end();
      await this.close();
    });
    // A bug that throws is reported to whoever awaits the end, also if that happens later.
    ended.catch(() => undefined);
    return {
      id: run,
      state: this.#state,
      steps: this.#steps,
      ended: ended.then(async (record) => {
        const isOver = record.ok && hasEnded(record.value);
        const undelivered = await this.#hooks.end(isOver ? run : undefined);
        return { run: record, files: ok(undefined), undelivered };
      }),
      removal: () => undefined,
      stop: async (how, by) => {
        const event = { type: 'stop-asked', run, how, by } as const;
        const asked = await this.#store.append(this.#project.clock.now(), [event]);
        return asked.ok ? ok(undefined) : asked;
      },
      following: {
        left: left.signal,
        leave: () => {
          left.abort();
          this.#steps.end();
        },
      },
    };
  }

  async #followed(
    run: RunId,
    isDriven: () => Promise<boolean>,
    left: AbortSignal,
  ): Promise<Result<RunRecord>> {
    const { clock } = this.#project;
    for (;;) {
      const read = await this.#journal.refresh();
      if (!read.ok) return read;
      const record = this.#state.run(run);
      const isAlive = record === undefined || this.#isAlive(record);
      // The process still writes files and releases the project after it has stored the end.
      if (record !== undefined && (left.aborted || (hasEnded(record) && !isAlive)))
        return ok(record);
      if (!isAlive && !(await isDriven())) {
        return usage(`the process of run ${run} is gone`, 'Continue the run with `ym resume`.');
      }
      await clock.sleep(limits.followMs, left);
    }
  }

  #isAlive({ owner }: RunRecord): boolean {
    return ownerLife(this.#project, owner) === 'alive';
  }
}
