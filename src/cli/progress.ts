import { liveViews } from '../app/live.ts';
import type { Project } from '../app/ports.ts';
import type { RemovalProgress, Run } from '../app/run.ts';
import type { RunStep } from '../app/run-steps.ts';
import { given } from '../model/given.ts';
import { limits } from '../model/limits.ts';
import { cut } from '../report/format/layout.ts';
import { progressLines } from '../report/progress/progress.ts';
import { liveFrame } from '../report/status/live.ts';
import type { View } from '../report/view/view.ts';
import { drawLines, printErrors, printJson } from './output.ts';
import type { Call } from './parse.ts';
import { clockOffset, type Screen, withIsoTimes } from './screen.ts';

/** Output of a run in progress. */
export interface Progress {
  on(step: RunStep): void;
  say(line: string): void;
  /** Worktrees have been removed for `ms` milliseconds. */
  removing(removal: RemovalProgress, ms: number): void;
  end(): void;
}

/** `Removing 8 worktrees, 3 left.` */
function removalText({ all, left }: RemovalProgress): string {
  return `Removing ${all} ${all === 1 ? 'worktree' : 'worktrees'}, ${left} left.`;
}

const frameMs = 250;

export async function progress(
  call: Call,
  screen: Screen,
  project: Project,
  run: Run,
): Promise<Progress> {
  if (call.options.flag('json')) return jsonLines;
  if (call.global.quiet) return silent;
  if (screen.isTerminal && !call.options.flag('plain') && process.env.TERM !== 'dumb') {
    return new Live(screen, await liveViews(project, run));
  }
  return plainLines(screen);
}

const complainOnly = (line: string): void => printErrors([line]);

/** Prints only messages from `say`, on standard error. */
const silent: Progress = { on: () => {}, say: complainOnly, removing: () => {}, end: () => {} };

/** Every event as one line, for programs that follow a run. */
const jsonLines: Progress = {
  ...silent,
  on: ({ event }) => {
    printJson(JSON.stringify(event, withIsoTimes));
  },
};

/** Events as lines, for output without a terminal. */
export function plainLines(screen: Screen): Progress {
  let isRemovalSaid = false;
  return {
    ...silent,
    removing: (removal, ms) => {
      if (isRemovalSaid || ms < limits.removalNoteMs) return;
      isRemovalSaid = true;
      screen.lines([removalText(removal)]);
    },
    on: (step) => screen.lines(linesOf(step, screen)),
  };
}

function linesOf(step: RunStep, { style, width }: Screen): readonly string[] {
  const { event, records, entries, isRepeated, blamed } = step;
  if (isRepeated) return [];
  return progressLines(event, {
    record: records.task,
    run: records.run,
    entries: () => entries,
    ...given({ blamed }),
    offsetMin: clockOffset(),
    style,
    width,
  });
}

/** Redraws a frame in place; lines about events scroll away above it. */
class Live implements Progress {
  readonly #screen: Screen;
  readonly #view: () => View;
  readonly #timer: NodeJS.Timeout;
  #drawn = 0;
  #removal = '';
  #isOver = false;

  constructor(screen: Screen, view: () => View) {
    this.#screen = screen;
    this.#view = view;
    drawLines('\u001b[?25l');
    this.#timer = setInterval(() => this.#print([]), frameMs);
  }

  on(step: RunStep): void {
    const lines = linesOf(step, this.#screen);
    if (lines.length > 0) this.#print(lines);
  }

  readonly say = (line: string): void => this.#print([line]);

  removing(removal: RemovalProgress): void {
    this.#removal = removalText(removal);
  }

  end(): void {
    clearInterval(this.#timer);
    this.#isOver = true;
    this.#print([]);
    drawLines('\u001b[?25h');
  }

  #print(above: readonly string[]): void {
    // The terminal may have echoed a key such as Ctrl-C, so the cursor may not be at the start of the line.
    const erase = this.#drawn === 0 ? '\r' : `\r\u001b[${this.#drawn}A\u001b[J`;
    const frame = this.#frame();
    drawLines(erase, [...above, ...frame]);
    this.#drawn = frame.length;
  }

  #frame(): readonly string[] {
    if (this.#isOver) return [];
    const columns = process.stdout.columns || 80;
    const rows = process.stdout.rows || 24;
    const height = Math.max(3, rows - 3);
    const { style } = this.#screen;
    const frame = liveFrame(this.#view(), Date.now(), columns, height, style, clockOffset());
    return this.#removal === '' ? frame : [...frame, style.dim(cut(this.#removal, columns))];
  }
}
