import { commandAgent } from '../../src/agent/command.ts';
import { planReviser } from '../../src/app/plan-revision.ts';
import type { Ports, RunContext } from '../../src/engine/context.ts';
import { Journal } from '../../src/engine/journal.ts';
import { Engine } from '../../src/engine/loop.ts';
import { gateId } from '../../src/gate/gate.ts';
import type { Event, EventBody } from '../../src/model/event.ts';
import { ok, type Result } from '../../src/model/failure.ts';
import type { RunSettings } from '../../src/model/run.ts';
import type { RunRecord } from '../../src/model/run-record.ts';
import type { Task } from '../../src/model/task.ts';
import { outcomeOf } from '../../src/model/trouble.ts';
import { State } from '../../src/plan/state.ts';
import type { ProcessSpec } from '../../src/port/processes.ts';
import { nothingPrepared } from '../../src/worktree/setup.ts';
import { ManualClock } from '../memory/clock.ts';
import { MemoryForge } from '../memory/forge.ts';
import { MemoryGit } from '../memory/git.ts';
import { MemoryGuard } from '../memory/guard.ts';
import { MemoryMailboxes } from '../memory/mailboxes.ts';
import { MemoryOutside } from '../memory/outside.ts';
import { type Behavior, MemoryProcesses } from '../memory/processes.ts';
import { memoryStore } from '../memory/store.ts';
import { MemoryTracker } from '../memory/tracker.ts';
import { memoryPool, type PoolDisk } from '../memory/worktrees.ts';
import { need } from '../rig/need.ts';
import { settings } from '../story.ts';

const run = 'r1';
const commands = ['gate'];
const bounds = { wallMs: 60_000, idleMs: 5_000, outputBytes: 10_000 };

export interface MemoryProjectOptions {
  readonly tasks: readonly Task[];
  /** What the agent does in its worktree, and how its process ends; undefined writes a default file. */
  readonly agent?: (spec: ProcessSpec, project: MemoryProject) => Behavior | undefined;
  readonly gate?: (spec: ProcessSpec, project: MemoryProject) => Behavior;
  readonly setup?: readonly string[];
  /** Exit status of a set-up command; by default 9 for `fails` and 0 for any other. */
  readonly setsUp?: (spec: ProcessSpec, project: MemoryProject) => number;
  readonly settings?: Partial<RunSettings>;
  readonly ports?: (ports: Ports) => Ports;
  readonly context?: Partial<RunContext>;
}

type Append = Ports['store']['append'];

/** The same ports, with another way to store events. */
export function appending(ports: Ports, append: (stored: Append) => Append): Ports {
  const store = new Proxy(ports.store, {
    get: (found, key) => {
      const value: unknown = Reflect.get(found, key);
      const own = typeof value === 'function' ? value.bind(found) : value;
      return key === 'append' ? append(own as Append) : own;
    },
  });
  return { ...ports, store };
}

const exits = (code: number, ms = 100): Behavior => ({ ms, end: { id: 'exited', code } });

/** The engine on in-memory ports, driven by the test. */
export class MemoryProject {
  readonly clock = new ManualClock(1_000);
  readonly git = new MemoryGit({ files: { README: 'x' } });
  readonly store = memoryStore();
  readonly processes: MemoryProcesses;
  readonly #options: MemoryProjectOptions;
  readonly #disk: PoolDisk = new Map();
  #owner = 1;

  constructor(options: MemoryProjectOptions) {
    this.#options = options;
    this.processes = new MemoryProcesses(this.clock, (spec) => this.#behave(spec));
  }

  #behave(spec: ProcessSpec): Behavior {
    if (spec.name.startsWith('gate')) return this.#options.gate?.(spec, this) ?? exits(0);
    if (spec.name.startsWith('setup')) {
      return exits(this.#options.setsUp?.(spec, this) ?? (spec.argv.at(-1) === 'fails' ? 9 : 0));
    }
    const told = this.#options.agent?.(spec, this);
    if (told !== undefined) return told;
    const path = `work/${spec.env.YARD_TASK}`;
    return { ...exits(0), effect: () => this.git.write(spec.cwd, path, 'done') };
  }

  /** Starts the run, or continues it in a new engine; `meanwhile` is called while it runs. */
  async drive(meanwhile?: (project: MemoryProject) => Promise<void>): Promise<Result<RunRecord>> {
    const owner = { pid: this.#owner, startedAt: String(this.#owner), host: 'here' };
    this.#owner += 1;
    this.processes.become(owner);
    const state = new State();
    const ports = await this.#ports();
    const journal = new Journal(ports.store, this.clock, run, state, () => {});
    const known = await this.store.run(run);
    const isNew = known.ok && known.value === undefined;
    if (isNew) {
      const added = this.#options.tasks.map((task) => ({ type: 'task-added', task }) as const);
      await this.store.append(this.clock.now(), added);
    }
    await journal.load();
    const first = isNew
      ? await this.#started(owner)
      : ({ type: 'run-resumed', run, owner } as const);
    await journal.append([first]);
    const engine = new Engine(ports, this.#context(), state, journal);
    let ended: Result<RunRecord> | undefined;
    let thrown: unknown;
    engine.run().then(
      (result) => {
        ended = result;
      },
      (error: unknown) => {
        thrown = error;
      },
    );
    void meanwhile?.(this);
    for (let steps = 0; steps < 5_000; steps += 1) {
      await this.clock.advance(0);
      if (thrown !== undefined) throw thrown;
      if (ended !== undefined) return ended;
      const next = need(this.clock.nextWake());
      await this.clock.advance(next - this.clock.now());
    }
    throw new Error('the engine does not come to an end');
  }

  async #started(owner: RunRecord['owner']): Promise<EventBody> {
    const tip = await outcomeOf(this.git.resolve('refs/heads/main'));
    const base = (tip.ok ? tip.value : undefined) ?? '';
    const told = settings({ gate: gateId(commands), agent: 'agent', ...this.#options.settings });
    return { type: 'run-started', run, owner, settings: told, base };
  }

  #context(): RunContext {
    return {
      run,
      target: 'main',
      dir: '/files',
      gate: { id: gateId(commands), commands, timeoutMs: 60_000 },
      setup: this.#options.setup ?? [],
      finish: [],
      before: [],
      cache: [],
      limits: { agent: bounds, setup: bounds, gate: { wallMs: 60_000, outputBytes: 10_000 } },
      reruns: 0,
      rules: { protect: [], gate: commands, tests: 'off' },
      remote: 'origin',
      verify: { budgetMs: 60_000 },
      confined: false,
      env: {},
      project: { name: 'memory', root: '/repo' },
      templates: () => [],
      notes: [],
      program: 'ym',
      isShared: false,
      secret: new Uint8Array(32),
      prices: {},
      ...this.#options.context,
    };
  }

  async #ports(): Promise<Ports> {
    const { git, clock, processes, store } = this;
    const pool = await memoryPool({ git, run, disk: this.#disk });
    if (!pool.ok) throw new Error(pool.failure.kind);
    const command = ['agent'];
    const told = { name: 'agent', command, done: 'exit', prompt: 'stdin', root: '/repo' } as const;
    const agent = commandAgent(told);
    const ports: Ports = {
      git,
      clock,
      processes,
      store,
      pool: pool.value,
      agent: (name) => (name === 'agent' ? agent : undefined),
      guard: new MemoryGuard(),
      mailboxes: new MemoryMailboxes(),
      forge: new MemoryForge(),
      reviser: planReviser({ models: {}, agents: {} }),
      outside: new MemoryOutside(),
      tracker: new MemoryTracker(),
      space: async () => undefined,
      archive: async () => ok([]),
      copyFiles: async () => ok([]),
      prepared: nothingPrepared,
    };
    return this.#options.ports?.(ports) ?? ports;
  }

  ask(body: EventBody) {
    return this.store.append(this.clock.now(), [body]);
  }

  async events(): Promise<readonly Event[]> {
    const log = await this.store.events({});
    return log.ok ? log.value : [];
  }

  /** Number of events by type. */
  async count(type: Event['type']): Promise<number> {
    return (await this.events()).filter((event) => event.type === type).length;
  }

  async status(id: string) {
    const record = await this.store.task(id);
    return record.ok ? record.value?.status : undefined;
  }

  async attempt(id: string) {
    const record = await this.store.task(id);
    return record.ok ? record.value?.attempt : undefined;
  }

  async refs(prefix: string): Promise<readonly string[]> {
    const refs = await outcomeOf(this.git.refs(prefix));
    return refs.ok ? refs.value.map(({ ref }) => ref) : [];
  }

  worktreesLeft(): number {
    return this.#disk.size;
  }

  get exits() {
    return exits;
  }
}
