import type { Owner } from '../model/run.ts';
import type { Clock } from './clock.ts';
import type { HowEnded, ProcessEnd, Processes, ProcessSpec } from './processes.ts';

/** What a made-up child does. Its output appears when it starts; its effect when, and only when, it comes to its own end. */
export interface Behaviour {
  readonly ms: number;
  readonly end: HowEnded;
  readonly output?: string;
  readonly effect?: () => void;
}

/** One child in the made-up world. It goes on whether or not anybody follows it. */
interface Life {
  readonly end: Promise<ProcessEnd>;
  readonly output: string;
  readonly interrupt: AbortController;
  hasEnded: boolean;
}

/**
 * The twin of the supervisor for the simulation. The object is the machine: an engine that is thrown away leaves its
 * children running here, and the next one that asks for the same child follows it.
 */
export class MemoryProcesses implements Processes {
  /** Processes that count as alive, beside this one. Compared by value. */
  readonly owners = new Set<Owner>();
  /** What was written, by path. */
  readonly files = new Map<string, string>();
  /** Specs in the order in which their children were really started. */
  readonly starts: ProcessSpec[] = [];
  readonly #clock: Clock;
  readonly #behave: (spec: ProcessSpec) => Behaviour;
  readonly #lives = new Map<string, Life>();
  /** Children the present engine asked for. */
  readonly #followed = new Set<Life>();
  #self: Owner = { pid: 1, startedAt: '1', host: 'memory' };

  constructor(clock: Clock, behave: (spec: ProcessSpec) => Behaviour) {
    this.#clock = clock;
    this.#behave = behave;
  }

  run(spec: ProcessSpec): Promise<ProcessEnd> {
    const key = keyOf(spec.dir, spec.name);
    const known = this.#lives.get(key);
    if (known !== undefined) return this.#follow(known);
    const behaviour = this.#behave(spec);
    const at = this.#clock.now();
    if (behaviour.end.id === 'not-started') {
      return Promise.resolve({ how: behaviour.end, startedAt: at, endedAt: at, stragglers: 0 });
    }
    this.starts.push(spec);
    const interrupt = new AbortController();
    const life: Life = {
      end: this.#live(spec, behaviour, interrupt.signal),
      output: kept(behaviour.output ?? '', spec.limits.outputBytes),
      interrupt,
      hasEnded: false,
    };
    this.#lives.set(key, life);
    return this.#follow(life);
  }

  async #follow(life: Life): Promise<ProcessEnd> {
    this.#followed.add(life);
    const end = await life.end;
    life.hasEnded = true;
    this.#followed.delete(life);
    return end;
  }

  async #live(
    spec: ProcessSpec,
    behaviour: Behaviour,
    interrupt: AbortSignal,
  ): Promise<ProcessEnd> {
    const startedAt = this.#clock.now();
    const first = firstLimit(spec, behaviour);
    await this.#clock.sleep(first?.at ?? behaviour.ms, interrupt);
    const how: HowEnded = interrupt.aborted ? { id: 'interrupted' } : (first?.how ?? behaviour.end);
    if (how === behaviour.end) behaviour.effect?.();
    return { how, startedAt, endedAt: this.#clock.now(), stragglers: 0 };
  }

  interrupt(dir: string, name: string): void {
    const life = this.#lives.get(keyOf(dir, name));
    if (life !== undefined && this.#followed.has(life)) life.interrupt.abort();
  }

  interruptAll(): void {
    for (const life of this.#followed) life.interrupt.abort();
  }

  hasEnded(dir: string, name: string): boolean {
    return this.#lives.get(keyOf(dir, name))?.hasEnded ?? false;
  }

  async tail(dir: string, name: string, bytes: number): Promise<string> {
    const output = Buffer.from(this.#lives.get(keyOf(dir, name))?.output ?? '');
    return output.subarray(Math.max(0, output.length - bytes)).toString();
  }

  async write(dir: string, file: string, text: string): Promise<string> {
    const path = `${dir}/${file}`;
    this.files.set(path, text);
    return path;
  }

  self(): Owner {
    return this.#self;
  }

  /** From now on somebody else is asking: the engine before is dead unless it is among `owners`, and what it followed nobody does. */
  become(owner: Owner): void {
    this.#self = owner;
    this.#followed.clear();
  }

  isAlive(owner: Owner): boolean {
    return [this.#self, ...this.owners].some(
      (alive) =>
        alive.pid === owner.pid && alive.startedAt === owner.startedAt && alive.host === owner.host,
    );
  }
}

function keyOf(dir: string, name: string): string {
  return `${dir}\0${name}`;
}

function kept(output: string, bytes: number): string {
  return Buffer.byteLength(output) <= bytes
    ? output
    : Buffer.from(output).subarray(0, bytes).toString();
}

/** The limit such a child crosses before its own end, if any, and how long after its start. */
function firstLimit(
  { limits }: ProcessSpec,
  { ms, output = '' }: Behaviour,
): { readonly at: number; readonly how: HowEnded } | undefined {
  if (Buffer.byteLength(output) > limits.outputBytes) {
    return { at: 0, how: { id: 'limit', limit: 'output', value: limits.outputBytes } };
  }
  const crossable = (['start', 'idle', 'wall'] as const)
    .map((limit) => ({ limit, value: limits[`${limit}Ms`] ?? 0 }))
    .filter(({ limit }) => limit !== 'start' || output === '')
    .filter(({ value }) => value > 0 && value < ms)
    .sort((a, b) => a.value - b.value)[0];
  if (crossable === undefined) return undefined;
  return { at: crossable.value, how: { id: 'limit', ...crossable } };
}
