import { partIn } from '../../history/attempt-history.ts';
import { type AttemptRecord, endedAt, type Outcome } from '../../model/history.ts';
import type { GatedWork, GateRun, QueueStep } from '../../model/queue-history.ts';
import { endOf, type RunRecord } from '../../model/run-record.ts';
import type { TaskRecord } from '../../model/task-record.ts';
import { type Segment, scaleOf } from './scale.ts';

/** Kinds of bars: what the work of a task did or waited for. */
type BarKind = 'turn' | 'call' | 'gate' | 'queued' | 'held';

export interface Bar {
  readonly kind: BarKind;
  /** Tasks that it is about: several for the gate of a candidate, none for one of the target. */
  readonly tasks: readonly string[];
  readonly attempt?: number;
  readonly from: number;
  /** The time of the timeline's end for an open bar. */
  readonly to: number;
  readonly isOpen: boolean;
  readonly outcome: BarOutcome;
  /** Turn 2, review, or candidate c3: 2 of 4. */
  readonly label: string;
}

/** Outcome of the turn, answer of the call or verdict of the gate; `open` has none yet. */
export type BarOutcome =
  | Outcome
  | NonNullable<AttemptRecord['calls'][number]['end']>['answer']
  | GateRun['verdict']
  | 'open';

/** A row of bars, in order of their start: of a slot, a gate slot, the gate of the target, or a task. */
export interface TimelineRow {
  readonly id: string;
  readonly kind: 'slot' | 'gate' | 'target' | 'task';
  readonly label: string;
  readonly bars: readonly Bar[];
}

/** Gantt chart of a run, as data. */
export interface Timeline {
  readonly from: number;
  readonly to: number;
  readonly rows: readonly TimelineRow[];
  readonly scale: readonly Segment[];
}

interface TimelineSource {
  readonly run: RunRecord;
  readonly attempts: readonly AttemptRecord[];
  readonly queue: readonly QueueStep[];
  /** Tasks with a live attempt: they say which branch is in its gate, and what a person holds. */
  readonly live?: readonly TaskRecord[];
}

export interface TimelineOptions {
  /** End of what is open in a run that has not ended; see `clockOf`. */
  readonly now: number;
  readonly rows: 'slots' | 'tasks';
  /** Gives less room to stretches in which nothing happened. */
  readonly squeeze: boolean;
}

export function timelineOf(source: TimelineSource, options: TimelineOptions): Timeline {
  const { run } = source;
  const to = Math.max(run.startedAt, endOf(run) ?? options.now);
  const bars = [
    ...source.attempts.flatMap((attempt) => attemptBars(partIn(attempt, run.id), to)),
    ...source.queue.flatMap(gateBars),
    ...runningGates(run, source.live ?? [], to),
    ...(source.live ?? []).flatMap((task) => heldBars(task, run.id, to)),
  ].sort((a, b) => a.bar.from - b.bar.from);
  const from = bars.reduce((least, { bar }) => Math.min(least, bar.from), run.startedAt);
  const spans = bars.flatMap(({ bar }) => (bar.kind === 'queued' ? [] : [bar]));
  return {
    from,
    to,
    rows: options.rows === 'slots' ? slotRows(bars) : taskRows(bars),
    scale: scaleOf(spans, { from, to }, options.squeeze),
  };
}

/** A bar with the row it belongs to; waiting belongs to no slot. */
interface Placed {
  readonly bar: Bar;
  readonly row?: { readonly kind: 'slot' | 'gate' | 'target'; readonly number: number };
}

function attemptBars(attempt: AttemptRecord, until: number): readonly Placed[] {
  const { task, number, turns, calls } = attempt;
  const of = { tasks: [task], attempt: number };
  const last = endedAt(attempt) ?? until;
  const ended = (at: number | undefined) => ({ to: at ?? last, isOpen: at === undefined });
  const row = (slot: number) => ({ kind: 'slot' as const, number: slot });
  return [
    ...turns.map(({ turn, slot, startedAt, end, outcome }): Placed => {
      const span = { from: startedAt, ...ended(end?.at) };
      return {
        row: row(slot),
        bar: { kind: 'turn', ...of, ...span, outcome, label: `turn ${turn}` },
      };
    }),
    ...calls.map(({ kind, agent, slot, startedAt, end }): Placed => {
      const span = { from: startedAt, ...ended(end?.at) };
      const label = `${kind} by ${agent}`;
      return {
        row: row(slot),
        bar: { kind: 'call', ...of, ...span, outcome: end?.answer ?? 'open', label },
      };
    }),
    ...queuedBars(attempt, until).map((bar) => ({ bar })),
  ].map(sound);
}

/** From each capture of the work to its next turn, its landing or its end. */
function queuedBars(attempt: AttemptRecord, until: number): readonly Bar[] {
  const { task, number, captures, turns, end } = attempt;
  return captures.flatMap(({ at }, place): Bar[] => {
    const next = [
      ...turns.map(({ startedAt }) => startedAt),
      captures[place + 1]?.at,
      endedAt(attempt),
    ].filter((one) => one !== undefined && one >= at);
    const to = next.reduce<number | undefined>(
      (least, one) => Math.min(least ?? Number.POSITIVE_INFINITY, one ?? 0),
      undefined,
    );
    if (to === at) return [];
    const outcome = to === undefined ? 'open' : outcomeOfWait(end, to);
    const span = { from: at, to: to ?? until, isOpen: to === undefined };
    return [
      { kind: 'queued', tasks: [task], attempt: number, ...span, outcome, label: 'waits to land' },
    ];
  });
}

function outcomeOfWait(end: AttemptRecord['end'], to: number): BarOutcome {
  return (end.id === 'landed' || end.id === 'delivered') && end.at === to ? end.id : 'returned';
}

function gateBars({ at, what }: QueueStep): readonly Placed[] {
  if (what.type !== 'gated' || what.run.cached) return [];
  const { work, slot, since, verdict } = what.run;
  const span = { from: since, to: at, isOpen: false };
  return [gateBar(work, slot, span, verdict)].map(sound);
}

function gateBar(
  work: GatedWork,
  slot: number | undefined,
  span: Pick<Bar, 'from' | 'to' | 'isOpen'>,
  outcome: BarOutcome,
): Placed {
  const row = work.id === 'target' ? { kind: 'target' as const, number: 0 } : undefined;
  return {
    // Stored gate slots count from 0; shown ones from 1.
    row: row ?? { kind: 'gate', number: slot === undefined ? 0 : slot + 1 },
    bar: {
      kind: 'gate',
      tasks: work.id === 'candidate' ? work.tasks : work.id === 'branch' ? [work.task] : [],
      attempt: work.id === 'branch' ? work.attempt : undefined,
      ...span,
      outcome,
      label: gateLabel(work),
    },
  };
}

function gateLabel(work: GatedWork): string {
  switch (work.id) {
    case 'branch':
      return 'gate of its branch';
    case 'target':
      return `gate of the target at ${work.commit.slice(0, 7)}`;
    case 'candidate': {
      const part = work.tasks.length < work.of ? `: first ${work.tasks.length} of ${work.of}` : '';
      return `gate of ${work.candidate}${part}`;
    }
  }
}

/** Gates that run now; those of branches are in the records of their tasks. */
function runningGates(
  run: RunRecord,
  live: readonly TaskRecord[],
  until: number,
): readonly Placed[] {
  if (endOf(run) !== undefined) return [];
  const open = (from: number) => ({ from, to: until, isOpen: true });
  const { runningGates: gates, candidates } = run.train;
  const { check } = run.target;
  const branches = live.flatMap(({ task, attempt }) => {
    if (attempt?.run !== run.id || attempt.state.id !== 'gating') return [];
    const { gate } = attempt.state;
    const work: GatedWork = { id: 'branch', task: task.id, attempt: attempt.number };
    return gate === undefined ? [] : [gateBar(work, gate.slot, open(gate.since), 'open')];
  });
  return [
    ...gates.map(({ candidate, count, slot, since }) => {
      const entries = candidates.find(({ id }) => id === candidate)?.entries ?? [];
      const tasks = entries.slice(0, count).map(({ id }) => id);
      const work: GatedWork = { id: 'candidate', candidate, tasks, of: entries.length };
      return gateBar(work, slot, open(since), 'open');
    }),
    ...branches,
    ...(check === undefined
      ? []
      : [gateBar({ id: 'target', commit: check.commit }, undefined, open(check.since), 'open')]),
  ].map(sound);
}

function heldBars({ task, attempt }: TaskRecord, run: string, until: number): readonly Placed[] {
  if (attempt?.run !== run || attempt.state.id !== 'held') return [];
  const { since, slot } = attempt.state;
  const span = { from: since, to: until, isOpen: true };
  const label = 'a person works in its worktree';
  const of = { tasks: [task.id], attempt: attempt.number };
  const bar: Bar = { kind: 'held', ...of, ...span, outcome: 'open', label };
  const row = slot === undefined ? undefined : { kind: 'slot' as const, number: slot };
  return [sound({ bar, row })];
}

/** No bar ends before it starts, whatever the log says. */
function sound({ bar, ...rest }: Placed): Placed {
  return { ...rest, bar: { ...bar, to: Math.max(bar.from, bar.to) } };
}

const rowOrder = ['slot', 'gate', 'target'] as const;

function slotRows(placed: readonly Placed[]): readonly TimelineRow[] {
  const rows = new Map<string, { row: NonNullable<Placed['row']>; bars: Bar[] }>();
  for (const { row, bar } of placed) {
    if (row === undefined) continue;
    const key = `${row.kind} ${row.number}`;
    const known = rows.get(key);
    if (known === undefined) rows.set(key, { row, bars: [bar] });
    else known.bars.push(bar);
  }
  return [...rows]
    .sort(
      ([, { row: a }], [, { row: b }]) =>
        rowOrder.indexOf(a.kind) - rowOrder.indexOf(b.kind) || a.number - b.number,
    )
    .map(([id, { row, bars }]) => ({ id, kind: row.kind, label: rowLabel(row), bars }));
}

function rowLabel({ kind, number }: NonNullable<Placed['row']>): string {
  return kind === 'target' ? 'target' : `${kind} ${number === 0 ? '?' : number}`;
}

/** A row for each task, in the order of their first bars. */
function taskRows(placed: readonly Placed[]): readonly TimelineRow[] {
  const rows = new Map<string, Bar[]>();
  for (const { bar } of placed) {
    for (const task of bar.tasks) {
      const bars = rows.get(task);
      if (bars === undefined) rows.set(task, [bar]);
      else bars.push(bar);
    }
  }
  return [...rows].map(([task, bars]) => ({ id: task, kind: 'task', label: task, bars }));
}
