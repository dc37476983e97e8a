import { cut, wrap } from '../format/layout.ts';
import type { Style } from '../format/style.ts';
import { type Row, table } from '../format/table.ts';
import { shortCommit, span } from '../format/time.ts';
import type { CandidateView, TrainView } from '../view/train.ts';
import type { View } from '../view/view.ts';

/** Rows of the train on one screen: candidates, and the branches that queue behind them. */
const trainRows = 8;
const namesLines = 2;

interface Entry {
  readonly row: Row;
  /** Branch names, shown below the row. */
  readonly names?: string;
  readonly entries: number;
}

/** One row per candidate, with its branches below if there are several; then one per queued branch. */
export function trainLines(view: View, time: number, style: Style, width: number): string[] {
  const { train, run } = view;
  const now = run.state === 'ended' ? run.endedAt : time;
  // A candidate whose branches are elsewhere by now is only a trace in the record.
  const candidates = view.candidates.filter(({ id }) => train.some((one) => isIn(one, id)));
  const waiting = [
    ...candidates.map((one) => candidateEntry(one, view, now, style)),
    ...train
      .filter((one) => !candidates.some(({ id }) => isIn(one, id)))
      .map((one) => branchEntry(one, now, style)),
  ];
  const shown = waiting.slice(0, trainRows);
  const columns = [
    '',
    '',
    { title: '', align: 'right' as const },
    '',
    '',
    { title: '', gives: true },
  ];
  const rows = table(
    columns,
    shown.map(({ row }) => row),
    width,
  );
  const lines = rows.flatMap((text, at) => [text, ...namesOf(shown[at]?.names, width, style)]);
  const more = waiting.slice(trainRows).reduce((sum, { entries }) => sum + entries, 0);
  if (more > 0) lines.push(style.dim(cut(`and ${more} more`, width)));
  return lines;
}

function isIn(one: TrainView, candidate: string): boolean {
  return one.state !== 'queued' && one.candidate === candidate;
}

function candidateEntry(one: CandidateView, view: View, now: number, style: Style): Entry {
  const { id, entries, state, commit } = one;
  const own = view.train.filter((branch) => isIn(branch, id));
  const since = (one.gates.length > 0 ? one.gates : own).map((part) => part.since);
  const [only] = entries;
  const single = entries.length === 1 && only !== undefined;
  return {
    row: [
      id,
      { text: state, paint: style.blue },
      since.length === 0 ? '' : span(now - Math.min(...since)),
      single ? only.task : `${entries.length} branches`,
      shortCommit(single ? (own[0]?.commit ?? commit) : commit),
      noteOf(one, view),
    ],
    ...(single ? {} : { names: entriesText(one) }),
    entries: entries.length,
  };
}

function noteOf(one: CandidateView, { candidates }: View): string {
  if (one.failure !== undefined) return one.failure.what;
  const alone = candidates.length === 1 && one.entries.length === 1;
  // With one candidate it is clear that the gate judges it.
  if (alone && one.red === undefined && one.state === 'judging') return '';
  const urgent = one.urgent ? 'urgent; ' : '';
  const below = one.on === undefined || one.waits.includes(one.on) ? '' : `on ${one.on}; `;
  return `${urgent}${below}${one.waits}`;
}

/** Marks branches known to pass with ✓ and suspects with ?. */
function entriesText({ entries, known, suspects }: CandidateView): string {
  return entries
    .map(({ task }, at) => {
      const mark = at < known ? '✓ ' : suspects.includes(task) ? '? ' : '';
      return `${mark}${task}`;
    })
    .join(', ');
}

function namesOf(names: string | undefined, width: number, style: Style): string[] {
  if (names === undefined) return [];
  const room = Math.max(1, width - 5);
  const [first = '', second, ...further] = wrap(names, room);
  // What does not fit is cut where it shows that there is more.
  const rest = second === undefined ? [] : [cut([second, ...further].join(' '), room)];
  return [first, ...rest]
    .slice(0, namesLines)
    .map((text, at) => style.dim(cut(`  ${at === 0 ? '└─ ' : '   '}${text}`, width)));
}

function branchEntry(one: TrainView, now: number, style: Style): Entry {
  const { state, since, task, commit } = one;
  return {
    row: [
      '',
      { text: state, paint: state === 'queued' ? style.dim : style.blue },
      span(now - since),
      task,
      shortCommit(commit),
      waitNote(one),
    ],
    entries: 1,
  };
}

function waitNote(one: TrainView): string {
  if (one.state !== 'queued' || one.behind === undefined) return one.failure?.what ?? '';
  return `does not merge with ${one.behind}, waits until it is done`;
}
