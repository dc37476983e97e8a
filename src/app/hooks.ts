import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { Config } from '../config/config.ts';
import type { Hook } from '../config/hook.ts';
import {
  type HookDelivery,
  type HookLedger,
  hookFilePath,
  readHookFile,
} from '../files/hook-file.ts';
import { runsDir } from '../files/layout.ts';
import { fileSchema } from '../files/run-file.ts';
import { Pages } from '../files/writer.ts';
import { ok, type Result } from '../model/failure.ts';
import type { HookMessage, Occasion } from '../model/hook.ts';
import { limits } from '../model/limits.ts';
import type { Records } from '../model/records.ts';
import type { RunId } from '../model/run.ts';
import { outcomeOf } from '../model/trouble.ts';
import { backoffMs } from '../plan/accounts.ts';
import type { HookSender } from '../port/hook.ts';
import type { Clock } from '../port/processes.ts';
import { counted } from '../report/format/amount.ts';
import { type MessageOptions, messageOf } from '../report/hook/message.ts';
import { type Happened, occasionsOf } from '../report/hook/occasion.ts';
import { redactorFor } from './config.ts';
import { isUnderWay } from './liveness.ts';
import type { Opened } from './ports.ts';
import { RunSteps } from './run-steps.ts';

/** Deliveries of the hooks of one run, kept in a file, so that a resumed run continues there. */
export class RunLedger {
  readonly run: RunId;
  readonly #file: string;
  readonly #pages: Pages;
  readonly #ledgers = new Map<string, HookLedger>();
  /** Numbers of events that wait for their delivery, in order, by hook. */
  readonly #waiting = new Map<string, number[]>();
  #seen = 0;

  /** Opens the ledger of a run. A hook without an entry begins after event `seq`. */
  constructor(pages: Pages, runsDir: string, run: RunId, hooks: readonly string[], seq: number) {
    this.run = run;
    this.#pages = pages;
    this.#file = hookFilePath(runsDir, run);
    const stored = readHookFile(runsDir, run)?.hooks ?? {};
    const none = { position: seq, sent: 0, failed: 0, recent: [] };
    for (const name of hooks) {
      this.#ledgers.set(name, Object.hasOwn(stored, name) ? (stored[name] ?? none) : none);
      this.#waiting.set(name, []);
    }
    // Hooks that are no longer configured have nothing to deliver; their past is kept.
    for (const [name, ledger] of Object.entries(stored)) {
      if (!this.#ledgers.has(name)) this.#ledgers.set(name, ledger);
    }
  }

  /** Last event that a hook had settled when its ledger was last written. */
  position(hook: string): number {
    return this.#ledgers.get(hook)?.position ?? 0;
  }

  /** Event after which some hook may have something to deliver. */
  get start(): number {
    return Math.min(...[...this.#waiting.keys()].map((hook) => this.position(hook)));
  }

  /** Every hook has got the occasions of this event. */
  see(seq: number): void {
    this.#seen = Math.max(this.#seen, seq);
  }

  queue(hook: string, seq: number): void {
    this.#waiting.get(hook)?.push(seq);
  }

  /** Records the end of a message; `events` are those of this run. */
  settle(hook: string, events: number, delivery: HookDelivery): void {
    this.#waiting.get(hook)?.splice(0, events);
    const { sent = 0, failed = 0, recent = [] } = this.#ledgers.get(hook) ?? {};
    const isSent = delivery.cause === undefined;
    this.#ledgers.set(hook, {
      position: this.#settledUpTo(hook),
      sent: sent + (isSent ? events : 0),
      failed: failed + (isSent ? 0 : events),
      recent: [...recent, delivery].slice(-limits.hookDeliveries),
    });
    this.write(false);
  }

  get isSettled(): boolean {
    return [...this.#waiting.values()].every((waiting) => waiting.length === 0);
  }

  write(isLast: boolean): void {
    const hooks = [...this.#ledgers].map(([name, ledger]): [string, HookLedger] => [
      name,
      this.#waiting.has(name) ? { ...ledger, position: this.#settledUpTo(name) } : ledger,
    ]);
    const settled = isLast && this.isSettled;
    this.#pages.put(this.#file, { schema: fileSchema, settled, hooks: Object.fromEntries(hooks) });
  }

  #settledUpTo(hook: string): number {
    const [next] = this.#waiting.get(hook) ?? [];
    return next === undefined ? Math.max(this.position(hook), this.#seen) : next - 1;
  }
}

/** Hooks of one run, fed with what happens in it. */
export interface Hooks {
  /** Queues what the hooks report of an event of the run. Never waits and never throws. */
  on(happened: Happened): void;
  /** Delivers what is left, within a bounded time, and returns messages about what was not delivered. */
  end(): Promise<readonly string[]>;
}

export const noHooks: Hooks = { on: () => undefined, end: async () => [] };

type Ports = Pick<
  Opened,
  'root' | 'env' | 'clock' | 'dir' | 'store' | 'hookSender' | 'self' | 'isAlive'
>;

interface OfRun {
  readonly run: RunId;
  /** Last event before this process drives the run. */
  readonly seq: number;
  readonly records: Pick<Records, 'task' | 'run'>;
}

/** Opens the hooks of a run, and queues what earlier processes stored and did not deliver. */
export async function openHooks(
  ports: Ports,
  config: Config,
  { run, seq, records }: OfRun,
): Promise<Hooks> {
  const queues = await queuesOf(ports, config);
  if (queues.length === 0) return noHooks;
  const names = queues.map(({ name }) => name);
  const dir = runsDir(ports);
  const pages = new Pages();
  const own = new RunLedger(pages, dir, run, names, seq);
  const take = (ledger: RunLedger, happened: Happened, isMissed: boolean): void => {
    const { seq: number } = happened.event;
    for (const occasion of occasionsOf(happened)) {
      for (const queue of queues) {
        if (isMissed && number <= ledger.position(queue.name)) continue;
        queue.push(occasion, ledger);
      }
    }
    ledger.see(number);
  };
  const ledgers = [own, ...(await unsettled(ports, { run, names, pages }))];
  for (const ledger of ledgers) {
    const missed = await missedBy(ports, ledger, records);
    if (missed.ok) for (const happened of missed.value) take(ledger, happened, true);
    ledger.write(false);
  }
  // From here on a kill loses no event.
  await outcomeOf(pages.flush());
  return {
    on: (happened) => take(own, happened, false),
    async end() {
      const messages = await endAll(ports, queues);
      for (const ledger of ledgers) ledger.write(true);
      await outcomeOf(pages.flush());
      return messages;
    },
  };
}

/** Bells of a run that another process drives; nothing records them. */
export async function openBells(ports: Senders, config: Config): Promise<Hooks> {
  const bells = Object.entries(config.hooks).filter(([, { use }]) => use === 'bell');
  const queues = await queuesOf(ports, { ...config, hooks: Object.fromEntries(bells) });
  const ledger = { queue: () => undefined, settle: () => undefined };
  return {
    on(happened) {
      for (const occasion of occasionsOf(happened)) {
        for (const queue of queues) queue.push(occasion, ledger);
      }
    },
    end: () => endAll(ports, queues),
  };
}

/** Delivers what is left within a bounded time, and returns messages about what was not delivered. */
async function endAll(
  { clock }: Pick<Ports, 'clock'>,
  queues: readonly HookQueue[],
): Promise<readonly string[]> {
  const late = new AbortController();
  const done = new AbortController();
  const limit = clock.sleep(limits.hookEndMs, done.signal).then(() => late.abort());
  const messages = await Promise.all(queues.map((queue) => queue.end(late.signal)));
  done.abort();
  await limit;
  return messages.flat();
}

/** Ledgers of runs that are over and whose process was killed before it had delivered everything. */
async function unsettled(
  ports: Ports,
  { run, names, pages }: { run: RunId; names: readonly string[]; pages: Pages },
): Promise<readonly RunLedger[]> {
  const runs = await ports.store.runs(limits.runsListed);
  if (!runs.ok) return [];
  const dir = runsDir(ports);
  return runs.value
    .filter((one) => one.id !== run && !isUnderWay(ports, one))
    .filter(({ id }) => readHookFile(dir, id)?.settled === false)
    .map(({ id }) => new RunLedger(pages, dir, id, names, Number.MAX_SAFE_INTEGER));
}

/** Events of a run after the position of its hooks, with the records as they are now. */
async function missedBy(
  { store }: Pick<Ports, 'store'>,
  { run, start }: RunLedger,
  records: Pick<Records, 'task' | 'run'>,
): Promise<Result<readonly Happened[]>> {
  const record = await store.run(run);
  if (!record.ok) return record;
  const known = { task: records.task.bind(records), run: () => record.value, takeSteps: () => [] };
  const steps = new RunSteps(run, known);
  const missed: Happened[] = [];
  for (let after = start; ; ) {
    const page = await store.events({ after, run, limit: limits.eventPage });
    if (!page.ok) return page;
    missed.push(...page.value.flatMap((event) => steps.of(event) ?? []));
    const last = page.value.at(-1);
    if (last === undefined || page.value.length < limits.eventPage) return ok(missed);
    after = last.seq;
  }
}

export type Senders = Pick<Opened, 'root' | 'env' | 'clock' | 'hookSender'>;

async function queuesOf(ports: Senders, config: Config): Promise<readonly HookQueue[]> {
  const options = messageOptions(ports, config);
  const queues = Object.entries(config.hooks).map(async ([name, hook]) => {
    const sender = await ports.hookSender(hook);
    return sender && new HookQueue(hook, sender, { ...options, hook: name }, ports.clock);
  });
  return (await Promise.all(queues)).filter((queue) => queue !== undefined);
}

interface Options extends MessageOptions {
  redact(text: string): string;
}

export function messageOptions({ root, env }: Pick<Senders, 'root' | 'env'>, config: Config) {
  return {
    project: basename(root),
    hash: (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32),
    redact: redactorFor(config, env).whole,
  };
}

export function cleanMessage(occasions: readonly Occasion[], options: Options): HookMessage {
  const clean = occasions.map((one) => ({
    ...one,
    text: options.redact(one.text),
    ...(one.task && { task: { ...one.task, title: options.redact(one.task.title) } }),
  }));
  return messageOf(clean, options);
}

/** True if a hook reports this occasion. Types and labels are those of tasks. */
export function isWanted({ on, types, labels }: Hook, { point, task }: Occasion): boolean {
  if (on !== undefined && !on.includes(point)) return false;
  if (types !== undefined && !(task !== undefined && types.includes(task.type))) return false;
  return labels === undefined || (task?.labels.some((label) => labels.includes(label)) ?? false);
}

type Ledger = Pick<RunLedger, 'queue' | 'settle'>;

interface Waiting {
  readonly occasion: Occasion;
  readonly ledger: Ledger;
  /** When it came into the queue. */
  readonly at: number;
}

export function failedText(hook: string, events: number, cause: string): string {
  return `Hook ${hook} did not deliver ${counted(events, 'event')}: ${cause}. See \`ym hooks\`.`;
}

export const leftText = 'the run ended first. The next run delivers what is left. See `ym hooks`.';

/** Messages of one hook, one after the other. */
class HookQueue {
  readonly name: string;
  readonly #hook: Hook;
  readonly #sender: HookSender;
  readonly #options: Options;
  readonly #clock: Clock;
  /** Aborts when the run has ended, so that nothing is held back any more. */
  readonly #ending = new AbortController();
  /** Aborts when the time after the end is up. */
  readonly #late = new AbortController();
  #waiting: Waiting[] = [];
  #sentAt: number[] = [];
  #working: Promise<void> | undefined;
  #failed = 0;
  #cause = '';

  constructor(hook: Hook, sender: HookSender, options: Options, clock: Clock) {
    this.name = options.hook;
    this.#hook = hook;
    this.#sender = sender;
    this.#options = options;
    this.#clock = clock;
  }

  push(occasion: Occasion, ledger: Ledger): void {
    if (!isWanted(this.#hook, occasion)) return;
    ledger.queue(this.name, occasion.seq);
    this.#waiting.push({ occasion, ledger, at: this.#clock.now() });
    this.#working ??= this.#work();
  }

  async end(late: AbortSignal): Promise<readonly string[]> {
    late.addEventListener('abort', () => this.#late.abort());
    this.#ending.abort();
    await this.#working;
    const left = this.#waiting.length;
    return [
      ...(this.#failed === 0 ? [] : [failedText(this.name, this.#failed, this.#cause)]),
      ...(left === 0
        ? []
        : [`Hook ${this.name} has not delivered ${counted(left, 'event')} yet: ${leftText}`]),
    ];
  }

  async #work(): Promise<void> {
    // Collects everything that the current tick queues.
    await Promise.resolve();
    while (!this.#late.signal.aborted) {
      const now = this.#clock.now();
      const pace = paceOf(
        {
          waiting: this.#waiting.length,
          since: this.#waiting[0]?.at ?? now,
          digestMs: this.#hook.digest,
          rate: this.#hook.rate,
          sentAt: this.#sentAt,
          isLast: this.#ending.signal.aborted,
        },
        now,
      );
      if (pace.id === 'idle') break;
      if (pace.id === 'wait') await this.#clock.sleep(pace.ms, this.#ending.signal);
      else if (!(await this.#deliver(this.#waiting.slice(0, pace.events)))) break;
    }
    this.#working = undefined;
  }

  /** Tries until it is delivered or given up; false if the time is up before that. */
  async #deliver(some: readonly Waiting[]): Promise<boolean> {
    const message = cleanMessage(
      some.map(({ occasion }) => occasion),
      this.#options,
    );
    for (let tries = 1; ; tries += 1) {
      const sent = await this.#sender.send(message, this.#late.signal);
      const now = this.#clock.now();
      if (sent.ok || !sent.again || tries > this.#hook.retries) {
        this.#sentAt = [...this.#sentAt, now].slice(-this.#hook.rate);
        this.#waiting.splice(0, some.length);
        const cause = sent.ok ? undefined : this.#options.redact(sent.cause);
        const { id, point } = message;
        this.#settle(some, { id, point, at: now, events: some.length, tries, cause });
        return true;
      }
      if (this.#late.signal.aborted) return false;
      const pause = backoffMs(limits.hookPauseMs, limits.hookPauseMaxMs, tries);
      await this.#clock.sleep(pause, this.#late.signal);
      if (this.#late.signal.aborted) return false;
    }
  }

  #settle(some: readonly Waiting[], delivery: HookDelivery): void {
    if (delivery.cause !== undefined) {
      this.#failed += some.length;
      this.#cause = delivery.cause;
    }
    for (const ledger of new Set(some.map((one) => one.ledger))) {
      const events = some.filter((one) => one.ledger === ledger).length;
      ledger.settle(this.name, events, delivery);
    }
  }
}

interface Pressure {
  /** Number of events that wait, and when the first of them came. */
  readonly waiting: number;
  readonly since: number;
  readonly digestMs: number;
  /** Most messages in a minute. */
  readonly rate: number;
  /** Times of earlier messages, oldest first. */
  readonly sentAt: readonly number[];
  /** The run has ended: nothing more comes. */
  readonly isLast: boolean;
}

type Pace =
  /** The next message has this many events. */
  | { readonly id: 'send'; readonly events: number }
  | { readonly id: 'wait'; readonly ms: number }
  | { readonly id: 'idle' };

/**
 * When the next message of a hook goes, and how many events it has. Events that come faster than the rate allows are
 * joined, so none is dropped. At the end of a run nothing is held back.
 */
export function paceOf(pressure: Pressure, now: number): Pace {
  const { waiting, since, digestMs, rate, sentAt, isLast } = pressure;
  if (waiting === 0) return { id: 'idle' };
  const recent = sentAt.filter((at) => at > now - limits.hookRateMs);
  const left = rate - recent.length;
  if (!isLast) {
    const allowed = left > 0 ? now : (recent.at(-rate) ?? now) + limits.hookRateMs;
    const due = Math.max(since + digestMs, allowed);
    if (due > now) return { id: 'wait', ms: due - now };
  }
  const isJoined = digestMs > 0 || waiting > left;
  return { id: 'send', events: isJoined ? waiting : 1 };
}
