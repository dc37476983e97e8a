import type { StateCounts, TaskState } from '../../model/task-record.ts';
import { glyphOf, outcomeGlyphs, paintName, stateOrder } from '../format/glyph.ts';
import type { Style } from '../format/style.ts';
import { blockedCauses, blockedTexts } from './blocked.ts';
import type { BlockedCause } from './state.ts';

/** Fields that decide the shown state of a task. `TaskView` and its JSON in the page both have them. */
type ShownState = MayStop &
  (
    | { readonly state: 'open'; readonly waits?: readonly { readonly text: string }[] }
    | { readonly state: 'canceled'; readonly failure: { readonly kind: string } }
    | { readonly state: 'blocked'; readonly cause: 'parent'; readonly parent: string }
    | { readonly state: 'blocked'; readonly cause: Exclude<BlockedCause, 'parent'> }
    | { readonly state: 'working'; readonly agentStarts?: string }
    | { readonly state: Exclude<TaskState, 'open' | 'canceled' | 'blocked' | 'working'> }
  );

/** `leftBehind`: the run of its attempt has ended or died. */
interface MayStop {
  readonly state: TaskState;
  readonly leftBehind?: boolean;
}

/** States in which something runs. In a run that has ended or died, nothing does. */
const runningStates: readonly TaskState[] = [
  'working',
  'claimed',
  'gating',
  'reviewing',
  'landing',
];

/** True if people read `stopped` in place of the state: its run is over. */
export function isStopped({ state, leftBehind }: MayStop): boolean {
  return leftBehind === true && runningStates.includes(state);
}

/** States in which tasks are stopped: those in which something runs, if the runs of all such tasks are over. */
function stoppedStates(tasks: readonly MayStop[]): readonly TaskState[] {
  const running = tasks.filter(({ state }) => runningStates.includes(state));
  return running.length > 0 && running.every(isStopped) ? runningStates : [];
}

/** How people read the counts of tasks. */
export interface CountedPhases {
  /** States whose tasks count as `stopped`: those in which something runs, if the runs of all such tasks are over. */
  readonly stopped: readonly TaskState[];
  /** Number of tasks counted as `working` whose worktree is being prepared: no agent has started. */
  readonly preparing: number;
}

/** Facts about single tasks that change how their states are counted, from the tasks that count. */
export function phasesOf(counted: readonly MayPrepare[]): CountedPhases {
  return { stopped: stoppedStates(counted), preparing: counted.filter(isPreparing).length };
}

/** Fields that decide whether a task counts as `preparing`. */
interface MayPrepare extends MayStop {
  readonly agentStarts?: string;
}

function isPreparing(view: MayPrepare): boolean {
  return view.state === 'working' && view.agentStarts !== undefined && !isStopped(view);
}

/**
 * State of a task as people read it: the cause in place of `blocked` or `canceled`, `preparing` before its agent has
 * started, `stopped` if its run is over.
 */
export function stateText(view: ShownState): string {
  if (isStopped(view)) return 'stopped';
  if (isPreparing(view)) return 'preparing';
  if (view.state === 'open' && view.waits !== undefined) {
    return `waits for ${view.waits.map(({ text }) => text).join(' and ')}`;
  }
  if (view.state === 'canceled' && view.failure.kind === 'superseded') return 'superseded';
  if (view.state !== 'blocked') return view.state;
  if (view.cause === 'parent') return `waiting behind ${view.parent}`;
  return blockedTexts[view.cause];
}

interface Counted {
  readonly counts: StateCounts;
  /** Blocked tasks by cause; without a cause they count together. */
  readonly blocked: Readonly<Partial<Record<BlockedCause, number>>>;
  /** See `CountedPhases`. */
  readonly stopped: readonly string[];
  readonly preparing: number;
}

/** A state with the number of its tasks, and the text for both. */
interface CountedState extends MayStop {
  readonly count: number;
  readonly text: string;
}

/** States with tasks, in order; blocked tasks by their cause, tasks whose run is over together, preparing ones apart. */
export function countedStates({
  counts,
  blocked,
  stopped,
  preparing,
}: Counted): readonly CountedState[] {
  const sum = stateOrder.reduce(
    (all, one) => all + (stopped.includes(one) ? (counts[one] ?? 0) : 0),
    0,
  );
  return stateOrder.flatMap((state): CountedState[] => {
    if (stopped.includes(state)) {
      const all = { state, leftBehind: true, count: sum, text: 'stopped' };
      return state === 'working' && sum > 0 ? [all] : [];
    }
    const known = state === 'blocked' ? blockedCauses.filter((cause) => blocked[cause]) : [];
    if (known.length > 0) {
      return known.map((cause) => ({
        state,
        count: blocked[cause] ?? 0,
        text: blockedTexts[cause],
      }));
    }
    const count = counts[state] ?? 0;
    const before = state === 'working' ? Math.min(preparing, count) : 0;
    return [
      { state, count: count - before, text: state },
      { state, count: before, text: 'preparing' },
    ].filter((one) => one.count > 0);
  });
}

/** Glyph of the state that `stateText` names. */
export function stateGlyph(view: MayStop): string {
  return isStopped(view) ? outcomeGlyphs.incomplete : glyphOf(view.state);
}

/** Paint of the state that `stateText` names. */
export function statePaint(view: MayStop): keyof Style {
  return isStopped(view) ? 'yellow' : paintName(view.state);
}
