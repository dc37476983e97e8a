import { limits } from '../model/limits.ts';
import { visible } from '../model/visible.ts';

/** Cells of the memory that the thread of a note shares with the program. */
const cells = { lock: 0, isDrawn: 1, isOver: 2 } as const;

/** Input of the thread that draws a note. */
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
export class WorkNote {
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
