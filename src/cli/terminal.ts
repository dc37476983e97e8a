import { widthOf } from '../report/format/width.ts';
import type { Key } from '../report/watch/key.ts';
import { KeyReader } from './keys.ts';
import { control, drawAt } from './output.ts';

const esc = '\u001b';
/** Alternate screen, hidden cursor, no line wrap, pastes marked as such. */
const enter = `${esc}[?1049h${esc}[?25l${esc}[?7l${esc}[?2004h`;
const leave = `${esc}[?2004l${esc}[?7h${esc}[?25h${esc}[?1049l`;
const mouseOn = `${esc}[?1000h${esc}[?1006h`;
const mouseOff = `${esc}[?1006l${esc}[?1000l`;
/** Terminals that know these show all changes at once; others ignore them. */
const hold = `${esc}[?2026h`;
const show = `${esc}[?2026l`;

/** Signals that end a process and that nothing else here listens to. */
const fatal = ['SIGQUIT', 'SIGABRT', 'SIGALRM', 'SIGUSR2'] as const;

/** Time after which an escape character alone is the escape key. */
const escapeMs = 60;

interface TerminalEvents {
  readonly onKeys: (keys: readonly Key[]) => void;
  readonly onResize: (width: number, height: number) => void;
}

/**
 * The user's terminal as a full screen. It is restored when this process ends, is stopped or fails, whatever the
 * reason; only SIGKILL and a crash of Node.js itself leave no time for that.
 */
export class FullScreen {
  readonly #events: TerminalEvents;
  readonly #keys = new KeyReader();
  readonly #hasTitle: boolean;
  #drawn: readonly string[] = [];
  #isOpen = false;
  #isListening = false;
  #isLent = false;
  #isOver = false;
  #usesMouse = false;
  #title = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(events: TerminalEvents, env: Readonly<Record<string, string | undefined>>) {
    this.#events = events;
    // The console of Linux prints the text of a title.
    this.#hasTitle = env.TERM !== 'linux' && env.TERM !== 'dumb';
  }

  open(): void {
    if (!this.#isListening) this.#listen();
    this.#isOpen = true;
    process.stdin.setRawMode(true);
    process.stdin.resume();
    control((this.#hasTitle ? `${esc}[22;2t` : '') + enter + (this.#usesMouse ? mouseOn : ''));
    this.#drawn = [];
    this.#title = '';
    this.#resized();
  }

  /** Gives the terminal back as it was. Can be called at any time, also twice. */
  readonly close = (): void => {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    clearTimeout(this.#timer);
    control((this.#usesMouse ? mouseOff : '') + leave + (this.#hasTitle ? `${esc}[23;2t` : ''));
    process.stdin.setRawMode(false);
    process.stdin.pause();
  };

  /** Closes it and lets go of the process. */
  end(): void {
    this.#isOver = true;
    this.close();
    process.stdin.off('data', this.#read);
    process.stdout.off('resize', this.#resized);
    process.off('exit', this.close);
    process.off('uncaughtExceptionMonitor', this.close);
    process.off('SIGTSTP', this.suspend);
    process.off('SIGCONT', this.#resumed);
    for (const signal of fatal) process.off(signal, this.#die);
  }

  /** Writes only the lines that changed, in one piece. */
  draw(lines: readonly string[]): void {
    if (!this.#isOpen) return;
    const width = process.stdout.columns || 80;
    const changed = lines.flatMap((line, at) =>
      line === this.#drawn[at] ? [] : [{ row: at + 1, line, isFull: widthOf(line) >= width }],
    );
    if (changed.length > 0) drawAt(hold, changed, show);
    this.#drawn = lines;
  }

  /** Draws everything again with the next frame. */
  clear(): void {
    this.#drawn = [];
    if (this.#isOpen) control(`${esc}[2J`);
  }

  title(text: string): void {
    if (!this.#isOpen || !this.#hasTitle || text === this.#title) return;
    this.#title = text;
    control(`${esc}]2;${text.replace(/[^\x20-\x7e]/g, '?')}\u0007`);
  }

  bell(): void {
    if (this.#isOpen) control('\u0007');
  }

  /** Puts a text on the user's clipboard, also over SSH, if the terminal allows it. */
  copy(text: string): void {
    if (this.#isOpen) control(`${esc}]52;c;${Buffer.from(text).toString('base64')}\u0007`);
  }

  useMouse(isOn: boolean): void {
    if (this.#usesMouse === isOn) return;
    this.#usesMouse = isOn;
    if (this.#isOpen) control(isOn ? mouseOn : mouseOff);
  }

  /** Lets other work use the terminal, then comes back. */
  async lend<T>(work: () => Promise<T>): Promise<T> {
    this.close();
    this.#isLent = true;
    try {
      return await work();
    } finally {
      this.#isLent = false;
      if (!this.#isOver) this.open();
    }
  }

  /** Stops this process as Ctrl-Z does; goes on with SIGCONT. */
  readonly suspend = (): void => {
    this.close();
    process.off('SIGTSTP', this.suspend);
    process.kill(process.pid, 'SIGTSTP');
  };

  #listen(): void {
    this.#isListening = true;
    process.stdin.setEncoding('utf8');
    process.stdin.on('data', this.#read);
    process.stdout.on('resize', this.#resized);
    process.on('exit', this.close);
    process.on('uncaughtExceptionMonitor', this.close);
    process.on('SIGTSTP', this.suspend);
    process.on('SIGCONT', this.#resumed);
    for (const signal of fatal) process.on(signal, this.#die);
  }

  /** Ends this process by the same signal, after the terminal is restored. */
  readonly #die = (signal: NodeJS.Signals): void => {
    this.end();
    process.kill(process.pid, signal);
  };

  readonly #resumed = (): void => {
    process.off('SIGTSTP', this.suspend);
    process.on('SIGTSTP', this.suspend);
    if (this.#isLent) return;
    // SIGSTOP cannot be seen, so another program may have changed the terminal meanwhile.
    this.close();
    this.open();
  };

  readonly #resized = (): void => {
    this.clear();
    this.#events.onResize(process.stdout.columns || 80, process.stdout.rows || 24);
  };

  readonly #read = (chunk: string | Buffer): void => {
    if (!this.#isOpen) return;
    clearTimeout(this.#timer);
    const keys = this.#keys.push(String(chunk));
    if (keys.length > 0) this.#events.onKeys(keys);
    if (!this.#keys.isPending) return;
    this.#timer = setTimeout(() => {
      const late = this.#keys.flush();
      if (late.length > 0) this.#events.onKeys(late);
    }, escapeMs);
  };
}
