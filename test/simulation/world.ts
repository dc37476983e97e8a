import type { Ports, RunContext } from '../../src/engine/context.ts';
import { Journal } from '../../src/engine/journal.ts';
import { Engine } from '../../src/engine/loop.ts';
import { gateId } from '../../src/gate/gate.ts';
import type { Event, EventBody } from '../../src/model/event.ts';
import { fail, ok, type Result } from '../../src/model/failure.ts';
import type {
  CritiqueSettings,
  Owner,
  PoolMember,
  ReviewSettings,
  TrainSettings,
} from '../../src/model/run.ts';
import { hasEnded, type RunRecord, stopOf } from '../../src/model/run-record.ts';
import type { Decision, Task } from '../../src/model/task.ts';
import { State } from '../../src/plan/state.ts';
import { readingOf } from '../../src/report/task/message.ts';
import { nothingPrepared } from '../../src/worktree/setup.ts';
import { memoryAgent } from '../memory/agent.ts';
import { ManualClock } from '../memory/clock.ts';
import { MemoryForge } from '../memory/forge.ts';
import { MemoryGit } from '../memory/git.ts';
import { MemoryGuard } from '../memory/guard.ts';
import { MemoryMailboxes } from '../memory/mailboxes.ts';
import { MemoryProcesses } from '../memory/processes.ts';
import { memoryStore } from '../memory/store.ts';
import { memoryPool, type PoolDisk } from '../memory/worktrees.ts';
import { settings, task } from '../story.ts';
import { Chance } from './chance.ts';
import {
  agentBehaviour,
  type Character,
  characters,
  gateBehaviour,
  lookBehaviour,
} from './characters.ts';

const commands = ['gate'];

/** A world in memory, generated from a seed: repository, machine, store, tasks, and trouble to come. */
export class World {
  readonly chance: Chance;
  readonly clock = new ManualClock(1_000_000);
  readonly git = new MemoryGit({ files: { README: 'x', shared: 'base' } });
  readonly store = memoryStore();
  readonly processes: MemoryProcesses;
  readonly disk: PoolDisk = new Map();
  readonly jobs: number;
  readonly retries: number;
  readonly tasks: readonly Task[];
  /** The agents; in some worlds the second is the fallback of the first. */
  readonly agentPool: readonly PoolMember[];
  readonly fallback: boolean;
  readonly gateSlots: number;
  readonly train: TrainSettings;
  readonly branchGate: 'auto' | 'always' | 'never';
  readonly review: ReviewSettings | undefined;
  readonly critique: CritiqueSettings | undefined;
  readonly preflight: boolean;
  readonly recheckMs: number;
  /** The whole log, once the run is over. */
  events: readonly Event[] = [];
  readonly crashes: string[] = [];
  readonly #characters = new Map<string, Character>();
  /** Number of port calls after which each engine dies. */
  readonly #deaths: number[] = [];
  #state = new State();
  #life = 0;
  #runs = 1;

  constructor(seed: number) {
    this.chance = new Chance(seed);
    this.jobs = this.chance.between(1, 4);
    this.retries = this.chance.pick([0, 1, 2, 2, 3]);
    this.tasks = this.#makeTasks();
    this.fallback = this.chance.happens(0.3);
    this.gateSlots = this.chance.between(1, 3);
    this.train = {
      batch: this.chance.pick([1, 2, 4, 8]),
      style: this.chance.pick(['merge', 'merge', 'squash', 'rebase'] as const),
    };
    this.branchGate = this.chance.pick(['auto', 'auto', 'always', 'never'] as const);
    this.review = this.chance.happens(0.3)
      ? {
          reviewers: this.chance.pick([['spare'], ['spare'], ['spare', 'agent'], []]),
          person: this.chance.happens(0.2),
          rounds: this.chance.between(1, 4),
          retries: this.chance.between(0, 2),
        }
      : undefined;
    const improver = this.chance.happens(0.5) ? { improver: 'spare' } : {};
    this.critique = this.chance.happens(0.15)
      ? { critic: 'spare', rounds: this.chance.between(1, 3), retries: 1, ...improver }
      : undefined;
    this.preflight = this.chance.happens(0.5);
    this.recheckMs = this.chance.pick([1, 5_000, 15 * 60_000]);
    const shared = this.chance.happens(0.5);
    this.agentPool = ['agent', 'spare'].map((name) => ({
      name,
      account: shared ? 'shared' : name,
      volunteers: name === 'agent' || (!this.fallback && this.chance.happens(0.5)),
      ...(this.chance.happens(0.3) ? { count: 1 } : {}),
    }));
    const deaths = this.chance.happens(0.7) ? this.chance.between(1, 4) : 0;
    for (let n = 0; n < deaths; n += 1) {
      this.#deaths.push(this.chance.between(1, this.chance.pick([40, 120, 400])));
    }
    const slowest = this.chance.pick([1_000, 1_000, 10_000, 50_000]);
    this.processes = new MemoryProcesses(this.clock, (spec) => {
      if (spec.name.startsWith('gate')) return gateBehaviour(this.git, this.chance, slowest, spec);
      const id = spec.env.YARD_TASK ?? '';
      const coClaims = this.#state.task(id)?.attempt?.coClaims ?? [];
      const around = { git: this.git, chance: this.chance, now: this.clock.now(), coClaims };
      if (/^(?:review|critique|improve)-/.test(spec.name)) return lookBehaviour(around, spec);
      return agentBehaviour(around, this.characterOf(id), spec);
    });
  }

  characterOf(id: string): Character {
    return this.#characters.get(id) ?? 'good';
  }

  /** The current run. */
  get #run(): string {
    return `r${this.#runs}`;
  }

  get state(): State {
    return this.#state;
  }

  #makeTasks(): Task[] {
    const tasks: Task[] = [];
    const count = this.chance.between(1, this.chance.pick([10, 10, 24]));
    for (let n = 0; n < count; n += 1) {
      const id = `t${n}`;
      const after = tasks.filter(() => this.chance.happens(0.15)).map((parent) => parent.id);
      const priority = this.chance.pick([0, 1, 2, 2, 2, 3, 4] as const);
      tasks.push(task(id, { after, priority }));
      const quiet = this.chance.happens(0.5);
      this.#characters.set(
        id,
        quiet
          ? 'good'
          : this.chance.pick([
              ...characters,
              'greedy',
              'collides',
              'collides',
              'partner',
              'sloppy',
            ]),
      );
    }
    return tasks;
  }

  /** Adds the tasks and drives the run to its end, through all crashes of the seed. */
  async live(): Promise<RunRecord> {
    const added = this.tasks.map((one) => ({ type: 'task-added', task: one }) as const);
    await this.store.append(this.clock.now(), added);
    const person = this.#person();
    for (let lives = 0; lives < 50; lives += 1) {
      const ended = await this.#engineLife();
      const stop = ended && stopOf(ended);
      if (ended !== undefined && stop?.reason !== 'stop-asked') {
        if (stop?.failure?.kind === 'checkout-in-the-way') this.git.tidyByHand();
        else if (stop?.reason === 'question' || this.#waitsForPerson()) {
          await this.clock.advance(11_000);
        } else if (stop?.reason !== 'canceled') {
          const log = await this.store.events({});
          this.events = log.ok ? log.value : [];
          return ended;
        }
      }
      await person();
      // A person may start a new run instead of resuming.
      if (this.chance.happens(0.35)) this.#runs += 1;
    }
    throw new Error('the run does not come to an end');
  }

  #waitsForPerson(): boolean {
    return [...this.#state.live].some((id) => {
      const at = this.#state.task(id)?.attempt?.state.id;
      return ['asking', 'awaiting', 'queued', 'between-turns', 'held'].includes(at ?? '');
    });
  }

  /** Like `ym run`: ends a run whose process is gone, and retries what failed in it. */
  async #endDead(): Promise<void> {
    const runs = await this.store.runs(100);
    const dead = (runs.ok ? runs.value : []).filter((run) => !hasEnded(run));
    const failed = await this.store.tasks(['failed']);
    const again = { kind: 'retry', by: 'run' } as const;
    await this.store.append(this.clock.now(), [
      ...dead.map(({ id }) => ({ type: 'run-ended', run: id, stop: { reason: 'died' } }) as const),
      ...(failed.ok ? failed.value : []).map(
        ({ task: { id } }) => ({ type: 'task-decided', id, decision: again }) as const,
      ),
    ]);
  }

  /** Drives one engine until the run ends; undefined if the engine dies first. */
  async #engineLife(): Promise<RunRecord | undefined> {
    this.#life += 1;
    const owner = { pid: this.#life, startedAt: String(this.#life), host: 'memory' };
    this.processes.become(owner);
    const death = new AbortController();
    const died = new Promise<undefined>((resolve) => {
      death.signal.addEventListener('abort', () => resolve(undefined));
    });
    const ports = await Promise.race([this.#ports(death), died]);
    if (ports === undefined) return undefined;
    this.#state = new State();
    const run = this.#run;
    const journal = new Journal(ports.store, this.clock, run, this.#state, () => {});
    const known = await this.store.run(run);
    if (known.ok && known.value === undefined) await this.#endDead();
    const base = await this.#tip();
    const check = this.preflight ? { preflight: base } : {};
    const first: EventBody =
      known.ok && known.value === undefined
        ? { type: 'run-started', run, owner, settings: this.#settings(), base, ...check }
        : { type: 'run-resumed', run, owner, ...check };
    const engine = new Engine(ports, this.#context(), this.#state, journal);
    let result: Result<RunRecord> | undefined;
    const life = (async () => {
      const loaded = await journal.load();
      if (!loaded.ok) return;
      const noted = await journal.append([first]);
      if (noted.ok) result = await engine.run();
    })();
    let rejected: unknown;
    life.catch((error: unknown) => {
      rejected = error;
    });
    for (let steps = 0; steps < 20_000; steps += 1) {
      await this.clock.advance(0);
      if (rejected !== undefined) throw rejected;
      if (result !== undefined) return this.#outcome(result);
      if (death.signal.aborted) return undefined;
      const next = this.clock.nextWake();
      if (next === undefined) throw new Error('everybody waits for ever');
      await this.clock.advance(next - this.clock.now());
      if (this.chance.happens(0.002)) await this.clock.advance(this.chance.between(1, 60_000));
    }
    throw new Error('an engine does not come to an end');
  }

  #outcome(result: Result<RunRecord>): RunRecord {
    if (result.ok) return result.value;
    throw new Error(`the engine gave up: ${JSON.stringify(result.failure)}`);
  }

  #settings() {
    const { jobs, retries, agentPool, fallback } = this;
    return settings({
      jobs,
      retries,
      agent: 'agent',
      gate: gateId(commands),
      agentPool,
      spawnRate: 4,
      gateSlots: this.gateSlots,
      train: this.train,
      branchGate: this.branchGate,
      recheckMs: this.recheckMs,
      ...(this.review === undefined ? {} : { review: this.review }),
      ...(this.critique === undefined ? {} : { critique: this.critique }),
      ...(fallback ? { fallback: { agent: 'spare', cooldown: 2 } } : {}),
    });
  }

  async #tip(): Promise<string> {
    const tip = await this.git.resolve('refs/heads/main');
    return (tip.ok ? tip.value : undefined) ?? '';
  }

  #context(): RunContext {
    const limit = { wallMs: 60_000, idleMs: 5_000, outputBytes: 10_000 };
    return {
      run: this.#run,
      target: 'main',
      dir: `/files/${this.#run}`,
      gate: { id: gateId(commands), commands, timeoutMs: 60_000 },
      setup: [],
      cache: [],
      limits: { agent: limit, setup: limit, gate: { wallMs: 60_000, outputBytes: 10_000 } },
      reruns: 0,
      rules: { protect: ['protected/**'], gate: commands, tests: 'off', maxFiles: 5 },
      remote: 'origin',
      verify: { budgetMs: 60_000 },
      env: {},
      project: { name: 'memory', root: '/repo' },
      templates: () => [],
      program: 'ym',
      secret: new Uint8Array(32),
      prices: {},
    };
  }

  /** Ports of one engine. After its death no call is answered or performed. */
  async #ports(death: AbortController): Promise<Ports> {
    let left = this.#deaths.shift() ?? Number.POSITIVE_INFINITY;
    const never = new Promise<never>(() => {});
    const die = (where: string): boolean => {
      left -= 1;
      if (left === 0) {
        this.crashes.push(where);
        death.abort();
      }
      return death.signal.aborted;
    };
    const guard = <T extends object>(port: T, name: string): T =>
      new Proxy(port, {
        get: (target, member) => {
          const value: unknown = Reflect.get(target, member);
          if (typeof value !== 'function') return value;
          return (...args: unknown[]) => {
            if (die(`before ${name}.${String(member)}`)) return never;
            const result: unknown = value.apply(target, args);
            if (!(result instanceof Promise)) return result;
            return result.then((answer: unknown) =>
              die(`after ${name}.${String(member)}`) ? never : answer,
            );
          };
        },
      });
    const pool = await memoryPool({ git: guard(this.git, 'git'), run: this.#run, disk: this.disk });
    if (!pool.ok) throw new Error(pool.failure.kind);
    const { clock } = this;
    return {
      git: guard(this.git, 'git'),
      processes: guard(this.processes, 'processes'),
      store: guard(this.#forgetful(), 'store'),
      clock: { now: () => clock.now(), sleep: (ms, signal) => this.#sleep(death, ms, signal) },
      pool: pool.value,
      agent: memoryAgent,
      guard: new MemoryGuard(),
      mailboxes: new MemoryMailboxes(),
      forge: new MemoryForge(),
      copyFiles: async () => ok([]),
      prepared: nothingPrepared,
    };
  }

  async #sleep(death: AbortController, ms: number, signal?: AbortSignal): Promise<void> {
    if (death.signal.aborted) return new Promise(() => {});
    await this.clock.sleep(ms, signal);
    if (death.signal.aborted) return new Promise(() => {});
  }

  /** A store that sometimes stores events but reports busy, as if the answer was lost. */
  #forgetful() {
    const { store, chance } = this;
    return new Proxy(store, {
      get: (target, member) => {
        const value: unknown = Reflect.get(target, member);
        if (typeof value !== 'function') return value;
        if (member !== 'append') return value.bind(target);
        return async (...args: Parameters<typeof store.append>) => {
          if (chance.happens(0.01)) return fail({ kind: 'store-busy', file: 'x', waitedMs: 1 });
          const stored = await target.append(...args);
          const lost = chance.happens(0.01);
          return lost ? fail({ kind: 'store-busy', file: 'x', waitedMs: 1 }) : stored;
        };
      },
    });
  }

  /** What a person does while the engine runs and between crashes: commits, edits, decisions. */
  #person(): () => Promise<void> {
    const { chance, clock, git, store } = this;
    const later = (ms: number, act: () => Promise<unknown>): void => {
      void clock.sleep(ms).then(act);
    };
    for (let n = chance.between(0, 2); n > 0; n -= 1) {
      later(chance.between(100, 15_000), async () => {
        git.commitByHand({ [`person/${n}`]: 'by hand' });
      });
    }
    if (chance.happens(0.2)) {
      const path = chance.pick(['README', 'shared', 'work/t0']);
      later(chance.between(100, 8_000), async () => git.write(git.root, path, 'edited'));
      later(chance.between(9_000, 20_000), async () => {
        git.tidyByHand();
      });
    }
    if (chance.happens(0.2)) {
      const how = chance.pick(['finish', 'now'] as const);
      later(chance.between(100, 8_000), () =>
        store.append(clock.now(), [{ type: 'stop-asked', run: this.#run, how, by: 'a person' }]),
      );
    }
    for (let n = chance.pick([0, 0, 1, 3]); n > 0; n -= 1) {
      later(chance.between(100, 20_000), () => this.#write(`message ${n}`));
    }
    for (let n = chance.pick([0, 2, 6]); n > 0; n -= 1) {
      const by = { pid: 1_000 + n, startedAt: String(n), host: 'memory' };
      later(chance.between(100, 20_000), () => this.#hold(by, later));
    }
    const reply = async (): Promise<void> => {
      for (const { task: asked, attempt } of this.#state.tasks.values()) {
        const decision = this.#word(attempt?.state.id);
        if (decision === undefined) continue;
        await store.append(clock.now(), [{ type: 'task-decided', id: asked.id, decision }]);
      }
      later(10_000, reply);
    };
    later(10_000, reply);
    return async () => {
      if (chance.happens(0.3)) await clock.advance(chance.between(1, 20_000));
    };
  }

  /** A person writes to the agent of a task, if `ym tell` would allow it. */
  async #write(text: string): Promise<void> {
    const record = this.#state.task(this.chance.pick(this.tasks).id);
    if (record === undefined || readingOf(record, true).id === 'never') return;
    await this.store.append(this.clock.now(), [{ type: 'message-sent', id: record.task.id, text }]);
  }

  /** A person takes the worktree of an attempt and releases it later, or their process vanishes. */
  async #hold(by: Owner, later: (ms: number, act: () => Promise<unknown>) => void): Promise<void> {
    const { store, clock, chance, processes } = this;
    const live = [...this.#state.live].flatMap((id) => this.#state.task(id) ?? []);
    const between = live.filter(({ attempt }) =>
      /working|resting|asking/.test(attempt?.state.id ?? ''),
    );
    const among = between.length > 0 ? between : live;
    const { task: held, attempt } = among.length > 0 ? chance.pick(among) : {};
    if (held === undefined || attempt === undefined) return;
    const { id } = held;
    processes.owners.add(by);
    const decide = (decision: Decision) =>
      store.append(clock.now(), [{ type: 'task-decided', id, decision }]);
    await decide({ kind: 'hold', attempt: attempt.number, by });
    later(chance.pick([0, 200, 5_000, 30_000]), async () => {
      if (chance.happens(0.5)) await decide({ kind: 'release', by });
      processes.owners.delete(by);
    });
  }

  /** A person answers, approves or rejects what waits for them. */
  #word(state: string | undefined): Decision | undefined {
    if (state === 'asking') return { kind: 'answer', text: 'Yes.' };
    if (state !== 'awaiting') return undefined;
    return this.chance.happens(0.7) ? { kind: 'approve' } : { kind: 'reject', reason: 'No.' };
  }
}
