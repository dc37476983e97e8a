import { colors, plain, type Style } from '../report/format/style.ts';
import { isoTime } from '../report/format/time.ts';
import type { Call } from './parse.ts';

/** Where a command prints, and how much room and colour it has there. */
export interface Screen {
  readonly style: Style;
  readonly width: number;
  readonly isTerminal: boolean;
  lines(lines: readonly string[]): void;
  /** Prints an object for programs. It gets `schema: 1` unless it has a schema of its own. */
  json(value: object): void;
}

/** The version of what commands print with `--json`. Fields may be added under the same number. */
const jsonSchema = 1;

const widthWithoutTerminal = 120;

export function screenOf(call: Call): Screen {
  const { stdout, env } = process;
  const isTerminal = stdout.isTTY === true;
  const coloured = isTerminal && call.global.color && !env.NO_COLOR && env.TERM !== 'dumb';
  return {
    style: coloured ? colors : plain,
    width: Math.max(20, isTerminal ? stdout.columns : Number(env.COLUMNS) || widthWithoutTerminal),
    isTerminal,
    lines: (lines) => {
      if (lines.length > 0) stdout.write(`${lines.join('\n')}\n`);
    },
    json: (value) => {
      stdout.write(`${JSON.stringify({ schema: jsonSchema, ...value }, withIsoTimes, 2)}\n`);
    },
  };
}

/** Moments are stored as milliseconds since 1970 and printed as ISO 8601; this is for `JSON.stringify`. */
export function withIsoTimes(key: string, value: unknown): unknown {
  const isMoment =
    typeof value === 'number' &&
    value >= momentMs &&
    /^(?:at|since|until)$|[a-z](?:At|Since|Until)$/.test(key);
  return isMoment ? isoTime(value) : value;
}

/** The year 2001. A smaller number under such a name is a count or a length of time. */
const momentMs = 1_000_000_000_000;

/** Minutes the reader's clock is away from the world's. */
export function clockOffset(): number {
  return new Date().getTimezoneOffset();
}
