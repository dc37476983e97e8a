import type { Observer } from '../engine/journal.ts';
import type { Car, Event } from '../model/event.ts';
import type { RunId } from '../model/run.ts';
import { stateOf, type TaskState } from '../plan/record.ts';
import type { State } from '../plan/state.ts';
import { liveFrame } from '../report/live.ts';
import { progressLines } from '../report/progress.ts';
import { partialView } from '../report/view.ts';
import type { Running } from '../wire/run.ts';
import type { Call } from './parse.ts';
import { clockOffset, type Screen } from './screen.ts';

/** How a run is shown while it goes on. */
export interface Progress {
  readonly on: Observer;
  begin(running: Running): void;
  say(line: string): void;
  end(): void;
}

const frameMs = 250;

export function progress(call: Call, screen: Screen): Progress {
  if (call.options.flag('json')) return jsonLines();
  if (call.global.quiet) return { on: () => {}, begin: () => {}, say: complainOnly, end: () => {} };
  if (screen.isTerminal && !call.options.flag('plain') && process.env.TERM !== 'dumb') {
    return new Live(screen);
  }
  return plainLines(screen);
}

const complainOnly = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

/** Remembers who rides on which candidate; only the newest are ever asked for. */
class Riders {
  readonly #cars = new Map<string, readonly Car[]>();

  note(event: Event): void {
    if (event.type !== 'candidate-built') return;
    if (this.#cars.size > 100) this.#cars.clear();
    this.#cars.set(event.candidate, event.cars);
  }

  readonly of = (candidate: string): readonly Car[] => this.#cars.get(candidate) ?? [];
}

/** Every event as one line, for programs that follow a run. */
function jsonLines(): Progress {
  return {
    on: (event) => {
      process.stdout.write(`${JSON.stringify(event)}\n`);
    },
    begin: () => {},
    say: complainOnly,
    end: () => {},
  };
}

function plainLines(screen: Screen): Progress {
  const { style, width } = screen;
  const offsetMin = clockOffset();
  const riders = new Riders();
  return {
    on: (event, state) => {
      riders.note(event);
      const record = (id: string) => state.task(id);
      screen.lines(progressLines(event, { record, cars: riders.of, offsetMin, style, width }));
    },
    begin: () => {},
    say: complainOnly,
    end: () => {},
  };
}

/** A frame that is drawn over itself; what happened scrolls away above it. */
class Live implements Progress {
  readonly #screen: Screen;
  readonly #riders = new Riders();
  #drawn = 0;
  #timer: NodeJS.Timeout | undefined;
  #frame: (() => readonly string[]) | undefined;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  readonly on: Observer = (event, state) => {
    const { style, width } = this.#screen;
    const offsetMin = clockOffset();
    this.#riders.note(event);
    const lines = progressLines(event, {
      record: (id) => state.task(id),
      cars: this.#riders.of,
      offsetMin,
      style,
      width,
    });
    if (lines.length > 0) this.#print(lines);
  };

  begin({ id, state }: Running): void {
    this.#frame = () => this.#lines(id, state);
    process.stdout.write('\u001b[?25l');
    this.#timer = setInterval(() => this.#print([]), frameMs);
  }

  readonly say = (line: string): void => this.#print([line]);

  end(): void {
    clearInterval(this.#timer);
    this.#frame = undefined;
    this.#print([]);
    process.stdout.write('\u001b[?25h');
  }

  #print(above: readonly string[]): void {
    // The terminal itself may have echoed a key, such as Ctrl-C, so the cursor need not be at the line's beginning.
    const erase = this.#drawn === 0 ? '\r' : `\r\u001b[${this.#drawn}A\u001b[J`;
    const frame = this.#frame?.() ?? [];
    const lines = [...above, ...frame];
    process.stdout.write(erase + lines.map((line) => `${line}\n`).join(''));
    this.#drawn = frame.length;
  }

  #lines(id: RunId, state: State): readonly string[] {
    const now = Date.now();
    const active = [...state.live].flatMap((live) => state.task(live) ?? []);
    const counts: Partial<Record<TaskState, number>> = {};
    for (const record of state.tasks.values()) {
      const word = stateOf(record);
      counts[word] = (counts[word] ?? 0) + 1;
    }
    const view = partialView({ counts, active, troubled: [] }, state.run(id), now);
    const { columns = 80, rows = 24 } = process.stdout;
    return liveFrame(view, now, columns, Math.max(3, rows - 2), this.#screen.style);
  }
}
