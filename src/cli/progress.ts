import type { Project } from '../app/ports.ts';
import type { RemovalProgress, Run, RunStep } from '../app/run.ts';
import { liveSnapshot } from '../app/status.ts';
import type { Event } from '../model/event.ts';
import { given } from '../model/given.ts';
import { limits } from '../model/limits.ts';
import type { QueueEntry } from '../model/queue-entry.ts';
import type { RunId } from '../model/run.ts';
import type { State } from '../plan/state.ts';
import { cut } from '../report/format/printable.ts';
import { progressLines } from '../report/progress/progress.ts';
import { liveFrame } from '../report/status/live.ts';
import type { LastAction, WorkingTurn } from '../report/view/slot.ts';
import { viewOf } from '../report/view/view.ts';
import { lastActionReader } from '../wire/agent-output.ts';
import type { Call } from './parse.ts';
import { clockOffset, type Screen, withIsoTimes } from './screen.ts';

/** Output of a run in progress. */
export interface Progress {
  on(step: RunStep): void;
  begin(run: Run): void;
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

export function progress(call: Call, screen: Screen, project: Project): Progress {
  if (call.options.flag('json')) return jsonLines();
  if (call.global.quiet) return { ...silent, on: () => {} };
  if (screen.isTerminal && !call.options.flag('plain') && process.env.TERM !== 'dumb') {
    return new Live(screen, readAtTimes(lastActionReader(project)));
  }
  return plainLines(screen);
}

const complainOnly = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

/** Prints only messages from `say`, on standard error. */
const silent = { begin: () => {}, say: complainOnly, removing: () => {}, end: () => {} };

const candidatesKept = 100;

/** Context from earlier events that later ones need: entries of candidates, repeated waits. */
export class EventContext {
  readonly #entries = new Map<string, readonly QueueEntry[]>();
  readonly #waits = new Map<string, string>();
  #run: RunId | undefined;

  /** True if the event is shown here. Events of other runs are not. */
  isShown(event: Event): boolean {
    if (event.type === 'run-started' || event.type === 'run-resumed') {
      if (event.owner.pid === process.pid) this.#run = event.run;
    }
    if ('run' in event && event.run !== this.#run) return false;
    if (event.type === 'candidate-built') this.#buildCandidate(event.candidate, event.entries);
    if (event.type !== 'landing-waits') return true;
    const reason = JSON.stringify(event.failure);
    const again = this.#waits.get(event.candidate) === reason;
    this.#waits.set(event.candidate, reason);
    return !again;
  }

  #buildCandidate(candidate: string, entries: readonly QueueEntry[]): void {
    if (this.#entries.size > candidatesKept) {
      this.#entries.clear();
      this.#waits.clear();
    }
    this.#entries.set(candidate, entries);
  }

  readonly entries = (candidate: string): readonly QueueEntry[] =>
    this.#entries.get(candidate) ?? [];
}

/** Every event as one line, for programs that follow a run. */
function jsonLines(): Progress {
  const earlier = new EventContext();
  return {
    ...silent,
    on: ({ event }) => {
      if (earlier.isShown(event) || event.type === 'landing-waits') {
        process.stdout.write(`${JSON.stringify(event, withIsoTimes)}\n`);
      }
    },
  };
}

/** Events as lines, for output without a terminal. */
export function plainLines(screen: Screen): Progress {
  const { style, width } = screen;
  const offsetMin = clockOffset();
  const earlier = new EventContext();
  let isRemovalSaid = false;
  return {
    ...silent,
    removing: (removal, ms) => {
      if (isRemovalSaid || ms < limits.removalNoteMs) return;
      isRemovalSaid = true;
      screen.lines([removalText(removal)]);
    },
    on: (step) => {
      const { event } = step;
      if (!earlier.isShown(event)) return;
      const { entries } = earlier;
      const context = { ...knownTo(step), entries, offsetMin, style, width };
      screen.lines(progressLines(event, context));
    },
  };
}

function knownTo({ records: { task, run }, history }: RunStep) {
  return { record: task, run, ...given({ blamed: blamedIn(history) }) };
}

/** The branch that the event shows to make its candidate red. */
function blamedIn(history: RunStep['history']) {
  for (const [task, { what }] of history) {
    if (what.type === 'blamed') return { task, failure: what.failure };
  }
  return undefined;
}

type ReadAction = (turn: WorkingTurn) => LastAction | undefined;

/** Limits how often the reader is called for each turn, since frames are drawn more often. */
function readAtTimes(read: ReadAction): ReadAction {
  let known = new Map<string, { readonly at: number; readonly action: LastAction | undefined }>();
  return (turn) => {
    const key = `${turn.branch} ${turn.turn}`;
    const now = Date.now();
    const before = known.get(key);
    if (before !== undefined && now - before.at < limits.lastActionMs) return before.action;
    const action = read(turn);
    known = new Map([...known].filter(([, { at }]) => now - at < limits.lastActionMs));
    known.set(key, { at: now, action });
    return action;
  };
}

/** Redraws a frame in place; lines about events scroll away above it. */
class Live implements Progress {
  readonly #screen: Screen;
  readonly #action: ReadAction;
  readonly #earlier = new EventContext();
  #drawn = 0;
  #removal = '';
  #timer: NodeJS.Timeout | undefined;
  #frame: (() => readonly string[]) | undefined;

  constructor(screen: Screen, action: ReadAction) {
    this.#screen = screen;
    this.#action = action;
  }

  on(step: RunStep): void {
    const { event } = step;
    const { style, width } = this.#screen;
    const offsetMin = clockOffset();
    if (!this.#earlier.isShown(event)) return;
    const lines = progressLines(event, {
      ...knownTo(step),
      entries: this.#earlier.entries,
      offsetMin,
      style,
      width,
    });
    if (lines.length > 0) this.#print(lines);
  }

  begin({ id, state }: Run): void {
    this.#frame = () => this.#lines(id, state);
    process.stdout.write('\u001b[?25l');
    this.#timer = setInterval(() => this.#print([]), frameMs);
  }

  readonly say = (line: string): void => this.#print([line]);

  removing(removal: RemovalProgress): void {
    this.#removal = removalText(removal);
  }

  end(): void {
    clearInterval(this.#timer);
    this.#frame = undefined;
    this.#print([]);
    process.stdout.write('\u001b[?25h');
  }

  #print(above: readonly string[]): void {
    // The terminal may have echoed a key such as Ctrl-C, so the cursor may not be at the start of the line.
    const erase = this.#drawn === 0 ? '\r' : `\r\u001b[${this.#drawn}A\u001b[J`;
    const frame = this.#frame?.() ?? [];
    const lines = [...above, ...frame];
    process.stdout.write(erase + lines.map((line) => `${line}\n`).join(''));
    this.#drawn = frame.length;
  }

  #lines(id: RunId, state: State): readonly string[] {
    const now = Date.now();
    const view = viewOf(liveSnapshot(state, id, this.#action), now);
    const { columns = 80, rows = 24 } = process.stdout;
    const height = Math.max(3, rows - 3);
    const { style } = this.#screen;
    const frame = liveFrame(view, now, columns, height, style, clockOffset());
    return this.#removal === '' ? frame : [...frame, style.dim(cut(this.#removal, columns))];
  }
}
