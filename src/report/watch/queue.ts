import { joined } from '../format/layout.ts';
import { shortCommit, shortSpan, stopwatch } from '../format/time.ts';
import { widthOf } from '../format/width.ts';
import { gatesText, greenText } from '../run/queue-facts.ts';
import type { CandidateView, GateView, TrainView } from '../view/train.ts';
import type { View } from '../view/view.ts';
import { barOf, column, lineOf, type Pane, type Part, painted, roomFor } from './line.ts';
import { cursorSign, listed, plainPaint } from './lists.ts';
import { type QueueRow, queueRows } from './rows.ts';
import type { Scene } from './scene.ts';

/** The merge queue: candidates with their gates, then the branches behind them. */
export function queuePane(scene: Scene, width: number, height: number): Pane {
  const { view } = scene;
  const rows = queueRows(view);
  const green = greenText(scene.queue, view.run.state === 'none' ? '' : view.run.target.branch);
  const landed = landedLine(scene, width);
  const listRoom = Math.max(0, height - (landed === undefined ? 0 : 1));
  const names = rows.map(namesOf);
  const room = roomFor(names, 8, Math.max(8, Math.floor(width * 0.4)));
  const lineFor = (row: QueueRow, isChosen: boolean): string =>
    'candidate' in row
      ? candidateLine(row.candidate, isChosen, room, scene, width)
      : branchLine(row.branch, isChosen, room, scene, width);
  const facts = [green, gatesText(scene.queue)];
  const title = joined([`MERGE QUEUE ${view.train.length}`, ...facts], '  ');
  const pane = listed('queue', title, rows, { keyOf: ({ key }) => key, lineFor }, scene, listRoom);
  return landed === undefined ? pane : { ...pane, lines: [...pane.lines, landed].slice(0, height) };
}

/** `✓ 3f2c1e9 login-form 2m  ✓ 9be0d11 csv-export 9m`: the newest landings, as many as fit. */
function landedLine({ view, now, style }: Scene, width: number): string | undefined {
  if (view.landings.length === 0) return undefined;
  const texts = view.landings.map(
    ({ task, commit, at }) => `✓ ${shortCommit(commit)} ${task} ${shortSpan(now - at)} ago  `,
  );
  const fitting = texts.filter((_, at) => widthOf(texts.slice(0, at + 1).join('')) < width);
  const shown = fitting.length === 0 ? texts.slice(0, 1) : fitting;
  return lineOf([' ', painted(shown.join('').trimEnd(), style.green)], width);
}

function namesOf(row: QueueRow): string {
  return 'candidate' in row ? entriesText(row.candidate) : row.branch.task;
}

/** Marks branches known to pass with ✓ and suspects with ?. */
function entriesText({ entries, known, suspects }: CandidateView): string {
  return entries
    .map(({ task }, at) => {
      const mark = at < known ? '✓' : suspects.includes(task) ? '?' : '';
      return `${mark}${task}`;
    })
    .join(' · ');
}

const idRoom = 4;
const barRoom = 10;

function candidateLine(
  one: CandidateView,
  isChosen: boolean,
  room: number,
  { style, now }: Scene,
  width: number,
): string {
  const gate = one.gates.find(({ count }) => count >= one.entries.length) ?? one.gates[0];
  const parts: Part[] = [
    cursorSign(isChosen),
    painted(column(one.id, idRoom), style.blue),
    painted(column(entriesText(one), room), isChosen ? style.bold : plainPaint),
    ' ',
  ];
  if (gate !== undefined) parts.push(...gateParts(gate, now, gatePaint(one, style)), '  ');
  parts.push(painted(noteOf(one), one.red === undefined ? plainPaint : style.red));
  return lineOf(parts, width);
}

function gatePaint(one: CandidateView, style: Scene['style']) {
  return one.red === undefined ? style.cyan : style.yellow;
}

/** `███████░░░ 01:12 of ~01:45` */
function gateParts(gate: GateView, now: number, paint: (text: string) => string): Part[] {
  const ms = Math.max(0, now - gate.since);
  const usual = gate.usualMs;
  if (usual === undefined || usual <= 0) return [painted(`gate ${stopwatch(ms)}`, paint)];
  return [
    painted(barOf(Math.min(0.99, ms / usual), barRoom), paint),
    ` ${stopwatch(ms)} of ~${stopwatch(usual)}`,
  ];
}

function noteOf(one: CandidateView): string {
  if (one.failure !== undefined) return one.failure.what;
  const urgent = one.urgent ? 'urgent; ' : '';
  const on = one.on === undefined ? '' : `lands after ${one.on}`;
  const isJudged = one.state === 'judging' && one.red === undefined && one.gates.length > 0;
  return `${urgent}${isJudged ? on : one.waits}`;
}

function branchLine(
  one: TrainView,
  isChosen: boolean,
  room: number,
  { style, now }: Scene,
  width: number,
): string {
  const behind = one.state === 'queued' ? one.behind : undefined;
  const note =
    behind === undefined
      ? (one.failure?.what ?? 'waits for the next candidate')
      : `conflicts with ${behind}, waits until it is done`;
  return lineOf(
    [
      cursorSign(isChosen),
      ' '.repeat(idRoom),
      painted(column(one.task, room), isChosen ? style.bold : plainPaint),
      ` ${shortCommit(one.commit)} ${shortSpan(now - one.since).padStart(4)}  `,
      painted(note, style.dim),
    ],
    width,
  );
}

/** Lines that the merge queue would fill. */
export function queueWant(view: View): number {
  return queueRows(view).length + (view.landings.length === 0 ? 0 : 1);
}
