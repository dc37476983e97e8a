/** Occurrences of each text. */
export type Counts = Map<string, number>;

export function countsOf(items: Iterable<string>): Counts {
  const counts: Counts = new Map();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}

/** Multiset difference: `items` minus `others`, in order. */
export function without(items: Iterable<string>, others: Iterable<string>): string[] {
  const left = countsOf(others);
  const rest: string[] = [];
  for (const item of items) {
    const times = left.get(item) ?? 0;
    if (times === 0) rest.push(item);
    else left.set(item, times - 1);
  }
  return rest;
}
