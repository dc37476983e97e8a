import type { Priority, TaskId } from '../model/task.ts';
import { Heap } from './heap.ts';

/** Sort key of ready tasks: lower class, then larger rank, then lower order. */
export interface ReadyKey {
  readonly priority: Priority;
  /** Longest remaining path. */
  readonly rank: number;
  /** Order of arrival. */
  readonly order: number;
}

interface Entry {
  readonly id: TaskId;
  readonly key: ReadyKey;
  readonly since: number;
}

/**
 * The tasks that could start now. Putting, taking out and finding the next cost the same with ten tasks and with ten
 * thousand, but for a logarithm.
 */
export class ReadyQueue {
  readonly #entries = new Map<TaskId, Entry>();
  readonly #best = new Heap<Entry>(goesFirst);
  readonly #oldest = new Heap<Entry>((a, b) =>
    a.since === b.since ? goesFirst(a, b) : a.since < b.since,
  );

  get size(): number {
    return this.#entries.size;
  }

  has(id: TaskId): boolean {
    return this.#entries.has(id);
  }

  /** Longest remaining path of a task; 0 if it is not in the queue. */
  rank(id: TaskId): number {
    return this.#entries.get(id)?.key.rank ?? 0;
  }

  /** `since` is when the task became ready. An id that is there already gets the new key and time. */
  put(id: TaskId, key: ReadyKey, since: number): void {
    this.delete(id);
    const entry = { id, key, since };
    this.#entries.set(id, entry);
    this.#best.push(entry);
    this.#oldest.push(entry);
  }

  delete(id: TaskId): boolean {
    const entry = this.#entries.get(id);
    if (entry === undefined) return false;
    this.#entries.delete(id);
    this.#best.delete(entry);
    this.#oldest.delete(entry);
    return true;
  }

  /**
   * The task to start next among those that `accept` lets through; it stays in the queue. The one that has waited
   * longest goes before more important ones once it has waited `ageMs`, so nothing starves; but never before a task of
   * the first class, which would otherwise wait behind a whole backlog that has grown old.
   */
  next(now: number, ageMs: number, accept: (id: TaskId) => boolean = all): TaskId | undefined {
    const best = this.#firstOf(this.#best, accept);
    if (best === undefined || best.key.priority === 0 || ageMs === Number.POSITIVE_INFINITY) {
      return best?.id;
    }
    const oldest = this.#firstOf(this.#oldest, accept);
    return oldest !== undefined && now - oldest.since >= ageMs ? oldest.id : best.id;
  }

  #firstOf(heap: Heap<Entry>, accept: (id: TaskId) => boolean): Entry | undefined {
    // Most first ones are accepted, and reading on takes a heap of its own.
    const first = heap.peek();
    if (first === undefined || accept(first.id)) return first;
    for (const entry of heap.sorted()) if (entry !== first && accept(entry.id)) return entry;
    return undefined;
  }

  ids(): IterableIterator<TaskId> {
    return this.#entries.keys();
  }
}

const all = (): boolean => true;

function goesFirst(a: Entry, b: Entry): boolean {
  if (a.key.priority !== b.key.priority) return a.key.priority < b.key.priority;
  if (a.key.rank !== b.key.rank) return a.key.rank > b.key.rank;
  if (a.key.order !== b.key.order) return a.key.order < b.key.order;
  return a.id < b.id;
}
