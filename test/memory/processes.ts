import type { CrossedLimit } from '../../src/model/failure.ts';
import type { Owner } from '../../src/model/run.ts';
import type {
  Clock,
  HowEnded,
  ProcessEnd,
  Processes,
  ProcessLimits,
  ProcessSpec,
} from '../../src/port/processes.ts';
import { LineSplitter } from '../../src/process/output-reader.ts';

/** Output of an in-memory child some time after its start, and its effect until then. */
interface Utterance {
  readonly ms: number;
  readonly output: string;
  readonly effect?: () => void;
}

/** Script of an in-memory child. Its output appears at its start, its effect only at its own end. */
export interface Behavior {
  readonly ms: number;
  readonly end: HowEnded;
  readonly output?: string;
  /** Later output, in order of time. */
  readonly later?: readonly Utterance[];
  /** Output after the end signal. */
  readonly parting?: string;
  readonly effect?: () => void;
}

/**
 * The twin of the supervisor for the simulation. The object is the machine: an engine that is thrown away leaves its
 * children running here, and the next one that asks for the same child follows it.
 */
export class MemoryProcesses implements Processes {
  /** Processes that count as alive, beside this one. Compared by value. */
  readonly owners = new Set<Owner>();
  /** Written files by path. */
  readonly files = new Map<string, string>();
  /** Specs in the order in which their children were really started. */
  readonly starts: ProcessSpec[] = [];
  readonly #clock: Clock;
  readonly #behave: (spec: ProcessSpec) => Behavior;
  readonly #lives = new Map<string, Life>();
  /** Children the present engine asked for. */
  readonly #followed = new Set<Life>();
  #self: Owner = { pid: 1, startedAt: '1', host: 'memory' };

  constructor(clock: Clock, behave: (spec: ProcessSpec) => Behavior) {
    this.#clock = clock;
    this.#behave = behave;
  }

  run(spec: ProcessSpec): Promise<ProcessEnd> {
    const key = keyOf(spec.dir, spec.name);
    const known = this.#lives.get(key);
    if (known !== undefined) return this.#follow(known, spec);
    const behavior = this.#behave(spec);
    const at = this.#clock.now();
    if (behavior.end.id === 'not-started') {
      return Promise.resolve({ how: behavior.end, startedAt: at, endedAt: at, stragglers: 0 });
    }
    this.starts.push(spec);
    const life = new Life(this.#clock, spec, behavior);
    this.#lives.set(key, life);
    return this.#follow(life, spec);
  }

  async #follow(life: Life, { listener, limits }: ProcessSpec): Promise<ProcessEnd> {
    this.#followed.add(life);
    const lines = listener && new LineSplitter(listener, limits.lineBytes);
    if (lines !== undefined) life.listen(lines);
    const end = await life.end;
    if (lines !== undefined) life.finish(lines);
    life.hasEnded = true;
    this.#followed.delete(life);
    return end;
  }

  interrupt(dir: string, name?: string): void {
    for (const [key, life] of this.#lives) {
      const isMeant =
        name === undefined ? key.startsWith(keyOf(dir, '')) : key === keyOf(dir, name);
      if (isMeant && this.#followed.has(life)) life.interrupt();
    }
  }

  interruptAll(): void {
    for (const life of this.#followed) life.interrupt();
  }

  async endIn(dir: string): Promise<void> {
    for (const [key, life] of this.#lives) {
      if (!key.startsWith(keyOf(dir, '')) || life.hasEnded) continue;
      life.interrupt();
      await life.end;
      life.hasEnded = true;
    }
  }

  hasBegun(dir: string, name: string): boolean {
    return this.#lives.has(keyOf(dir, name));
  }

  hasEnded(dir: string, name: string): boolean {
    return this.#lives.get(keyOf(dir, name))?.hasEnded ?? false;
  }

  async tail(dir: string, name: string, bytes: number): Promise<string> {
    const output = this.#lives.get(keyOf(dir, name))?.output ?? Buffer.alloc(0);
    return output.subarray(Math.max(0, output.length - bytes)).toString();
  }

  async lines(dir: string, name: string, onLine: (line: string) => void): Promise<void> {
    const text = this.#lives.get(keyOf(dir, name))?.output.toString() ?? '';
    const lines = text.replace(/\r\n?/g, '\n').split('\n');
    if (lines.at(-1) === '') lines.pop();
    for (const line of lines) onLine(line);
  }

  async write(dir: string, file: string, text: string): Promise<string> {
    const path = `${dir}/${file}`;
    this.files.set(path, text);
    return path;
  }

  self(): Owner {
    return this.#self;
  }

  /** Another engine takes over. The previous one is dead unless it is among `owners`, and no longer follows anything. */
  become(owner: Owner): void {
    this.#self = owner;
    this.#followed.clear();
    for (const life of this.#lives.values()) life.unheard();
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

/** One child in the made-up world. It goes on whether or not anybody follows it. */
class Life {
  readonly end: Promise<ProcessEnd>;
  hasEnded = false;
  readonly #clock: Clock;
  readonly #limits: ProcessLimits;
  readonly #behavior: Behavior;
  readonly #startedAt: number;
  readonly #listeners = new Set<LineSplitter>();
  #printed = Buffer.alloc(0);
  /** When, counted from its start, it printed last, and when it had said its last word to somebody. */
  #lastOutput = 0;
  #finalAt: number | undefined;
  #forced: HowEnded | undefined;
  #wake = new AbortController();

  constructor(clock: Clock, { limits }: ProcessSpec, behavior: Behavior) {
    this.#clock = clock;
    this.#limits = limits;
    this.#behavior = behavior;
    this.#startedAt = clock.now();
    this.end = this.#live();
  }

  /** Output so far, within the limit. */
  get output(): Buffer {
    return this.#printed.subarray(0, this.#limits.outputBytes);
  }

  interrupt(): void {
    this.#force({ id: 'interrupted' });
  }

  /** Hears all from the start, and goes on to hear. */
  listen(listener: LineSplitter): void {
    this.#listeners.add(listener);
    this.#hand(listener, this.output);
  }

  /** Drops all listeners. */
  unheard(): void {
    this.#listeners.clear();
  }

  /** The end of what this one hears, unless it is gone. A line that was cut is none. */
  finish(listener: LineSplitter): void {
    const isWhole = this.#printed.length <= this.#limits.outputBytes;
    if (this.#listeners.delete(listener) && isWhole) listener.end();
  }

  async #live(): Promise<ProcessEnd> {
    const { ms, end, output = '', later = [], parting = '', effect } = this.#behavior;
    const toSay = [...later];
    this.#say(output);
    for (;;) {
      const { at, is } = this.#due(ms, toSay[0]);
      await this.#clock.sleep(at - this.#age(), this.#wake.signal);
      const isWoken = this.#wake.signal.aborted;
      if (this.#forced === undefined && isWoken) {
        this.#wake = new AbortController();
      } else if (this.#forced === undefined && is === 'utterance') {
        const said = toSay.shift();
        said?.effect?.();
        this.#say(said?.output ?? '');
      } else {
        const how = this.#forced ?? (is === 'utterance' || is === 'end' ? end : is);
        if (how === end) effect?.();
        else this.#say(parting);
        return { how, startedAt: this.#startedAt, endedAt: this.#clock.now(), stragglers: 0 };
      }
    }
  }

  /** Next event and its time; on a tie the first in this list. */
  #due(ms: number, said: Utterance | undefined): Due {
    const { outputBytes, wallMs, startMs = 0, idleMs = 0, lingerMs = 0 } = this.#limits;
    const bytes = this.#printed.length;
    const spoken = lingerMs > 0 ? this.#finalAt : undefined;
    const dues: Due[] = [];
    const limit = (name: CrossedLimit, value: number, at: number): void => {
      dues.push({ at, is: { id: 'limit', limit: name, value } });
    };
    if (bytes > outputBytes) limit('output', outputBytes, 0);
    if (said !== undefined && said.ms <= ms) dues.push({ at: said.ms, is: 'utterance' });
    dues.push({ at: ms, is: 'end' });
    if (spoken !== undefined) limit('linger', lingerMs, spoken + lingerMs);
    if (startMs > 0 && bytes === 0) limit('start', startMs, startMs);
    if (idleMs > 0 && spoken === undefined) limit('idle', idleMs, this.#lastOutput + idleMs);
    if (wallMs > 0) limit('wall', wallMs, wallMs);
    return dues.reduce((first, one) => (one.at < first.at ? one : first));
  }

  #age(): number {
    return this.#clock.now() - this.#startedAt;
  }

  #say(text: string): void {
    if (text === '') return;
    const before = this.output.length;
    this.#printed = Buffer.concat([this.#printed, Buffer.from(text)]);
    this.#lastOutput = this.#age();
    for (const listener of this.#listeners) this.#hand(listener, this.output.subarray(before));
  }

  #hand(listener: LineSplitter, bytes: Buffer): void {
    listener.take(bytes);
    if (listener.isCrossed) this.#force({ id: 'limit', limit: 'line', value: listener.bound });
    this.#finalAt = listener.isFinal ? (this.#finalAt ?? this.#lastOutput) : undefined;
    this.#wake.abort('woken');
  }

  #force(how: HowEnded): void {
    this.#forced ??= how;
    this.#wake.abort('woken');
  }
}

interface Due {
  readonly at: number;
  readonly is: 'utterance' | 'end' | HowEnded;
}
