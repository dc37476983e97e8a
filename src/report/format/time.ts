/** A duration in its two largest units. */
export function span(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return '0 s';
  if (ms < 1000) return `${Math.floor(ms)} ms`;
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} m ${String(seconds % 60).padStart(2, '0')} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h ${String(minutes % 60).padStart(2, '0')} m`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** A duration as a stopwatch shows it: `06:10`, `1:02:03`. */
export function stopwatch(ms: number): string {
  const seconds = Number.isFinite(ms) && ms > 0 ? Math.floor(ms / 1000) : 0;
  const two = (value: number): string => String(value).padStart(2, '0');
  const rest = `${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return seconds < 3600 ? rest : `${Math.floor(seconds / 3600)}:${rest}`;
}

/** A duration in its largest unit: `45s`, `12m`, `3h`, `2d`. */
export function shortSpan(ms: number): string {
  const seconds = Number.isFinite(ms) && ms > 0 ? Math.floor(ms / 1000) : 0;
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`;
}

/** `14:05:09`. `offsetMin` is the reader's `Date.getTimezoneOffset()`. */
export function clockTime(at: number, offsetMin = 0): string {
  return isoTime(at - offsetMin * 60_000).slice(11, 19);
}

/** `2026-01-31 14:05:09` */
export function dayTime(at: number, offsetMin = 0): string {
  return isoTime(at - offsetMin * 60_000)
    .slice(0, 19)
    .replace('T', ' ');
}

/** Range of a JavaScript date. A stored time beyond it is damaged and must not throw. */
const dateMs = 8.64e15;

/** ISO 8601. Total: an invalid time reads as 1970-01-01. */
export function isoTime(at: number): string {
  return new Date(Number.isFinite(at) && Math.abs(at) <= dateMs ? at : 0).toISOString();
}

/** `2026-01-31 14:05 UTC` */
export function utcMinute(at: number): string {
  return `${isoTime(at).slice(0, 16).replace('T', ' ')} UTC`;
}

export function shortCommit(commit: string): string {
  return /^[0-9a-f]{12,}$/.test(commit) ? commit.slice(0, 7) : commit;
}

export function withShortCommits(text: string): string {
  return text.replace(/\b[0-9a-f]{40}\b/g, shortCommit);
}

/** Replacer for `JSON.stringify`: prints moments, which are stored as milliseconds since 1970, as ISO 8601. */
export function withIsoTimes(key: string, value: unknown): unknown {
  const isMoment =
    typeof value === 'number' &&
    value >= momentMs &&
    /^(?:at|since|until)$|[a-z](?:At|Since|Until)$/.test(key);
  return isMoment ? isoTime(value) : value;
}

/** The year 2001. A smaller number under such a name is a count or a duration. */
const momentMs = 1_000_000_000_000;
