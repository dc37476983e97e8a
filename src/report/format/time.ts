/** A length of time for people: the two largest units that say something. */
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

/** Hours, minutes and seconds of a moment. `offsetMin` is what `Date.getTimezoneOffset` says there. */
export function clockTime(at: number, offsetMin = 0): string {
  return isoTime(at - offsetMin * 60_000).slice(11, 19);
}

/** Day and time of a moment, by the same rule. */
export function dayTime(at: number, offsetMin = 0): string {
  return isoTime(at - offsetMin * 60_000)
    .slice(0, 19)
    .replace('T', ' ');
}

/** The most a date can be away from 1970; a stored time beyond it is damage, and must not stop a reader. */
const dateMs = 8.64e15;

/** A moment as programs exchange it. Total: a number that is no moment reads as the beginning of 1970. */
export function isoTime(at: number): string {
  return new Date(Number.isFinite(at) && Math.abs(at) <= dateMs ? at : 0).toISOString();
}

export function shortCommit(commit: string): string {
  return /^[0-9a-f]{12,}$/.test(commit) ? commit.slice(0, 7) : commit;
}
