import { type Event, runOf, tasksOf } from '../model/event.ts';
import { ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { RunId } from '../model/run.ts';
import type { TaskId } from '../model/task.ts';
import type { Store } from '../port/store.ts';
import { existingRun, taskNamed } from './lookup.ts';
import type { Project } from './ports.ts';

export interface EventRequest {
  /** Run id, or a part of it. */
  readonly run?: string;
  readonly task?: TaskId;
  /** Only events with a higher number. */
  readonly after?: number;
  /** Largest number of events: the first ones after `after`, else the newest ones that are stored already. */
  readonly limit?: number;
  /** Returns new events as well, until `signal` aborts or `limit` events after `after` were returned. */
  readonly follow: boolean;
  readonly signal: AbortSignal;
}

type Ports = Pick<Project, 'openStore' | 'clock'>;

/** Reads events of the log, oldest first, in pages. A store that does not exist yet counts as empty. */
export async function* readEvents(
  ports: Ports,
  request: EventRequest,
): AsyncGenerator<Result<readonly Event[]>> {
  const { after, limit = Number.POSITIVE_INFINITY, follow, signal } = request;
  const log = new Log(ports);
  try {
    const filter = await log.filter(request);
    if (!filter.ok) return yield filter;
    let left = limit;
    let seq = after ?? 0;
    let newest: Event[] | undefined =
      after === undefined && limit < Number.POSITIVE_INFINITY ? [] : undefined;
    let pauseMs: number = limits.followMs;
    while (!signal.aborted && left > 0) {
      const page = await log.page(seq);
      if (!page.ok) return yield page;
      const found = page.value.filter(filter.value);
      seq = page.value.at(-1)?.seq ?? seq;
      const isEnd = page.value.length < limits.eventPage;
      if (newest === undefined) {
        const shown = found.slice(0, left);
        if (shown.length > 0) yield ok(shown);
        if (after !== undefined) left -= shown.length;
      } else {
        newest = [...newest, ...found].slice(-limit);
        if (isEnd) yield ok(newest);
        if (isEnd) newest = undefined;
      }
      if (!isEnd) continue;
      if (!follow) return;
      pauseMs = page.value.length > 0 ? limits.followMs : Math.min(pauseMs * 2, limits.followMaxMs);
      await ports.clock.sleep(pauseMs, signal);
    }
  } finally {
    await log.close();
  }
}

/** The log of a project whose store may not exist yet. */
class Log {
  readonly #ports: Ports;
  #store: Store | undefined;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** The events after a number, at most one page of them. A store that was empty is opened again, since its file may be new. */
  async page(after: number): Promise<Result<readonly Event[]>> {
    if (after === 0) await this.close();
    const store = await this.#open();
    return store.ok ? store.value.events({ after, limit: limits.eventPage }) : store;
  }

  /** Finds out what the request names. */
  async filter({ run, task }: EventRequest): Promise<Result<(event: Event) => boolean>> {
    const store = await this.#open();
    if (!store.ok) return store;
    let id: RunId | undefined;
    if (run !== undefined) {
      const found = await existingRun(store.value, run);
      if (!found.ok) return found;
      id = found.value.id;
    }
    const known = task === undefined ? ok(undefined) : await taskNamed(store.value, task);
    if (!known.ok) return known;
    return ok(
      (event) =>
        (id === undefined || runOf(event) === id) &&
        (task === undefined || tasksOf(event).includes(task)),
    );
  }

  async close(): Promise<void> {
    await this.#store?.close();
    this.#store = undefined;
  }

  async #open(): Promise<Result<Store>> {
    if (this.#store !== undefined) return ok(this.#store);
    const opened = await this.#ports.openStore('read');
    if (opened.ok) this.#store = opened.value;
    return opened;
  }
}
