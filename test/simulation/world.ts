import { planReviser } from '../../src/app/plan-revision.ts';
import type { Ports, RunContext } from '../../src/engine/context.ts';
import { Journal } from '../../src/engine/journal.ts';
import { Engine } from '../../src/engine/loop.ts';
import { gateId } from '../../src/gate/gate.ts';
import type { Event, EventBody } from '../../src/model/event.ts';
import { type Failure, ok, type Result } from '../../src/model/failure.ts';
import { faultOf } from '../../src/model/fault.ts';
import type { Stage } from '../../src/model/review.ts';
import type {
  CritiqueSettings,
  PoolMember,
  ReviewSettings,
  RunSettings,
  TrainSettings,
} from '../../src/model/run.ts';
import { hasEnded, type RunRecord, stopOf } from '../../src/model/run-record.ts';
import type { Task } from '../../src/model/task.ts';
import { outcomeOf } from '../../src/model/trouble.ts';
import { State } from '../../src/plan/state.ts';
import type { ProcessSpec } from '../../src/port/processes.ts';
import { nothingPrepared } from '../../src/worktree/setup.ts';
import { memoryAgent } from '../memory/agent.ts';
import { ManualClock } from '../memory/clock.ts';
import { MemoryForge } from '../memory/forge.ts';
import { MemoryGit } from '../memory/git.ts';
import { MemoryGuard } from '../memory/guard.ts';
import { MemoryMailboxes } from '../memory/mailboxes.ts';
import { MemoryOutside } from '../memory/outside.ts';
import { MemoryProcesses } from '../memory/processes.ts';
import { memoryStore } from '../memory/store.ts';
import { MemoryTracker } from '../memory/tracker.ts';
import { memoryPool, type PoolDisk } from '../memory/worktrees.ts';
import { settings, task } from '../story.ts';
import { Chance } from './chance.ts';
import {
  agentBehavior,
  type Character,
  characters,
  chooserBehavior,
  givingUp,
  lookBehavior,
  plannerBehavior,
  reviserBehavior,
} from './characters.ts';
import { forgetful, MachineFaults } from './faults.ts';
import { gateBehavior } from './gate.ts';
import { Notes } from './notes.ts';
import { Person } from './person.ts';
import { RunBefore } from './run-before.ts';

const commands = ['gate'];

/** Agents that may start within one second. */
export const spawnRate = 4;

const isMachine = (failure: Failure | undefined): boolean =>
  failure !== undefined && faultOf(failure).whose === 'machine';

function unexpected({ dir, name }: ProcessSpec): never {
  throw new Error(`nobody expected ${name} in ${dir}`);
}

/** A world in memory, generated from a seed: repository, machine, store, tasks, and trouble to come. */
export class World {
  readonly chance: Chance;
  readonly clock = new ManualClock(1_000_000);
  readonly tracker = new MemoryTracker();
  readonly outside = new MemoryOutside(['go']);
  readonly git = new MemoryGit({
    files: { README: 'x', shared: 'base', '.gitignore': 'out/' },
    now: () => this.clock.now(),
  });
  readonly notes = new Notes();
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
  readonly planner: RunSettings['planner'];
  readonly revision: RunSettings['revision'];
  /** In two of five worlds questions have a time limit. People answer every ten seconds. */
  readonly ask: RunSettings['ask'];
  readonly preflight: boolean;
  /** In half of the worlds with a preflight it runs a command of `run.before`. */
  readonly before: RunBefore | undefined;
  readonly recheckMs: number;
  /** The whole log, once the run is over. */
  events: readonly Event[] = [];
  readonly crashes: string[] = [];
  readonly #characters = new Map<string, Character>();
  /** Number of port calls after which each engine dies. */
  readonly #deaths: number[] = [];
  readonly #faults: MachineFaults;
  /** Chance of everything about revisions of the plan, so that worlds without them stay as they are. */
  readonly #revising: Chance;
  #state = new State();
  #life = 0;
  #runs = 1;

  /** Half of the worlds have a sandbox. */
  readonly #isConfined: boolean;
  /** In a third of the worlds some tasks have several attempts; in half of those an agent chooses. */
  readonly isCompared: boolean;
  readonly #chooser: { readonly chooser?: string };
  /** In one of seven worlds tests are written first; in half of those by another agent. */
  readonly isTestedFirst: boolean;
  readonly #tester: { readonly tester?: string };
  readonly #testing: Chance;

  constructor(seed: number) {
    this.#isConfined = seed % 2 === 0;
    this.isCompared = seed % 3 === 0;
    const onTimeout = seed % 10 < 5 ? 'decide' : 'block';
    this.ask = seed % 5 < 2 ? { timeoutMs: seed % 4 < 2 ? 2_000 : 8_000, onTimeout } : undefined;
    this.#chooser = seed % 2 === 0 ? { chooser: 'spare' } : {};
    this.isTestedFirst = seed % 7 === 0;
    this.#tester = seed % 2 === 0 ? { tester: 'spare' } : {};
    this.#testing = new Chance(seed + 2_000_000);
    this.chance = new Chance(seed);
    this.#revising = new Chance(seed + 1_000_000);
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
    const budgetTokens = this.chance.pick([10_000, 10_000, 300, 60]);
    this.planner = this.chance.happens(0.4)
      ? { agent: this.chance.pick(['spare', 'agent', 'nobody']), budgetTokens }
      : undefined;
    this.revision = this.#revising.happens(0.4)
      ? {
          agent: this.#revising.pick(['spare', 'spare', 'agent', 'nobody']),
          apply: this.#revising.happens(0.5),
        }
      : undefined;
    this.preflight = this.chance.happens(0.5);
    this.before = this.preflight && seed % 4 < 2 ? new RunBefore(seed, this.notes) : undefined;
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
    this.#faults = new MachineFaults(this.chance, this.clock);
    const slowest = this.chance.pick([1_000, 1_000, 10_000, 50_000]);
    this.processes = new MemoryProcesses(this.clock, (spec) => {
      this.before?.see(spec);
      if (spec.name.startsWith('before')) return this.before?.behavior() ?? unexpected(spec);
      if (spec.name.startsWith('gate')) return gateBehavior(this, slowest, spec);
      if (spec.dir.endsWith('/planner')) {
        return plannerBehavior(this.chance, this.processes.files.get(spec.stdin ?? '') ?? '');
      }
      if (spec.dir.endsWith('/revisions')) {
        return reviserBehavior(this.#revising, this.processes.files.get(spec.stdin ?? '') ?? '');
      }
      const id = spec.env.YARD_TASK ?? '';
      const { coClaims = [], testsFirst: stage } = this.#state.task(id)?.attempt ?? {};
      const { git, chance, notes } = this;
      const testsFirst = stage && { stage, chance: this.#testing };
      const around = {
        ...{ git, chance, notes, now: this.clock.now(), coClaims },
        testsFirst,
      };
      if (spec.name.startsWith('choose-')) {
        return chooserBehavior(chance, this.processes.files.get(spec.stdin ?? '') ?? '');
      }
      if (/^(?:review|critique|improve)-/.test(spec.name)) return lookBehavior(around, spec);
      if (this.revision !== undefined && this.#revising.happens(0.15)) return givingUp;
      return agentBehavior(around, this.characterOf(id), spec);
    });
  }

  /** The second variant of a task is good, the others are like an agent of the task itself. */
  characterOf(id: string): Character {
    const [original = id, number] = id.split('.v');
    return number === '2' ? 'good' : (this.#characters.get(original) ?? 'good');
  }

  /** The current run. */
  get run(): string {
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
      // Some tasks wait for a file that is there.
      const wait = n % 5 === 4 ? { wait: ['file go'] } : {};
      tasks.push(task(id, { after, priority, ...wait, ...this.#attempts(n) }));
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

  #attempts(n: number): Pick<Task, 'attempts'> {
    if (!this.isCompared || n % 3 !== 0) return {};
    const choose = n % 2 === 0 ? 'auto' : 'person';
    const agents = n % 4 === 0 ? { agents: ['agent', 'spare'] } : {};
    return { attempts: { best_of: 2 + (n % 2), choose, ...agents } };
  }

  /** Adds the tasks and drives the run to its end, through all crashes of the seed. */
  async live(): Promise<RunRecord> {
    const added = this.tasks.map((one) => ({ type: 'task-added', task: one }) as const);
    await this.store.append(this.clock.now(), added);
    const person = new Person(this).begin();
    for (let lives = 0; lives < 50; lives += 1) {
      const ended = await this.#engineLife();
      const stop = ended && stopOf(ended);
      if (ended !== undefined && stop?.reason !== 'stop-asked') {
        if (stop?.failure?.kind === 'checkout-in-the-way') this.git.tidyByHand();
        else if (stop?.reason === 'environment' && isMachine(stop.failure)) {
          await this.clock.advance(60_000);
        } else if (stop?.failure?.kind === 'run-refused') {
          await this.clock.advance(1_000);
        } else if (stop?.reason === 'question' || this.#waitsForPerson()) {
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
      return ['asking', 'awaiting', 'finished', 'queued', 'between-turns', 'held'].includes(
        at ?? '',
      );
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
    const run = this.run;
    const journal = new Journal(ports.store, this.clock, run, this.#state, () => {});
    const known = await this.store.run(run);
    if (known.ok && known.value === undefined) await this.#endDead();
    const base = await this.#tip();
    const commands = this.before === undefined ? {} : ({ before: true } as const);
    const check = this.preflight ? { preflight: base, ...commands } : {};
    this.before?.forget();
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
      // A port of a dead engine answers nothing of use, so what its code does then does not count.
      if (death.signal.aborted) return undefined;
      if (rejected !== undefined) throw rejected;
      if (result !== undefined) return this.#outcomeOf(result);
      const next = this.clock.nextWake();
      if (next === undefined) throw new Error('everybody waits for ever');
      await this.clock.advance(next - this.clock.now());
      if (this.chance.happens(0.002)) await this.clock.advance(this.chance.between(1, 60_000));
    }
    throw new Error('an engine does not come to an end');
  }

  #outcomeOf(result: Result<RunRecord>): RunRecord {
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
      spawnRate,
      gateSlots: this.gateSlots,
      train: this.train,
      branchGate: this.branchGate,
      recheckMs: this.recheckMs,
      review: this.review,
      critique: this.critique,
      planner: this.planner,
      revision: this.revision,
      ask: this.ask,
      ...(this.isTestedFirst ? { pipelines: { default: this.#stages() }, ...this.#tester } : {}),
      ...(fallback ? { fallback: { agent: 'spare', cooldown: 2 } } : {}),
      ...(this.isCompared
        ? { attempts: { best_of: 1, agents: [], choose: 'auto', byType: {}, ...this.#chooser } }
        : {}),
    });
  }

  #stages(): readonly Stage[] {
    return [
      ...(this.critique === undefined ? [] : (['critique'] as const)),
      ...(['tests', 'work', 'gate'] as const),
      ...(this.review === undefined ? [] : (['review'] as const)),
      'land',
    ];
  }

  async #tip(): Promise<string> {
    const tip = await outcomeOf(this.git.resolve('refs/heads/main'));
    return (tip.ok ? tip.value : undefined) ?? '';
  }

  #context(): RunContext {
    const limit = { wallMs: 60_000, idleMs: 5_000, outputBytes: 10_000 };
    return {
      run: this.run,
      target: 'main',
      dir: `/files/${this.run}`,
      gate: { id: gateId(commands), commands, timeoutMs: 60_000 },
      setup: [],
      finish: [],
      before: this.before?.commands ?? [],
      cache: [],
      limits: { agent: limit, setup: limit, gate: { wallMs: 60_000, outputBytes: 10_000 } },
      reruns: 0,
      rules: { protect: ['protected/**'], gate: commands, tests: 'off', maxFiles: 5 },
      remote: 'origin',
      verify: { budgetMs: 60_000 },
      confined: this.#isConfined,
      env: {},
      project: { name: 'memory', root: '/repo' },
      templates: () => [],
      notes: [],
      program: 'ym',
      isShared: false,
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
    const git = guard(this.#faults.git(this.git), 'git');
    const pool = await memoryPool({ git, run: this.run, disk: this.disk });
    if (!pool.ok) throw new Error(pool.failure.kind);
    const { clock } = this;
    return {
      git,
      processes: guard(this.processes, 'processes'),
      store: guard(forgetful(this.store, this.chance), 'store'),
      clock: { now: () => clock.now(), sleep: (ms, signal) => this.#sleep(death, ms, signal) },
      pool: pool.value,
      agent: memoryAgent,
      guard: new MemoryGuard(),
      mailboxes: new MemoryMailboxes(),
      forge: new MemoryForge(),
      reviser: planReviser({ models: {}, agents: {} }),
      outside: this.outside,
      tracker: this.tracker,
      space: async () => this.#faults.space(),
      archive: async (_dir, paths, file) => {
        this.notes.archives.set(file, paths);
        return ok([]);
      },
      copyFiles: async () => ok([]),
      prepared: nothingPrepared,
    };
  }

  async #sleep(death: AbortController, ms: number, signal?: AbortSignal): Promise<void> {
    if (death.signal.aborted) return new Promise(() => {});
    await this.clock.sleep(ms, signal);
    if (death.signal.aborted) return new Promise(() => {});
  }
}
