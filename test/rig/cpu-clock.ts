/** Starts a clock of processor time, in milliseconds, which stands still while a busy machine runs other programs. */
export function cpuClock(): () => number {
  const begin = process.cpuUsage();
  return () => process.cpuUsage(begin).user / 1_000;
}
