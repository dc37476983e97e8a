import {
  type HookDelivery,
  type HookLedger,
  hookFilePath,
  readHookFile,
} from '../files/hook-file.ts';
import { fileSchema } from '../files/run-file.ts';
import type { Pages } from '../files/writer.ts';
import { limits } from '../model/limits.ts';
import type { RunId } from '../model/run.ts';

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
