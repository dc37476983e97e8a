import type { Writable } from 'node:stream';
import type { Failure } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { visible, visibleJson } from '../model/visible.ts';
import { hasUnicode, inAscii } from '../report/format/ascii.ts';
import { type Ink, inkOf, noInk } from '../report/format/style.ts';

/** Cells of the memory that the thread of a note shares with the program. */
const cells = { lock: 0, isDrawn: 1, isOver: 2 } as const;

interface NoteThread {
  readonly command: string;
  /** `process.hrtime` at the start of the command; both threads have the same clock. */
  readonly begin: [number, number];
  readonly firstMs: number;
  readonly shared: Int32Array;
  readonly cells: typeof cells;
}

/**
 * A line on standard error that says how long a command has been at work, once that is longer than two seconds. A thread
 * of its own draws it, because the store, the plan readers and the graph block the main thread. The cursor stays below it,
 * so a signal that ends the program leaves a whole line behind.
 */
class WorkNote {
  readonly #shared = new Int32Array(new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT));
  readonly #thread: import('node:worker_threads').Worker;

  constructor(command: string, begin: [number, number]) {
    // Loaded only on a terminal, because loading it slows down a short command.
    const { Worker } = process.getBuiltinModule('node:worker_threads');
    const workerData: NoteThread = {
      command,
      begin,
      firstMs: limits.progressMs,
      shared: this.#shared,
      cells,
    };
    this.#thread = new Worker(`(${drawNote.toString()})()`, { eval: true, workerData });
    // If the terminal is gone or there is no memory for a thread, the command goes on without the note.
    this.#thread.on('error', () => {});
    this.#thread.unref();
  }

  detail(text: string): void {
    this.#thread.postMessage(visible(text));
  }

  /** Calls `print` with the codes that erase the line, if it is drawn. The line is drawn again below the new text. */
  around(print: (erase: string) => void): void {
    const [shared, { lock, isDrawn }] = [this.#shared, cells];
    while (Atomics.compareExchange(shared, lock, 0, 1) !== 0) Atomics.wait(shared, lock, 1);
    print(Atomics.exchange(shared, isDrawn, 0) === 1 ? '\r\u001b[A\u001b[J' : '');
    Atomics.store(shared, lock, 0);
    Atomics.notify(shared, lock);
  }

  end(print: (erase: string) => void): void {
    this.around((erase) => {
      Atomics.store(this.#shared, cells.isOver, 1);
      print(erase);
    });
    Atomics.notify(this.#shared, cells.isOver);
  }
}

/** Runs in the thread, which gets only the source of this function. So it may use nothing that is defined outside. */
function drawNote(): void {
  const { parentPort, receiveMessageOnPort, workerData } =
    process.getBuiltinModule('node:worker_threads');
  const { writeSync } = process.getBuiltinModule('node:fs');
  const { WriteStream } = process.getBuiltinModule('node:tty');
  const { command, begin, firstMs, shared, cells }: NoteThread = workerData;
  const workedMs = (): number => {
    const [seconds, nanos] = process.hrtime(begin);
    return seconds * 1_000 + nanos / 1e6;
  };
  const terminal = new WriteStream(2);
  let detail = '';
  const draw = (): void => {
    for (;;) {
      const message = parentPort === null ? undefined : receiveMessageOnPort(parentPort);
      if (message === undefined) break;
      detail = `, ${message.message}`;
    }
    const text = `ym ${command} is at work, ${Math.floor(workedMs() / 1_000)} s${detail}`;
    const room = Math.max(1, (terminal.getWindowSize()[0] || 80) - 1);
    const up = Atomics.load(shared, cells.isDrawn) === 1 ? '\u001b[A' : '';
    writeSync(2, `${up}\r${text.slice(0, room)}\u001b[K\n`);
    Atomics.store(shared, cells.isDrawn, 1);
  };
  let waitMs = firstMs - workedMs();
  while (Atomics.wait(shared, cells.isOver, 0, Math.max(0, waitMs)) === 'timed-out') {
    while (Atomics.compareExchange(shared, cells.lock, 0, 1) !== 0) {
      Atomics.wait(shared, cells.lock, 1);
    }
    try {
      if (Atomics.load(shared, cells.isOver) === 0) draw();
    } finally {
      Atomics.store(shared, cells.lock, 0);
      Atomics.notify(shared, cells.lock);
    }
    waitMs = 1_000 - (workedMs() % 1_000);
  }
}

/**
 * Writes to standard output and standard error; nothing else of the program does. Control characters in text are made
 * visible here, and only the marks of our own styles become escape codes. A terminal without Unicode gets ASCII.
 */

function isAscii({ isTTY }: { readonly isTTY?: boolean }): boolean {
  return isTTY === true && !hasUnicode(process.env);
}

/** Text that the stream can show. Control characters stay, because at this point all of them are our own. */
function readable(text: string, stream: { readonly isTTY?: boolean }): string {
  return isAscii(stream) ? text.replace(/[^\p{Cc}]+/gu, inAscii) : text;
}

function write(text: string): void {
  process.stdout.write(readable(text, process.stdout));
}

/** Standard output for prompts, which draw themselves. */
export function promptOutput(): Writable {
  endNote();
  const prompts: Writable = Object.create(process.stdout);
  prompts.write = (text: unknown) => process.stdout.write(readable(String(text), process.stdout));
  return prompts;
}

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

/** Note about the command that is running. Undefined once the command has printed something. */
let work: WorkNote | undefined;
let workTimer: NodeJS.Timeout | undefined;

/**
 * Says on standard error, on a terminal only, how long a command has been at work. The line disappears with the first
 * output, or with `endNote`; after a message on standard error it comes back. A quick command starts the thread of the
 * note only if it turns out to be slow. Other commands start it at once: they may block timers from the start.
 * Signals are not handled for it: a busy main thread could handle them only later, and they have to end the program at
 * once.
 */
export function noteWork(command: string, isQuick: boolean): void {
  // `process.stderr` would open the stream, also for commands that never use it.
  if (!process.getBuiltinModule('node:tty').isatty(2)) return;
  const begin = process.hrtime();
  const start = (): void => {
    work = new WorkNote(command, begin);
  };
  if (isQuick) workTimer = setTimeout(start, limits.progressMs / 4).unref();
  else start();
}

/** How far the command is, such as `3 of 12 attempts read`. */
export function noteDetail(detail: string): void {
  work?.detail(detail);
}

/** Removes the note for good: before output, before a question to the user, and at the end. */
export function endNote(): void {
  clearTimeout(workTimer);
  work?.end((erase) => {
    if (erase !== '') process.stderr.write(erase);
  });
  work = undefined;
}

/** Lines of a report. A line break within a line is shown as a space. */
export function printLines(lines: readonly string[]): void {
  endNote();
  if (lines.length > 0) write(shownText(lines));
}

/** Our own control sequences for the terminal, without any text from outside. */
export function control(sequence: string): void {
  endNote();
  process.stdout.write(sequence);
}

/** A line of a full screen. `isFull` if it reaches the last column, where erasing the rest would take its end away. */
interface ScreenLine {
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
  write(before + text.join('') + after);
}

/** Text with line breaks, such as the output of an agent. */
export function printText(text: string): void {
  endNote();
  if (text !== '') write(visible(text));
}

/** Text as it is, for another program. A terminal would obey it, so there it is made visible. */
export function printRaw(text: string): void {
  endNote();
  if (process.stdout.isTTY === true) printText(text);
  else if (text !== '') process.stdout.write(text);
}

/** One value as JSON. Characters that are not shown are written as escapes, so programs read the same strings. */
export function printJson(json: string): void {
  endNote();
  const text = visibleJson(json);
  process.stdout.write(`${isAscii(process.stdout) ? text.replace(/[^\n -~]/g, escaped) : text}\n`);
}

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * Messages for standard error. Its errors are ignored, because there is no place left to report them. Opened
 * on first use, because opening it is a noticeable part of the time of a short command.
 */
export function printErrors(lines: readonly string[]): void {
  if (lines.length === 0) return;
  if (process.stderr.listenerCount('error') === 0) process.stderr.on('error', () => {});
  const text = readable(shownText(lines), process.stderr);
  const print = (erase: string): boolean => process.stderr.write(erase + text);
  if (work === undefined) print('');
  else work.around(print);
}

export function shownText(lines: readonly string[]): string {
  return lines.map((line) => `${ownInk.shown(line)}\n`).join('');
}
