import type { Fate, LedgerEntry } from '../../model/ledger-entry.ts';
import { explain } from '../explain/explain.ts';
import { counted } from '../format/amount.ts';
import { wrap } from '../format/layout.ts';
import type { Style } from '../format/style.ts';
import { type ColumnOrTitle, type Row, table } from '../format/table.ts';
import { shortCommit } from '../format/time.ts';
import { type OtherWork, otherWorkLines } from './inventory.ts';

export type LedgerLine = Omit<LedgerEntry, 'at'>;

export interface LedgerLines extends OtherWork {
  readonly entries: readonly LedgerLine[];
}

/** Paint of each fate, in the order in which they are counted. */
const paints = {
  landed: 'green',
  delivered: 'green',
  superseded: 'dim',
  returned: 'yellow',
  dropped: 'yellow',
  waiting: 'cyan',
  lost: 'red',
} as const satisfies Readonly<Record<Fate['id'], keyof Style>>;
const fates = Object.keys(paints) as readonly Fate['id'][];

export function ledgerCounts(lines: readonly LedgerLine[]): Readonly<Record<Fate['id'], number>> {
  const counts = Object.fromEntries(fates.map((id) => [id, 0])) as Record<Fate['id'], number>;
  for (const { fate } of lines) counts[fate.id] += 1;
  return counts;
}

/** `ym ledger`: every commit, lost ones in full, the sum, and work that is in none of these commits. */
export function ledgerText(ledger: LedgerLines, style: Style, width: number): string[] {
  return [...commitLines(ledger, style, width), ...otherWorkLines(ledger, style, width)];
}

function commitLines(
  { entries: lines, mismatches }: LedgerLines,
  style: Style,
  width: number,
): string[] {
  if (lines.length === 0) return ['No agent has committed any work yet.'];
  const isOneRun = new Set(lines.map(({ run }) => run)).size < 2;
  const columns: readonly ColumnOrTitle[] = [
    isOneRun ? '' : 'run',
    'task',
    { title: 'try', align: 'right' },
    'commit',
    'became',
    { title: 'details', gives: true },
  ];
  const rows = lines.map(
    ({ run, task, attempt, commit, fate }): Row => [
      isOneRun ? '' : run,
      task,
      String(attempt),
      shortCommit(commit),
      { text: fate.id, paint: style[paints[fate.id]] },
      fateText(fate),
    ],
  );
  const lost = lines.flatMap(({ task, attempt, commit, fate }) =>
    fate.id === 'lost'
      ? wrap(`Lost: ${shortCommit(commit)} of ${task}, attempt ${attempt}: ${fate.why}.`, width)
      : [],
  );
  const isComplete = mismatches.every(({ id }) => id !== 'record-without-ref');
  const sum = wrap(sumText(lines, isComplete), width);
  return [
    ...table(columns, rows, width, style.dim),
    '',
    ...(lost.length === 0 ? sum : [...lost.map(style.red), ...sum.map(style.red)]),
  ];
}

function sumText(lines: readonly LedgerLine[], isComplete: boolean): string {
  const counts = ledgerCounts(lines);
  const text = fates.filter((id) => counts[id] > 0).map((id) => `${counts[id]} ${id}`);
  return `${counted(lines.length, 'commit')}: ${text.join(', ')}.${counts.lost === 0 && isComplete ? ' Nothing is lost.' : ''}`;
}

function fateText(fate: Fate): string {
  switch (fate.id) {
    case 'landed':
      return fate.byHand === true
        ? `merged by hand, below ${shortCommit(fate.by)}`
        : `with ${shortCommit(fate.by)}`;
    case 'superseded': {
      if ('task' in fate) return `${fate.task} was chosen; still on ${shortRef(fate.ref)}`;
      const by = `by ${shortCommit(fate.by)}`;
      return fate.gone === undefined ? by : `${by}; its branch ${fate.gone} is gone`;
    }
    case 'returned': {
      const to = fate.to === 'person' ? 'left to you' : `tried again by attempt ${fate.to}`;
      const why = fate.why === undefined ? '' : `: ${explain(fate.why).what}`;
      return `on ${shortRef(fate.ref)}, ${to}${why}`;
    }
    case 'delivered':
      return fate.url === undefined ? `as ${fate.branch}` : `as ${fate.branch}, ${fate.url}`;
    case 'waiting':
      return `on ${shortRef(fate.ref)}`;
    case 'dropped': {
      const landed = `it landed with ${shortCommit(fate.by)}, which ${fate.target} of this clone does not contain`;
      return fate.ref === undefined ? landed : `${landed}; still on ${shortRef(fate.ref)}`;
    }
    case 'lost':
      return fate.why.replace(/\b[0-9a-f]{40,64}\b/g, shortCommit);
  }
}

const shortRef = (ref: string): string => ref.replace(/^refs\/heads\//, '');
