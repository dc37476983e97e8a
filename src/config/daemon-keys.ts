import { z } from 'zod';
import { optional } from '../document/document.ts';
import { daemonLimits } from '../model/daemon.ts';
import { isCron } from './cron.ts';
import { key } from './key.ts';
import { choice, duration, kind, mapOf, text, whole } from './values.ts';

const ofUser = 'read from your own config file and the environment';

const repository = kind('text', () =>
  text.schema.refine((value) => !/:\/\/[^/@]*:[^/@]*@/.test(value), {
    error: 'Leave the password out: use ssh, or a credential helper of git.',
  }),
);

const cronHint =
  'Give five fields in their ranges (minute 0-59, hour 0-23, day 1-31, month 1-12, weekday 0-7), such as "0 2 * * 1-5" for 02:00 from Monday to Friday, or @daily.';

const schedule = kind('map', () =>
  z.strictObject(
    {
      cron: text.schema.refine(isCron, { error: cronHint }),
      zone: optional(
        text.schema.refine(isZone, { error: 'Give a time zone, such as Europe/Berlin or UTC.' }),
      ),
      task: z.looseObject(
        { title: text.schema },
        { error: 'Give the task as a map with at least a title.' },
      ),
    },
    { error: 'Write a map such as { cron: "0 2 * * *", task: { title: Update dependencies } }.' },
  ),
);

/** A task that is added at certain times. */
export type Schedule = z.output<typeof schedule.schema>;

function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Keys of the daemon and of workers; see docs/daemon.md and docs/workers.md. */
export const daemonKeys = {
  workers: {
    remote: key('workers.remote', repository, {
      doc: 'Shared git repository, as a URL or a path, through which `ym worker` on other machines gets and gives commits; needs a `store` in Postgres',
    }),
  },
  daemon: {
    jobs: key('daemon.jobs', whole(1, daemonLimits.jobsMax), {
      default: daemonLimits.jobsDefault,
      doc: `Agents of all projects together that run at the same time under the daemon; ${ofUser}`,
    }),
    spawnsPerTick: key('daemon.spawns_per_tick', whole(1, daemonLimits.spawnsPerTickMax), {
      default: daemonLimits.spawnsPerTickDefault,
      doc: `Agents of all projects together that may start within one second under the daemon; ${ofUser}`,
    }),
    drainMs: key('daemon.drain', duration, {
      default: daemonLimits.drainDefaultMs,
      doc: `Time that agents have to finish their turns after \`ym daemon stop\`; ${ofUser}`,
    }),
    priority: key('daemon.priority', choice(['high', 'normal', 'low']), {
      default: 'normal',
      doc: 'Share of the slots that the runs of this project get from the daemon: `high` is twice and `low` half of `normal`',
    }),
  },
  schedules: key(
    'schedules',
    mapOf(schedule, {
      map: 'Give the schedules as a map of names.',
      name: 'Name schedules with lower-case letters, digits and "-".',
      names: /^[a-z][a-z0-9-]{0,39}$/,
    }),
    {
      default: {},
      doc: 'Tasks that the daemon adds at certain times, by name: `{ cron, zone, task }`; `task` has the keys of a task in a plan file',
    },
  ),
} as const;
