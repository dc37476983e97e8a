import type { Attempt, AttemptState, PlainState } from '../../model/attempt.ts';
import { slotOf, waitsForGate } from '../../model/attempt-state.ts';
import { type CallKind, callPhases } from '../../model/call.ts';
import { hasEnded, type RunRecord } from '../../model/run-record.ts';
import type { TaskRecord } from '../../model/task-record.ts';
import type { WorkSize } from '../../model/work-size.ts';
import { type SlotStatus, slotStatus } from '../../plan/free-slots.ts';

export type SlotView = {
  readonly slot: number;
  /** New work starts only in an open slot. Work that runs there ends its turn in any case. */
  readonly status: SlotStatus;
  readonly worker?: string;
} & ({ readonly phase: 'idle' } | BusySlot);

interface BusySlot {
  readonly phase: Phase;
  readonly task: string;
  readonly attempt: number;
  /** 0 before the first turn. */
  readonly turn: number;
  readonly waitsForGate: boolean;
  readonly since: number;
  readonly agent: string;
  readonly model?: string;
  readonly reasoning?: string;
  readonly round?: number;
  readonly branch: string;
  readonly worktree?: string;
  /** Newest step of a working agent. */
  readonly lastAction?: Pick<LastAction, 'text' | 'at'>;
  /** Bytes that a working agent printed in each of the last spans of time, oldest first, if that was watched. */
  readonly activity?: readonly number[];
  /** Size of the work: as it is in the worktree now if that was counted, else of the newest that was captured. */
  readonly changes?: WorkSize;
}

export interface LastAction {
  readonly text: string;
  readonly at: number;
  /** Size of the agent's output so far. */
  readonly bytes: number;
  readonly activity?: readonly number[];
}

/** Newest steps of working agents, by branch. */
export type LastActions = ReadonlyMap<string, LastAction>;

export type WorkSizes = ReadonlyMap<string, WorkSize>;

/** A worktree on this machine whose files change now. */
export interface BusyWorktree {
  readonly branch: string;
  readonly dir: string;
  /** Commit that the work is compared with: its first base, or the newest target commit that was merged into it. */
  readonly base: string;
}

/** Worktrees in which an agent or a person works; those of workers are on other machines. */
export function busyWorktrees(
  records: readonly TaskRecord[],
  run: RunRecord,
): readonly BusyWorktree[] {
  if (hasEnded(run)) return [];
  return records.flatMap(({ attempt }) => {
    if (attempt?.run !== run.id || !changesFiles(attempt.state)) return [];
    const { branch, worktree, worker, captured, returns } = attempt;
    if (worktree === undefined || worker !== undefined) return [];
    const merged = returns.merged?.id === 'none' ? undefined : returns.merged?.onto;
    return [{ branch, dir: worktree.dir, base: merged || captured?.base || worktree.base }];
  });
}

/** True until the work is captured. */
const changesFiles = ({ id }: AttemptState): boolean =>
  id === 'working' || id === 'held' || id === 'capturing';

interface WorkingTurn {
  readonly branch: string;
  readonly turn: number;
}

export function workingIn(records: readonly TaskRecord[], run: RunRecord): readonly WorkingTurn[] {
  if (hasEnded(run)) return [];
  return records.flatMap(({ attempt }) =>
    attempt?.run === run.id && attempt.state.id === 'working'
      ? [{ branch: attempt.branch, turn: attempt.conversation.turns }]
      : [],
  );
}

/** Reads the newest step of a turn; returns `before` if nothing was printed since. */
export type ReadAction = (turn: WorkingTurn, before?: LastAction) => LastAction | undefined;

export function lastActionsOf(turns: readonly WorkingTurn[], read: ReadAction): LastActions {
  const actions = turns.map((turn) => [turn.branch, read(turn)] as const);
  return new Map(actions.filter((one): one is [string, LastAction] => one[1] !== undefined));
}

/** Facts about slots that are not in the records. */
export interface SlotFacts {
  readonly lastActions: LastActions;
  /** Absent if nothing was counted. */
  readonly workSizes?: WorkSizes;
}

export function slotViews(
  records: readonly TaskRecord[],
  run: RunRecord,
  { lastActions, workSizes }: SlotFacts,
  now: number,
): SlotView[] {
  if (hasEnded(run)) return [];
  const slots: SlotView[] = run.slots.map(({ worker }, at) => ({
    slot: at + 1,
    status: slotStatus(run, at + 1),
    worker,
    phase: 'idle',
  }));
  for (const { task, attempt, status } of records) {
    if (attempt === undefined || attempt.run !== run.id || status.id === 'landed') continue;
    const { state, number, conversation, branch } = attempt;
    const slot = slotOf(state);
    if (slot === undefined || slots[slot - 1] === undefined) continue;
    const since = 'since' in state ? state.since : attempt.startedAt;
    const seen = state.id === 'working' ? lastActions.get(branch) : undefined;
    const lastAction = seen && { text: seen.text, at: seen.at };
    slots[slot - 1] = {
      slot,
      status: slotStatus(run, slot),
      worker: run.slots[slot - 1]?.worker,
      phase: phaseOf(state),
      task: task.id,
      attempt: number,
      turn: conversation.turns,
      waitsForGate: waitsForGate(state),
      since: Math.min(since, now),
      ...agentOf(attempt),
      branch,
      worktree: attempt.worktree?.dir,
      lastAction,
      activity: seen?.activity,
      changes: (changesFiles(state) ? workSizes?.get(branch) : undefined) ?? sizeOf(attempt),
    };
  }
  return slots.filter(({ status, phase }) => status !== 'removed' || phase !== 'idle');
}

function sizeOf({ captured }: Attempt): BusySlot['changes'] {
  if (captured?.changes === undefined) return undefined;
  const { count, added, removed } = captured.changes;
  return { count, added, removed };
}

type Phase = PlainState['id'] | (typeof callPhases)[CallKind];

function phaseOf(state: AttemptState): Phase {
  return state.id === 'calling' ? callPhases[state.call.kind] : state.id;
}

function agentOf(attempt: Attempt) {
  const { state } = attempt;
  if (state.id !== 'calling') {
    const { agent, conversation } = attempt;
    const { model, reasoning } = conversation;
    return { agent, model, reasoning };
  }
  const { call, model, reasoning } = state;
  return { agent: call.agent, round: call.round, model, reasoning };
}
