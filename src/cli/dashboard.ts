import { basename } from 'node:path';
import type { Opened } from '../app/ports.ts';
import type { RunStep } from '../app/run-steps.ts';
import { type Failure, type Result, unreachable } from '../model/failure.ts';
import type { RunId } from '../model/run.ts';
import { settled } from '../model/trouble.ts';
import { oneLine } from '../report/explain/explain.ts';
import { counted } from '../report/format/amount.ts';
import type { Style } from '../report/format/style.ts';
import { noQueueFacts, type QueueFacts } from '../report/run/queue-facts.ts';
import { subjectOf } from '../report/view/task.ts';
import type { View } from '../report/view/view.ts';
import { type Action, type Change, commandOf } from '../report/watch/action.ts';
import { frameOf } from '../report/watch/frame.ts';
import type { Key } from '../report/watch/key.ts';
import { keyPressed } from '../report/watch/press.ts';
import { chosenTask, withCursor, withPage } from '../report/watch/rows.ts';
import type { Scene } from '../report/watch/scene.ts';
import { partFrom, scrolledLines } from '../report/watch/text-page.ts';
import { firstUi, isDocument, type Note, stays, type UiState } from '../report/watch/ui.ts';
import type { PageTexts } from './page-text.ts';
import { clockOffset } from './screen.ts';
import { SeenSteps } from './seen-step.ts';
import { FullScreen } from './terminal.ts';
import type { PastScene, Travel } from './travel.ts';
import { wantedText } from './wanted-text.ts';
import type { Program } from './watch-programs.ts';

/** A project that changes: `refresh` reads what is new, the rest is as it was then. */
interface Feed {
  readonly run: RunId | undefined;
  refresh(): Promise<Result<readonly RunStep[]>>;
  view(): View;
}

/** Reason why a dashboard ended: the user left, wants plain lines instead, or its owner closed it. */
export type Ending = 'left' | 'lines' | 'closed';

interface DashboardOptions {
  readonly folder: string;
  readonly style: Style;
  /** True if this process drives the run. */
  readonly drives: boolean;
  /** Name of the run to show, if a person named one. */
  readonly run?: string;
}

const tickMs = 100;
/** Between views while nothing is stored: agents only print then. */
const quietMs = 500;
/** The clocks on the screen count seconds. */
const clockMs = 1_000;
/** Reading the history of the queue takes at most this share of the time. */
const queueShare = 0.01;

/** The full-screen dashboard on the user's terminal. */
export class Dashboard {
  readonly #options: DashboardOptions;
  readonly #screen: FullScreen;
  readonly #ended: Promise<Ending>;
  #end: (ending: Ending) => void = () => {};
  #ui: UiState;
  #view: View | undefined;
  #feed: Feed | undefined;
  #opened: Opened | undefined;
  #texts: PageTexts | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isReading = false;
  #isDirty = true;
  #drawnAt = 0;
  #viewDue = 0;
  readonly #steps = new SeenSteps();
  #queue: QueueFacts = noQueueFacts;
  #queueDue = 0;
  #isQueueOld = true;
  #needs: ReadonlySet<string> | undefined;
  #program: Promise<void> = Promise.resolve();
  #travel: Travel | undefined;

  constructor(options: DashboardOptions) {
    const { env } = process;
    this.#options = options;
    this.#ui = firstUi({ drives: options.drives });
    this.#ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    const onResize = (width: number, height: number): void => {
      this.#ui = { ...this.#ui, width, height };
      this.#draw();
    };
    this.#screen = new FullScreen({ onKeys: (keys) => this.#press(keys), onResize }, env);
  }

  /** Draws the first frame. */
  open(view: View): void {
    this.#show(view);
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => this.#tick(), tickMs);
    this.#screen.open();
  }

  /** Goes on with everything that is known. */
  follow(feed: Feed, opened: Opened): void {
    this.#feed = feed;
    this.#opened = opened;
    const changed = (): void => {
      this.#isDirty = true;
    };
    // Loaded after the first frame.
    import('./page-text.ts').then(
      ({ PageTexts }) => {
        this.#texts = new PageTexts(opened, changed);
        changed();
      },
      (error: unknown) => this.say(String(error)),
    );
    this.open(feed.view());
    this.#isDirty = true;
  }

  /** Shows steps from before the dashboard was opened. */
  precede(steps: readonly RunStep[]): void {
    this.#steps.precede(steps);
    this.#isDirty = true;
  }

  get ended(): Promise<Ending> {
    return this.#ended;
  }

  /** Resolves when no other program uses the terminal. */
  get program(): Promise<void> {
    return this.#program;
  }

  /** Shows a message, unless the result of an action is shown: that stays until the next key. */
  readonly say = (text: string): void => {
    if (stays(this.#ui.note)) return;
    this.#note({ text, tone: 'plain' });
  };

  readonly close = (): void => {
    clearInterval(this.#timer);
    this.#screen.end();
    this.#end('closed');
  };

  #note(note: Note): void {
    this.#ui = { ...this.#ui, note };
    this.#isDirty = true;
  }

  #tick(): void {
    const now = Date.now();
    this.#read();
    if (this.#isDirty || now - this.#drawnAt >= clockMs) this.#draw();
  }

  /** Reads what is new, and makes the view again if something is or the clocks have to move on. */
  #read(): void {
    const feed = this.#feed;
    if (feed === undefined || this.#isReading) return;
    this.#isReading = true;
    feed
      .refresh()
      .then(async (read) => {
        if (!read.ok) this.#note(failedNote(read.failure));
        const news = read.ok ? read.value : [];
        this.#heard(news);
        const now = Date.now();
        if (news.length > 0 || now >= this.#viewDue) {
          this.#show(feed.view());
          this.#viewDue = now + quietMs;
          this.#isDirty = true;
        }
        await this.#readQueue(feed);
      })
      .catch((error: unknown) => this.#note({ text: String(error), tone: 'failed' }))
      .finally(() => {
        this.#isReading = false;
      });
  }

  /** The cursor stays on its row while lists change. */
  #show(view: View): void {
    if (view.run.state !== this.#view?.run.state) this.#isQueueOld = true;
    if (this.#ui.past === undefined) {
      this.#ui = withPage(withCursor(this.#ui, this.#view, view), view);
    }
    this.#view = view;
  }

  #heard(steps: readonly RunStep[]): void {
    if (steps.length === 0) return;
    this.#steps.add(steps);
    this.#isQueueOld = true;
  }

  /** Reads the numbers about landings, if there were events. */
  async #readQueue({ run }: Feed): Promise<void> {
    const now = Date.now();
    if (!this.#isQueueOld || now < this.#queueDue || this.#opened === undefined) return;
    this.#isQueueOld = false;
    // Loaded after the first frame.
    const { queueFactsAt } = await import('../app/moment.ts');
    this.#queue = await queueFactsAt(this.#opened.store, run, now);
    const ended = Date.now();
    this.#queueDue = ended + Math.max(clockMs, (ended - now) / queueShare);
    this.#isDirty = true;
  }

  #draw(): void {
    this.#isDirty = false;
    this.#drawnAt = Date.now();
    const view = this.#view;
    if (view === undefined) return;
    const scene = this.#scene(view);
    this.#texts?.want(wantedText(scene, this.#past));
    this.#screen.useMouse(this.#ui.usesMouse);
    this.#screen.draw(frameOf(scene));
    this.#callPerson(view);
  }

  #scene(view: View): Scene {
    const { folder, style } = this.#options;
    return {
      view,
      ui: this.#ui,
      project: basename(this.#opened?.root ?? folder),
      now: Date.now(),
      style,
      offsetMin: clockOffset(),
      queue: this.#queue,
      steps: this.#steps.all,
      text: this.#texts?.text,
      ...this.#pastParts(),
    };
  }

  /** The past that is shown in place of now. */
  #pastParts(): Partial<Scene> {
    const { past: wanted } = this.#ui;
    if (wanted === undefined) {
      this.#travel?.leave();
      return {};
    }
    this.#travel?.want(wanted.seq);
    const past = this.#past;
    if (past === undefined) return {};
    const { seq, at } = past.moment;
    const { view, queue, steps } = past;
    return { view, queue, steps, now: at, moment: { seq, last: wanted.last, at } };
  }

  get #past(): PastScene | undefined {
    return this.#ui.past === undefined ? undefined : this.#travel?.scene;
  }

  /** Opens the slider over the event log, at its newest event. */
  async #openPast(): Promise<void> {
    const opened = this.#opened;
    if (opened === undefined) return;
    const last = await opened.store.lastSeq();
    if (!last.ok) return this.#note(failedNote(last.failure));
    if (last.value === 0) return this.say('The event log is empty.');
    const { Travel } = await import('./travel.ts');
    const { run } = this.#options;
    this.#travel ??= new Travel(opened, run, {
      changed: () => {
        this.#isDirty = true;
      },
      failed: (text) => this.#note({ text, tone: 'failed' }),
    });
    this.#ui = { ...this.#ui, past: { seq: last.value, last: last.value } };
    this.#isDirty = true;
  }

  /** Title and bell say that something new needs a person. */
  #callPerson({ needsYou, counts, run }: View): void {
    const needs = new Set(needsYou.map((need) => `${need.kind} ${subjectOf(need)}`));
    const before = this.#needs;
    if (before !== undefined && [...needs].some((need) => !before.has(need))) this.#screen.bell();
    this.#needs = needs;
    const state = run.state === 'none' ? 'no run' : `${run.state}, ${counts.landed ?? 0} landed`;
    const call = needs.size === 0 ? state : `${needs.size} need you`;
    this.#screen.title(`${basename(this.#options.folder)}: ${call}`);
  }

  #press(keys: readonly Key[]): void {
    const live = this.#view;
    if (live === undefined) return;
    const view = this.#past?.view ?? live;
    const text = this.#texts?.text;
    const lines = text === undefined ? view.tasks : scrolledLines(text, this.#ui);
    this.#ui = { ...this.#ui, lines: lines.length };
    for (const key of keys) {
      const { ui, action } = keyPressed(this.#ui, key, view);
      this.#ui = ui;
      if (action !== undefined) this.#act(action);
    }
    this.#draw();
  }

  #act(action: Action): void {
    switch (action.id) {
      case 'decide':
      case 'tell':
      case 'choose':
      case 'stop':
      case 'slots':
        void this.#change(action);
        return;
      case 'attach':
      case 'editor':
      case 'pager':
      case 'command':
        this.#program = this.#open(action);
        return;
      case 'travel':
        this.#openPast().catch((error: unknown) => this.say(String(error)));
        return;
      case 'part':
        this.#goToPart(action.by);
        return;
      case 'copy':
        this.#copy();
        return;
      case 'leave':
        this.#end('left');
        return;
      case 'lines':
        this.#end('lines');
        return;
      case 'interrupt':
        process.kill(process.pid, 'SIGINT');
        return;
      case 'suspend':
        this.#screen.suspend();
        return;
      case 'redraw':
        this.#screen.clear();
        return;
      default:
        unreachable(action);
    }
  }

  /** Shows the command that does the same, and its result. */
  async #change(action: Change): Promise<void> {
    const command = commandOf(action);
    this.#note({ text: `runs: ${command}`, tone: 'plain' });
    const { carryOut } = await import('./watch-actions.ts');
    const done = await settled(carryOut(this.#options.folder, action));
    if (done.ok) this.#note({ text: `ran: ${command}  (${done.value})`, tone: 'done' });
    else this.#note(failedNote(done.failure, `${command}: `));
  }

  async #open(action: Program): Promise<void> {
    const opened = this.#opened;
    if (opened === undefined) return;
    const lines = this.#texts?.text?.lines ?? [];
    const { openProgram } = await import('./watch-programs.ts');
    const done = await this.#screen.lend(() => openProgram(opened, action, lines));
    if (!done.ok) this.#note(failedNote(done.failure));
  }

  #goToPart(by: 1 | -1): void {
    const { page, scroll } = this.#ui;
    const line = partFrom(page, scrolledLines(this.#texts?.text, this.#ui), scroll, by);
    if (line !== undefined) this.#ui = { ...this.#ui, scroll: line };
  }

  /** Copies the text of the page, as it was printed; on other pages the id of the task. */
  #copy(): void {
    const { page } = this.#ui;
    const text = this.#texts?.text;
    const isText = page === 'tail' || isDocument(page);
    const view = this.#view;
    const task = (view && chosenTask(view, this.#ui)) ?? '';
    const copied = isText && text !== undefined ? text.lines.join('\n') : task;
    this.#screen.copy(copied);
    const what = copied === task ? task : counted(text?.lines.length ?? 0, 'line');
    this.#note({ text: `copied: ${what}`, tone: 'done' });
  }
}

function failedNote(failure: Failure, prefix = ''): Note {
  return { text: `${prefix}${oneLine(failure, 300)}`, tone: 'failed' };
}
