/** A stretch of time, and its place on the axis. Places go from 0 to 1. */
export interface Segment {
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly end: number;
  /** True if nothing happened in it, so it takes less room than its time. */
  readonly isSqueezed: boolean;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Room of a squeezed stretch, as a share of the time in which something happened. */
const squeezedShare = 0.03;

/**
 * Axis from `from` to `to`. With `squeeze`, stretches in which nothing happened and that are longer than a share of the
 * rest get the room of that share. The segments follow each other without a gap.
 */
export function scaleOf(spans: readonly Span[], { from, to }: Span, squeeze: boolean): Segment[] {
  const busy = merged(spans, from, to);
  const length = busy.reduce((sum, span) => sum + span.to - span.from, 0);
  const most = Math.max(1, length * squeezedShare);
  const raw: (Span & { readonly room: number })[] = [];
  let at = from;
  for (const span of [...busy, { from: to, to }]) {
    const idle = span.from - at;
    if (idle > 0)
      raw.push({ from: at, to: span.from, room: squeeze ? Math.min(idle, most) : idle });
    if (span.to > span.from) raw.push({ ...span, room: span.to - span.from });
    at = span.to;
  }
  const all = raw.reduce((sum, { room }) => sum + room, 0);
  let start = 0;
  return raw.map(({ room, ...span }) => {
    const end = start + room / all;
    const segment = { ...span, start, end, isSqueezed: room < span.to - span.from };
    start = end;
    return segment;
  });
}

/** The spans within `from` and `to`, joined where they overlap. */
function merged(spans: readonly Span[], from: number, to: number): Span[] {
  const inside = spans
    .map((span) => ({ from: Math.max(from, span.from), to: Math.min(to, span.to) }))
    .filter((span) => span.to > span.from)
    .sort((a, b) => a.from - b.from);
  const joined: { from: number; to: number }[] = [];
  for (const span of inside) {
    const last = joined.at(-1);
    if (last === undefined || last.to < span.from) joined.push({ ...span });
    else last.to = Math.max(last.to, span.to);
  }
  return joined;
}

/** Place of a time on the axis, from 0 to 1; times outside of it are at its ends. */
export function placeOf(scale: readonly Segment[], time: number): number {
  let [low, high] = [0, scale.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((scale[middle]?.to ?? 0) < time) low = middle + 1;
    else high = middle;
  }
  const segment = scale[low];
  if (segment === undefined) return 0;
  const share = (time - segment.from) / Math.max(1, segment.to - segment.from);
  return segment.start + Math.min(1, Math.max(0, share)) * (segment.end - segment.start);
}
