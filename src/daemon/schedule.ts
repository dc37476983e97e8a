import { Cron } from 'croner';
import type { Schedule } from '../config/daemon-keys.ts';
import type { TaskId } from '../model/task.ts';

type Times = Pick<Schedule, 'cron' | 'zone'>;

/** Undefined if the fields are out of their ranges, such as minute 70. */
function cronOf({ cron, zone }: Times): Cron | undefined {
  try {
    return new Cron(cron, { paused: true, timezone: zone });
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}

/** The next firings after `now`; undefined if the expression cannot be read. */
export function nextFirings(times: Times, now: number, count = 1): readonly number[] | undefined {
  return cronOf(times)
    ?.nextRuns(count, new Date(now))
    .map((date) => date.getTime());
}

/** The newest firing after `since` and up to `now`; earlier ones that were missed are not caught up. */
export function dueFiring(times: Times, since: number, now: number): number | undefined {
  // The reference itself is no earlier run, and milliseconds are ignored.
  const [last] = cronOf(times)?.previousRuns(1, new Date(now + 1_000)) ?? [];
  const at = last?.getTime();
  return at !== undefined && at > since && at <= now ? at : undefined;
}

/** `nightly-20261117-0200`: the same for the same firing, so that it adds one task only. */
export function scheduledTask(name: string, { zone }: Times, at: number): TaskId {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(new Date(at));
  const part = (type: string): string => parts.find((one) => one.type === type)?.value ?? '';
  const date = `${part('year')}${part('month')}${part('day')}`;
  return `${name}-${date}-${part('hour')}${part('minute')}`;
}

/** True for a task that an earlier firing of the schedule added. */
export function isOfSchedule(name: string, id: TaskId): boolean {
  return id.startsWith(`${name}-`) && /^\d{8}-\d{4}$/.test(id.slice(name.length + 1));
}
