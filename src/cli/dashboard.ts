import { basename } from 'node:path';
import type { Opened } from '../app/ports.ts';
import type { Run } from '../app/run.ts';
import type { RunStep } from '../app/run-steps.ts';
import { type Failure, type Result, unreachable } from '../model/failure.ts';
import { given } from '../model/given.ts';
import type { RunId } from '../model/run.ts';
import { oneLine } from '../report/explain/explain.ts';
import type { Style } from '../report/format/style.ts';
import { subjectOf } from '../report/view/task.ts';
import type { View } from '../report/view/view.ts';
import { type Action, type Change, commandOf } from '../report/watch/action.ts';
import { inAscii } from '../report/watch/ascii.ts';
import { frameOf } from '../report/watch/frame.ts';
import type { Key } from '../report/watch/key.ts';
import { keyPressed } from '../report/watch/press.ts';
import { chosenTask, comparedTask, taskOf, withCursor } from '../report/watch/rows.ts';
import type { RecordPages } from '../report/watch/scene.ts';
import { noPages, type Scene, type SeenStep } from '../report/watch/scene.ts';
import { partFrom } from '../report/watch/text-page.ts';
import { firstUi, isDocument, type Note, pageWidth, type UiState } from '../report/watch/ui.ts';
import type { PageTexts, WantedText } from './page-text.ts';
import { clockOffset } from './screen.ts';
import { FullScreen, hasUnicode } from './terminal.ts';
import type { Program } from './watch-programs.ts';

/** A project that changes: `refresh` reads what is new, the rest is as it was then. */
export interface Feed {
  /** The new steps of the run that is shown. */
  refresh(): Promise<Result<readonly RunStep[]>>;
  view(): View;
  readonly state: Pick<Run['state'], 'tasks' | 'attempts' | 'run'>;
  readonly run: RunId | undefined;
}

/** Reason why a dashboard ended: the user left, wants plain lines instead, or its owner closed it. */
export type Ending = 'left' | 'lines' | 'closed';

export interface DashboardOptions {
  readonly folder: string;
  readonly style: Style;
  /** True if this process drives the run. */
  readonly drives: boolean;
}

const tickMs = 100;
/** Between views while nothing is stored: agents only print then. */
const quietMs = 500;
/** The clocks on the screen count seconds. */
const clockMs = 1_000;
/** Pages that are made of many records take at most this share of the time. */
const pagesShare = 0.01;
const stepsKept = 500;

/** The full-screen dashboard on the user's terminal. */
export class Dashboard {
  readonly #options: DashboardOptions;
  readonly #screen: FullScreen;
  readonly #isUnicode: boolean;
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
  #steps: readonly SeenStep[] = [];
  #pages: RecordPages = noPages;
  #pagesDue = 0;
  #arePagesOld = true;
  #needs: ReadonlySet<string> | undefined;
  #program: Promise<void> = Promise.resolve();

  constructor(options: DashboardOptions) {
    const { env } = process;
    this.#options = options;
    this.#ui = firstUi({ drives: options.drives });
    this.#isUnicode = hasUnicode(env);
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

  get ended(): Promise<Ending> {
    return this.#ended;
  }

  /** Resolves when no other program uses the terminal. */
  get program(): Promise<void> {
    return this.#program;
  }

  readonly say = (text: string): void => this.#note({ text, tone: 'plain' });

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
        await this.#drawPages(feed);
      })
      .catch((error: unknown) => this.#note({ text: String(error), tone: 'failed' }))
      .finally(() => {
        this.#isReading = false;
      });
  }

  /** The cursor stays on its row while lists change. */
  #show(view: View): void {
    this.#ui = withCursor(this.#ui, this.#view, view);
    this.#view = view;
  }

  #heard(steps: readonly RunStep[]): void {
    if (steps.length === 0) return;
    const seen = steps.flatMap((step) => (step.isRepeated ? [] : [seenStep(step)]));
    this.#steps = [...this.#steps, ...seen].slice(-stepsKept);
    this.#arePagesOld = true;
  }

  /** Draws pages that are made of records, if these changed. */
  async #drawPages({ state, run: id }: Feed): Promise<void> {
    const now = Date.now();
    const width = pageWidth(this.#ui);
    const isOld = this.#arePagesOld && now >= this.#pagesDue;
    if (!isOld && width === this.#pages.width) return;
    this.#arePagesOld = false;
    const run = id === undefined ? undefined : state.run(id);
    const steps = run && (await this.#opened?.store.queueSteps(run.id));
    const queue = steps?.ok ? steps.value : [];
    // Loaded after the first frame.
    const { recordPages } = await import('../report/watch/records.ts');
    const begin = performance.now();
    const attempts = [...state.attempts.values()].filter(({ runs }) => runs.includes(id ?? ''));
    const records = { tasks: [...state.tasks.values()], run, attempts, queue };
    const { style } = this.#options;
    this.#pages = recordPages(records, { width, style, now, offsetMin: clockOffset() });
    this.#pagesDue = now + Math.max(clockMs, (performance.now() - begin) / pagesShare);
    this.#isDirty = true;
  }

  #draw(): void {
    this.#isDirty = false;
    this.#drawnAt = Date.now();
    const view = this.#view;
    if (view === undefined) return;
    const scene = this.#scene(view);
    this.#texts?.want(wantedText(scene));
    const lines = frameOf(scene);
    this.#screen.useMouse(this.#ui.usesMouse);
    this.#screen.draw(this.#isUnicode ? lines : lines.map(inAscii));
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
      pages: this.#pages,
      steps: this.#steps,
      ...given({ text: this.#texts?.text }),
    };
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
    const view = this.#view;
    if (view === undefined) return;
    this.#ui = { ...this.#ui, lines: this.#texts?.text?.lines.length ?? view.tasks.length };
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
    const done = await carryOut(this.#options.folder, action);
    if (done.ok) this.#note({ text: `ran: ${command}  (${done.value})`, tone: 'done' });
    else
      this.#note({ ...failedNote(done.failure), text: `${command}: ${failureText(done.failure)}` });
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
    const line = partFrom(page, this.#texts?.text?.lines ?? [], scroll, by);
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
    const what = copied === task ? task : `${text?.lines.length ?? 0} lines`;
    this.#note({ text: `copied: ${what}`, tone: 'done' });
  }
}

function seenStep({ event, records, entries, blamed }: RunStep): SeenStep {
  const context = { record: records.task, run: records.run, entries: () => entries };
  return { event, context: { ...context, ...given({ blamed }) } };
}

function failureText(failure: Failure): string {
  return oneLine(failure, 300);
}

function failedNote(failure: Failure): Note {
  return { text: failureText(failure), tone: 'failed' };
}

/** The text that the screen needs. Its version changes with the turn and the state of the task. */
function wantedText({ view, ui }: Scene): WantedText | undefined {
  const page = isDocument(ui.page) ? ui.page : ui.page === 'tail' ? 'tail' : undefined;
  const task = chosenTask(view, ui);
  if (page === undefined || task === undefined) return undefined;
  const slot = view.slots.find((one) => one.phase !== 'idle' && one.task === task);
  const turn = slot === undefined || slot.phase === 'idle' ? '' : `${slot.turn} ${slot.phase}`;
  const known = taskOf(view, task);
  const compared = page === 'compare' ? comparedTask(view, task) : undefined;
  if (compared !== undefined) {
    const states = compared.variants?.map((id) => taskOf(view, id)?.state) ?? [];
    const version = [compared.state, ...states].join(' ');
    return { page, task: compared.id, version, width: pageWidth(ui) - 2 };
  }
  return {
    page,
    task,
    version: `${known?.attempts ?? 0} ${known?.state ?? ''} ${turn}`,
    width: page === 'why' ? pageWidth(ui) - 2 : 0,
  };
}
