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
