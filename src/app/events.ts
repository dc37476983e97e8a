import { type Event, runOf, tasksOf } from '../model/event.ts';
import { ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { TaskId } from '../model/task.ts';
import type { Store } from '../port/store.ts';
import { existingRun, taskNamed } from './lookup.ts';
import type { Project } from './ports.ts';

export interface EventRequest {
  readonly run?: string;
  readonly task?: TaskId;
  /** Only events with a higher number. */
  readonly after?: number;
  /** Largest number of events: the first ones after `after`, else the newest ones that are stored already. */
  readonly limit?: number;
  /**
   * Returns new events as well, until `limit` events after `after` were returned, or until `signal` aborts and
   * everything that was stored before has been returned.
   */
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
  const opened = await ports.openStore('read');
  if (!opened.ok) return yield opened;
  const store = opened.value;
  try {
    const filter = await filterOf(store, request);
    if (!filter.ok) return yield filter;
    let left = limit;
    let seq = after ?? 0;
    let newest: Event[] | undefined =
      after === undefined && limit < Number.POSITIVE_INFINITY ? [] : undefined;
    let pauseMs: number = limits.followMs;
    while (left > 0) {
      // What was stored before the signal is on this page or a later one.
      const isLast = !follow || signal.aborted;
      const page = await store.events({ after: seq, limit: limits.eventPage });
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
      if (isLast) return;
      pauseMs = page.value.length > 0 ? limits.followMs : Math.min(pauseMs * 2, limits.followMaxMs);
      await ports.clock.sleep(pauseMs, signal);
    }
  } finally {
    await store.close();
  }
}

/** Finds out what the request names. */
async function filterOf(
  store: Store,
  { run, task }: EventRequest,
): Promise<Result<(event: Event) => boolean>> {
  const found = run === undefined ? ok(undefined) : await existingRun(store, run);
  if (!found.ok) return found;
  const known = task === undefined ? ok(undefined) : await taskNamed(store, task);
  if (!known.ok) return known;
  const id = found.value?.id;
  return ok(
    (event) =>
      (id === undefined || runOf(event) === id) &&
      (task === undefined || tasksOf(event).includes(task)),
  );
}
