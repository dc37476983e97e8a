import { z } from 'zod';
import { optional } from '../document/document.ts';
import { daemonLimits } from '../model/daemon.ts';
import { key } from './key.ts';
import { choice, duration, kind, mapOf, text, whole } from './values.ts';

/** One of the five fields of a cron expression. */
interface Field {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  /** Names that stand for numbers, from `least` on. */
  readonly names: readonly string[];
  /** Values with a letter or a number of their own, such as the last day. */
  readonly special?: RegExp;
}

const fields: readonly Field[] = [
  { name: 'minute', least: 0, most: 59, names: [] },
  { name: 'hour', least: 0, most: 23, names: [] },
  { name: 'day', least: 1, most: 31, names: [], special: /^(?:L|LW|(\d+)W)$/ },
  {
    name: 'month',
    least: 1,
    most: 12,
    names: ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'],
  },
  {
    name: 'weekday',
    least: 0,
    most: 7,
    names: ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'],
    special: /^([0-9A-Z]+)(?:L|#[1-5L])$/,
  },
];

const nicknames = /^@(?:yearly|annually|monthly|weekly|daily|midnight|hourly)$/;

/** True for five fields with values in their ranges, or a name such as @daily. The library for times is not loaded. */
export function isCron(text: string): boolean {
  if (text.startsWith('@')) return nicknames.test(text);
  const given = text.trim().split(/\s+/);
  if (given.length !== fields.length) return false;
  return fields.every((field, at) =>
    (given[at] ?? '').split(',').every((part, _, all) => {
      // The last working day stands alone.
      return isPart(part.toUpperCase(), field) && (all.length === 1 || !/^LW$/i.test(part));
    }),
  );
}

function isPart(part: string, field: Field): boolean {
  if (part === '*' || part === '?') return true;
  const special = field.special?.exec(part);
  if (special) return special[1] === undefined || numberOf(special[1], field) !== undefined;
  const [span = '', step, ...rest] = part.split('/');
  const [from = '', to, ...more] = span.split('-');
  if (rest.length > 0 || more.length > 0) return false;
  if (step !== undefined && !isStep(step, field)) return false;
  if (span === '*') return step !== undefined;
  const first = numberOf(from, field);
  // A step needs a range.
  if (to === undefined) return first !== undefined && step === undefined;
  const last = numberOf(to, field);
  return first !== undefined && last !== undefined && first <= last;
}

function isStep(text: string, { names, least, most }: Field): boolean {
  // Sunday has two numbers.
  const values = names.length === 0 ? most - least + 1 : names.length;
  return /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= values;
}

function numberOf(text: string, { names, least, most }: Field): number | undefined {
  const named = names.indexOf(text);
  if (named >= 0) return named + least;
  const value = Number(text);
  return /^\d+$/.test(text) && value >= least && value <= most ? value : undefined;
}

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
