import { outcomeGlyphs } from '../format/glyph.ts';
import type { Paint } from '../format/style.ts';
import { shortSpan, stopwatch } from '../format/time.ts';
import { widthOf } from '../format/width.ts';
import { pauseText } from '../status/waiting.ts';
import type { SlotView } from '../view/slot.ts';
import { outranksFailure, readyText } from '../view/start-text.ts';
import { failureIn } from '../view/state.ts';
import { stateGlyph, statePaint, stateText } from '../view/state-text.ts';
import { type NeedView, subjectOf, type TaskView } from '../view/task.ts';
import type { View } from '../view/view.ts';
import {
  column,
  lineOf,
  type Pane,
  type Part,
  painted,
  roomFor,
  sparkline,
  windowOf,
} from './line.ts';
import { chosenRow, type ListRow, shownTasks, taskOf, unblocksOf } from './rows.ts';
import type { Scene } from './scene.ts';

export function cursorSign(isChosen: boolean): string {
  return isChosen ? '›' : ' ';
}

function isAt(row: ListRow | undefined, list: ListRow['list'], key: string): boolean {
  return row?.list === list && row.key === key;
}

/** A list of `height` lines around the chosen row. The title counts rows that do not fit. */
export function listed<T>(
  list: ListRow['list'],
  title: string,
  items: readonly T[],
  {
    keyOf,
    lineFor,
  }: { keyOf: (item: T) => string; lineFor: (item: T, isChosen: boolean) => string },
  { view, ui }: Scene,
  height: number,
): Pane {
  const row = chosenRow(view, ui);
  const at = items.findIndex((item) => isAt(row, list, keyOf(item)));
  const lines = windowOf(items, at, height).map((item) =>
    lineFor(item, isAt(row, list, keyOf(item))),
  );
  const more = items.length - lines.length;
  return {
    title: more > 0 ? `${title}  ${more} more` : title,
    isFocused: row?.list === list,
    lines,
  };
}

const needSigns = {
  question: '?',
  approval: '!',
  revision: '!',
  choice: '≍',
  conflict: '×',
  blocked: '■',
  failed: '✗',
  landing: '■',
  run: '■',
} as const;

const needKeys = {
  question: 'a answer',
  approval: 'd diff  y yes  n no',
  revision: 'w why  y yes  n no',
  choice: 'C compare  y choose',
  conflict: 'w why',
  blocked: 'w why  r retry',
  failed: 'w why  r retry',
  landing: 'w why',
  run: 'w why',
} as const;

/** Decisions that wait for a person. */
export function needsPane(scene: Scene, width: number, height: number): Pane {
  const { view, style, now } = scene;
  const idRoom = roomFor(view.needsYou.map(subjectOf), 8, Math.max(8, Math.floor(width / 4)));
  const agentRoom = width < 60 ? 0 : roomFor(view.needsYou.map(agentOf), 0, 10);
  const line = (need: NeedView, isChosen: boolean): string => {
    const age = 'since' in need ? shortSpan(now - need.since) : '';
    const keys = width < 60 || scene.moment !== undefined ? '' : needKeys[need.kind];
    const agent = agentRoom === 0 ? '' : ` ${column(agentOf(need), agentRoom)}`;
    const rest = `${age.padStart(4)}${keys === '' ? '' : `  ${keys}`}`;
    const room = Math.max(4, width - idRoom - widthOf(agent) - 5 - rest.length);
    return lineOf(
      [
        cursorSign(isChosen),
        painted(`${needSigns[need.kind]} `, style.yellow),
        painted(column(subjectOf(need), idRoom), isChosen ? style.bold : plainPaint),
        agent,
        ` ${column(needText(need, view), room)} `,
        painted(rest, style.dim),
      ],
      width,
    );
  };
  const title = `NEEDS YOU ${view.needsYou.length}`;
  const rows = { keyOf: subjectOf, lineFor: line };
  return listed('needs', title, view.needsYou, rows, scene, height);
}

function agentOf(need: NeedView): string {
  return need.kind === 'run' ? '' : (need.agent ?? '');
}

export const plainPaint: Paint = (text) => text;

function needText(need: NeedView, view: View): string {
  const { failure } = need;
  const task = need.kind === 'run' ? undefined : taskOf(view, need.task);
  if (task?.state === 'blocked' && task.cause === 'answer') return `"${task.question}"`;
  return failure.what;
}

export function slotsPane(scene: Scene, width: number, height: number): Pane {
  const { view } = scene;
  const isDead = view.run.state === 'died';
  const busy = isDead ? 0 : view.slots.filter(({ phase }) => phase !== 'idle').length;
  const columns = slotColumns(view, width);
  const lineFor = (slot: SlotView, isChosen: boolean): string =>
    slotLine(slot, isChosen, columns, scene, width);
  const title = `SLOTS ${busy} of ${view.slots.length}`;
  const rows = { keyOf: ({ slot }: SlotView) => String(slot), lineFor };
  return listed('slots', title, view.slots, rows, scene, height);
}

interface SlotColumns {
  readonly id: number;
  readonly agent: number;
  readonly worker: number;
  readonly spark: number;
}

function slotColumns({ slots }: View, width: number): SlotColumns {
  const busy = slots.flatMap((slot) => (slot.phase === 'idle' ? [] : [slot]));
  const id = roomFor(
    busy.map(({ task }) => task),
    8,
    Math.max(8, Math.floor(width / 4)),
  );
  const agent = roomFor(
    busy.map((slot) => slot.agent),
    0,
    width < 60 ? 0 : 12,
  );
  const worker = roomFor(
    busy.map((slot) => onText(slot)),
    0,
    width < 60 ? 0 : Math.floor(width / 8),
  );
  return { id, agent, worker, spark: width < 76 ? 0 : 6 };
}

function slotLine(
  slot: SlotView,
  isChosen: boolean,
  { id, agent, worker, spark }: SlotColumns,
  { view, style, now, offsetMin }: Scene,
  width: number,
): string {
  const number = `${cursorSign(isChosen)}${String(slot.slot).padStart(2)}`;
  if (slot.phase === 'idle') {
    const why = slot.status === 'paused' ? 'paused by you (p)' : idleText(view, { now, offsetMin });
    const on = slot.worker === undefined ? '' : `${onText(slot)}, `;
    return lineOf([number, painted(` ${on}${why}`, style.dim)], width);
  }
  const isDead = view.run.state === 'died';
  const parts: Part[] = [
    number,
    isDead
      ? painted(`${outcomeGlyphs.incomplete} `, style.yellow)
      : painted(`${phaseSign(slot)} `, style.cyan),
    painted(column(slot.task, id), isChosen ? style.bold : plainPaint),
    agent === 0 ? '' : ` ${column(slot.agent, agent)}`,
    worker === 0 ? '' : ` ${column(onText(slot), worker)}`,
    ` ${`t${slot.turn}`.padEnd(3)} ${stopwatch(now - slot.since).padStart(5)}`,
  ];
  if (spark > 0) parts.push(painted(` ${sparkline(slot.activity ?? [], spark)}`, style.green));
  const size = sizeText(slot);
  const used = widthOf(lineOf(parts, width));
  const room = Math.max(0, width - used - widthOf(size) - 2);
  parts.push(
    ` ${column(isDead ? stoppedText : slotText(slot, now), room)}`,
    painted(` ${size}`, style.dim),
  );
  return lineOf(parts, width).trimEnd();
}

const stoppedText = 'stopped; ym resume continues it';

/** `on w1`; empty for a slot of the run's own process. */
function onText({ worker }: SlotView): string {
  return worker === undefined ? '' : `on ${worker}`;
}

/** `+212 −40`: lines that its work adds and removes. */
function sizeText({ changes }: Exclude<SlotView, { phase: 'idle' }>): string {
  return changes === undefined ? '' : `+${changes.added} −${changes.removed}`;
}

function phaseSign({ phase }: Exclude<SlotView, { phase: 'idle' }>): string {
  if (phase === 'working') return '▶';
  return phase === 'gating' ? '◇' : phase === 'held' ? '◆' : '◎';
}

/** Last action of a working agent, else what happens in the slot. */
function slotText(slot: Exclude<SlotView, { phase: 'idle' }>, now: number): string {
  if (slot.waitsForGate) return 'waits for a gate';
  if (slot.status !== 'open') return `${slot.status} after this turn`;
  if (slot.phase === 'held') return 'held by you (ym attach)';
  const { lastAction } = slot;
  if (slot.phase !== 'working' || lastAction === undefined) return slot.phase;
  const quiet = now - lastAction.at;
  const ago = quiet < 5_000 ? '' : `  ${shortSpan(quiet)} ago`;
  return `${lastAction.text}${ago}`;
}

/** Reason why a slot is idle. */
function idleText(view: View, clock: { readonly now: number; readonly offsetMin: number }): string {
  const [pause] = view.paused;
  if (pause !== undefined) return `idle: ${pauseText(pause, clock)}`;
  const [step] = view.pausedSteps;
  if (step !== undefined) return `idle: ${step.cause}`;
  if (view.run.state === 'stopping') return 'idle: the run is stopping';
  return 'idle';
}

/** All tasks, filtered and sorted. */
export function tasksPane(scene: Scene, width: number, height: number): Pane {
  const { view, ui } = scene;
  const tasks = shownTasks(view, ui);
  const isTask = ({ variantOf }: TaskView): boolean => variantOf === undefined;
  const hidden = view.tasks.filter(isTask).length - tasks.filter(isTask).length;
  const how = ui.filter === '' ? (hidden === 0 ? '' : `  ${hidden} done (h)`) : `  /${ui.filter}`;
  const columns = taskColumns(tasks, width);
  const lineFor = (task: TaskView, isChosen: boolean): string =>
    taskLine(task, isChosen, columns, scene, width);
  const title = `TASKS ${tasks.length}${how}  sort: ${ui.sort}`;
  return listed('tasks', title, tasks, { keyOf: ({ id }) => id, lineFor }, scene, height);
}

interface TaskColumns {
  readonly id: number;
  readonly state: number;
  /** Time until its landing is expected; narrow lists leave it out. */
  readonly eta: number;
}

function taskColumns(tasks: readonly TaskView[], width: number): TaskColumns {
  const fourth = Math.floor(width / 4);
  return {
    id: roomFor(
      tasks.map(({ id }) => id),
      8,
      Math.max(8, fourth),
    ),
    state: roomFor(tasks.map(stateText), 7, Math.max(7, Math.min(20, fourth))),
    eta: width >= 72 && tasks.some(({ endAt }) => endAt !== undefined) ? 6 : 0,
  };
}

function taskLine(
  task: TaskView,
  isChosen: boolean,
  { id, state, eta }: TaskColumns,
  { style, now }: Pick<Scene, 'style' | 'now'>,
  width: number,
): string {
  const paint = style[statePaint(task)];
  const unblocks = unblocksOf(task);
  const waiting = width < 60 ? '' : `${unblocks === 0 ? '' : `unblocks ${unblocks}`}`.padStart(12);
  const until = task.endAt === undefined ? '' : `~${shortSpan(task.endAt - now)}`;
  const tail = waiting + until.slice(0, eta).padStart(eta);
  const room = Math.max(0, width - id - state - tail.length - 9);
  return lineOf(
    [
      cursorSign(isChosen),
      painted(`${stateGlyph(task)} `, paint),
      painted(column(task.id, id), isChosen ? style.bold : plainPaint),
      ` ${column(`P${task.priority}`, 3)} `,
      painted(column(stateText(task), state), paint),
      ` ${column(taskNote(task, now), room)}`,
      painted(tail, style.dim),
    ],
    width,
  );
}

/** Reason why the task waits, else its title. */
function taskNote(task: TaskView, now: number): string {
  const failure = outranksFailure(task.startReason) ? undefined : failureIn(task);
  if (failure !== undefined) return failure.what;
  if ('pause' in task && task.pause !== undefined) return task.pause.reason;
  if (task.waitsFor.length > 0) return `waits for ${task.waitsFor.join(', ')}`;
  if (task.state === 'queued' && task.behind !== undefined) return `waits for ${task.behind}`;
  const { startReason } = task;
  return startReason === undefined ? task.title : `${readyText(startReason, now)}: ${task.title}`;
}
