/** Words longer than this are never offered: comparing them costs more than the hint is worth. */
const comparedChars = 100;

/**
 * The known word most likely meant, or none where nothing is close. A slip of letter case always counts as close;
 * else at most one edit for every three letters.
 */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  const wanted = word.toLowerCase();
  if (wanted === '' || wanted.length > comparedChars) return undefined;
  let best: string | undefined;
  let bound = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of known) {
    const distance = edits(wanted, candidate.toLowerCase(), bound);
    if (distance >= bound) continue;
    best = candidate;
    bound = distance;
    if (distance === 0) break;
  }
  return best;
}

/** Question before the remedy, or nothing if no known word is close. */
export function didYouMean(near: string | undefined): string {
  return near === undefined ? '' : `Did you mean "${near}"? `;
}

/**
 * Insertions, deletions, substitutions and swaps of neighbors from `a` to `b`, or `bound` as soon as it is clear that
 * there are no fewer.
 */
function edits(a: string, b: string, bound: number): number {
  if (Math.abs(a.length - b.length) >= bound) return bound;
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j += 1) {
      const swap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const cost = Math.min(
        (above[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (above[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1),
        swap ? (before[j - 2] ?? 0) + 1 : bound,
      );
      row.push(cost);
      least = Math.min(least, cost);
    }
    if (least >= bound) return bound;
    before = above;
    above = row;
  }
  return Math.min(above[b.length] ?? bound, bound);
}
