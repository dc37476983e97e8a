import { type Failure, ok, type Result } from '../model/failure.ts';
import { wrap } from '../report/format/layout.ts';
import type { Style } from '../report/format/style.ts';
import { withIsoTimes } from '../report/format/time.ts';
import { inkFor, printErrors, printJson, printLines } from './output.ts';
import type { Call } from './parse.ts';

/** Standard output of a command, with the style and width to print in. */
export interface Screen {
  readonly style: Style;
  readonly width: number;
  /** Width of sentences. Unlimited without a terminal, so that a search in the output finds them. */
  readonly textWidth: number;
  readonly isTerminal: boolean;
  lines(lines: readonly string[]): void;
  /** Prints an object for programs. It gets `schema: 1` unless it has a schema of its own. */
  json(value: object): void;
}

/** Version of the `--json` output. Fields may be added without changing it. */
const jsonSchema = 1;

const widthWithoutTerminal = 120;

export function screenOf(call: Call): Screen {
  const { stdout, env } = process;
  const isTerminal = stdout.isTTY === true;
  const colored = isTerminal && call.global.color && !env.NO_COLOR && env.TERM !== 'dumb';
  const columns = isTerminal ? stdout.columns : Number(env.COLUMNS);
  const width = Math.max(20, columns || widthWithoutTerminal);
  return {
    style: inkFor(colored).style,
    width,
    textWidth: isTerminal ? width : Number.POSITIVE_INFINITY,
    isTerminal,
    lines: printLines,
    json: (value) => {
      printJson(JSON.stringify({ schema: jsonSchema, ...value }, withIsoTimes, 2));
    },
  };
}

/** True if a person sits at a terminal on which lines can be drawn anywhere. */
export function isFullScreen({ isTerminal }: Pick<Screen, 'isTerminal'>): boolean {
  return isTerminal && process.stdin.isTTY === true && process.env.TERM !== 'dumb';
}

/** Prints a result: as JSON with `--json`, else as text. Returns exit status 0. */
export function print(
  call: Call,
  value: object,
  text: (screen: Screen) => readonly string[],
): Result<number, never> {
  const screen = screenOf(call);
  if (call.options.flag('json')) screen.json(value);
  else screen.lines(text(screen));
  return ok(0);
}

/** Prints what a command did: as JSON with `--json` if it has that option, else as text unless `--quiet`. */
export function confirm(
  call: Call,
  lines: readonly string[],
  value?: object,
): Result<number, never> {
  if (value !== undefined && call.options.flag('json')) screenOf(call).json(value);
  else if (!call.global.quiet) screenOf(call).lines(lines);
  return ok(0);
}

/** Prints messages next to the output, on standard error. */
export function warn(messages: readonly string[]): void {
  const { isTTY, columns } = process.stderr;
  const lines = messages.map((message) => `ym: ${message}`);
  // Another program gets each message as one line.
  printErrors(isTTY === true ? lines.flatMap((line) => wrap(line, columns || 80)) : lines);
}

/** Prints each failure on standard error, and returns the exit status of the first. */
export async function complain(failures: readonly Failure[]): Promise<number> {
  // Loaded on failure only, because the sentences are a third of a command's code.
  const { explain, fullText } = await import('../report/explain/explain.ts');
  warn(failures.map(fullText));
  const [first] = failures;
  return first === undefined ? 0 : explain(first).exit;
}

/** Offset of the user's time zone in minutes. */
export function clockOffset(): number {
  return new Date().getTimezoneOffset();
}
