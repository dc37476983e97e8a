/**
 * A binary heap that knows the place of each item, so that any item can be taken out without a search. Items are
 * told apart by identity; `before` must be a total order that does not change while an item is inside.
 */
export class Heap<T> {
  readonly #items: T[] = [];
  readonly #at = new Map<T, number>();
  readonly #before: (a: T, b: T) => boolean;

  constructor(before: (a: T, b: T) => boolean) {
    this.#before = before;
  }

  get size(): number {
    return this.#items.length;
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    if (this.#at.has(item)) return;
    this.#items.push(item);
    this.#up(item, this.#items.length - 1);
  }

  pop(): T | undefined {
    const top = this.#items[0];
    if (top !== undefined) this.delete(top);
    return top;
  }

  delete(item: T): boolean {
    const at = this.#at.get(item);
    if (at === undefined) return false;
    this.#at.delete(item);
    const last = this.#items.pop();
    if (last !== undefined && last !== item) this.#down(last, this.#up(last, at));
    return true;
  }

  /**
   * The items from first to last without taking any out. Reading the first k costs O(k log k) whatever the size.
   * The heap must not change while this is read.
   */
  *sorted(): Generator<T> {
    const items = this.#items;
    if (items.length === 0) return;
    // Positions instead of items, so that the children of the one just given are found at once.
    const frontier = new Heap<number>((a, b) => {
      const left = items[a];
      const right = items[b];
      return left !== undefined && right !== undefined && this.#before(left, right);
    });
    frontier.push(0);
    for (let at = frontier.pop(); at !== undefined; at = frontier.pop()) {
      const item = items[at];
      if (item !== undefined) yield item;
      if (2 * at + 1 < items.length) frontier.push(2 * at + 1);
      if (2 * at + 2 < items.length) frontier.push(2 * at + 2);
    }
  }

  /** Puts `item` at or above `from`, and returns its place. */
  #up(item: T, from: number): number {
    let at = from;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = this.#items[above];
      if (parent === undefined || !this.#before(item, parent)) break;
      this.#place(parent, at);
      at = above;
    }
    this.#place(item, at);
    return at;
  }

  #down(item: T, from: number): void {
    let at = from;
    for (;;) {
      const left = 2 * at + 1;
      const a = this.#items[left];
      if (a === undefined) break;
      const b = this.#items[left + 1];
      const right = b !== undefined && this.#before(b, a);
      const child = right ? b : a;
      if (!this.#before(child, item)) break;
      this.#place(child, at);
      at = right ? left + 1 : left;
    }
    this.#place(item, at);
  }

  #place(item: T, at: number): void {
    this.#items[at] = item;
    this.#at.set(item, at);
  }
}
