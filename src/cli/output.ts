import type { Failure } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { visible, visibleJson } from '../model/visible.ts';
import { hasUnicode, inAscii } from '../report/format/ascii.ts';
import { type Ink, inkOf, noInk } from '../report/format/style.ts';

/**
 * Writes to standard output and standard error; nothing else of the program does. Control characters in text are made
 * visible here, and only the marks of our own styles become escape codes.
 */

/** Styles of this process. The first use of colors creates their key, which text from outside cannot contain. */
let ownInk = noInk;

export function inkFor(colored: boolean): Ink {
  if (!colored) return noInk;
  // Loaded only here, because it takes longer than the rest of a short command.
  const { randomBytes } = process.getBuiltinModule('node:crypto');
  if (ownInk === noInk) ownInk = inkOf(randomBytes(9).toString('hex'));
  return ownInk;
}

/** Error of standard output, such as a full disk; undefined while there is none. */
let trouble: string | undefined;

/**
 * Keeps errors of standard output from ending the program. A closed pipe is no error: `ym tasks | head` has read
 * enough.
 */
export function watchOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    const { code, message } = error;
    if (code !== 'EPIPE' && code !== 'EIO' && code !== 'ERR_STREAM_DESTROYED') trouble ??= message;
  });
}

/** Failure if output is missing; undefined if all of it was written, or its reader closed the pipe. */
export async function outputTrouble(): Promise<Failure | undefined> {
  // A stream reports its errors later.
  await new Promise((resolve) => setImmediate(resolve));
  if (trouble === undefined) return undefined;
  const problem = `Standard output cannot be written: ${trouble.replace(/, write$/, '')}.`;
  const remedy = 'The command was carried out; send its output elsewhere, or free some space.';
  return { kind: 'surroundings-broken', problem, remedy };
}

/** Shows on a terminal what a command does until it prints something. Undefined if nothing is shown. */
let work: { readonly command: string; detail: string; isDrawn: boolean } | undefined;

/**
 * Says on standard error, on a terminal only, how long a command has been at work, once that is longer than two seconds.
 * The line disappears with the first output, or with the call of the returned function.
 */
export function noteWork(command: string): () => void {
  const begin = performance.now();
  work = { command, detail: '', isDrawn: false };
  const timer = setInterval(() => {
    const ms = performance.now() - begin;
    if (work === undefined || ms < limits.progressMs || process.stderr.isTTY !== true) return;
    const detail = work.detail === '' ? '' : `, ${work.detail}`;
    const text = `ym ${work.command} is at work, ${Math.floor(ms / 1000)} s${detail}`;
    const room = Math.max(1, (process.stderr.columns || 80) - 1);
    process.stderr.write(`\r${visible(text).slice(0, room)}\u001b[K`);
    work.isDrawn = true;
  }, limits.progressMs / 2);
  timer.unref();
  return () => {
    clearInterval(timer);
    endNote();
  };
}

/** How far the command is, such as `3 of 12 attempts read`. */
export function noteDetail(detail: string): void {
  if (work !== undefined) work.detail = detail;
}

function endNote(): void {
  if (work?.isDrawn === true) process.stderr.write('\r\u001b[K');
  work = undefined;
}

/** Lines of a report. A line break within a line is shown as a space. */
export function printLines(lines: readonly string[]): void {
  endNote();
  const isPlain = process.stdout.isTTY === true && !hasUnicode(process.env);
  if (lines.length > 0) process.stdout.write(shownText(isPlain ? lines.map(inAscii) : lines));
}

/** Our own control sequences for the terminal, without any text from outside. */
export function control(sequence: string): void {
  endNote();
  process.stdout.write(sequence);
}

/** A line of a full screen. `isFull` if it reaches the last column, where erasing the rest would take its end away. */
export interface ScreenLine {
  readonly row: number;
  readonly line: string;
  readonly isFull: boolean;
}

/** Redraws lines of a full screen between two control sequences, in one write. */
export function drawAt(before: string, lines: readonly ScreenLine[], after: string): void {
  const text = lines.map(({ row, line, isFull }) => {
    const shown = ownInk.shown(line);
    return isFull ? `\u001b[${row};1H\u001b[2K${shown}` : `\u001b[${row};1H${shown}\u001b[K`;
  });
  process.stdout.write(before + text.join('') + after);
}

/** Text with line breaks, such as the output of an agent. */
export function printText(text: string): void {
  endNote();
  if (text !== '') process.stdout.write(visible(text));
}

/** Text as it is, for another program. A terminal would obey it, so there it is made visible. */
export function printRaw(text: string): void {
  endNote();
  if (process.stdout.isTTY === true) printText(text);
  else if (text !== '') process.stdout.write(text);
}

/** One value as JSON. Invisible characters are written as escapes, so programs read the same strings. */
export function printJson(json: string): void {
  endNote();
  process.stdout.write(`${visibleJson(json)}\n`);
}

/**
 * Messages for standard error. Its errors are ignored, because there is no place left to report them. Opened
 * on first use, because opening it is a noticeable part of the time of a short command.
 */
export function printErrors(lines: readonly string[]): void {
  if (lines.length === 0) return;
  endNote();
  if (process.stderr.listenerCount('error') === 0) process.stderr.on('error', () => {});
  process.stderr.write(shownText(lines));
}

/** Lines as they are printed. */
export function shownText(lines: readonly string[]): string {
  return lines.map((line) => `${ownInk.shown(line)}\n`).join('');
}
