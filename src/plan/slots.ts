import { slotOf } from '../model/attempt.ts';
import type { Command } from '../model/command.ts';
import { branchOf } from '../worktree/branch.ts';
import { limits } from './limits.ts';
import { blameUnclear } from './next.ts';
import type { RunRecord, TaskRecord } from './record.ts';
import { mayStartAgain } from './retry.ts';
import type { State } from './state.ts';
import { startsSpent } from './stop.ts';

/** What the free slots should do: attempts that came back first, then ready tasks, in the order of the ready queue. */
export function fillSlots(
  state: State,
  run: RunRecord,
  live: readonly TaskRecord[],
  now: number,
): readonly Command[] {
  const free = freeSlots(run, live);
  let starts = startsLeft(run, live);
  const commands: Command[] = [];
  for (const record of returned(live, run)) {
    if (starts <= 0) break;
    const slot = free.shift();
    if (slot === undefined) break;
    starts -= 1;
    const { number, turns } = record.attempt;
    const of = { id: record.task.id, attempt: number };
    commands.push({ type: 'begin-turn', ...of, turn: turns + 1, slot });
  }
  const taken = new Set<string>();
  let room = run.settings.pool - live.length;
  while (starts > 0 && room > 0 && free.length > 0) {
    const id = state.ready.take(now, limits.readyAgeMs, (candidate) => !taken.has(candidate));
    const record = id === undefined ? undefined : state.task(id);
    const slot = free[0];
    if (record === undefined || slot === undefined) break;
    free.shift();
    starts -= 1;
    room -= 1;
    taken.add(record.task.id);
    commands.push(claim(record, run, slot));
  }
  return commands;
}

function claim(record: TaskRecord, run: RunRecord, slot: number): Command {
  const attempt = record.attempts + 1;
  const { id } = record.task;
  const agent = record.task.agent ?? run.settings.agent;
  return { type: 'claim', id, attempt, slot, agent, branch: branchOf(run.id, id, attempt) };
}

/** Slots nobody holds and that have not been closed by errors in a row, lowest first. */
function freeSlots(run: RunRecord, live: readonly TaskRecord[]): number[] {
  const held = new Set(live.map((record) => record.attempt && slotOf(record.attempt.state)));
  const free: number[] = [];
  for (let slot = 1; slot <= run.settings.jobs; slot += 1) {
    const errors = run.slotErrors[slot - 1] ?? 0;
    if (!held.has(slot) && errors < run.settings.slotErrors) free.push(slot);
  }
  return free;
}

/** Agent starts the run may still have; those that are certain to come are reserved. */
function startsLeft(run: RunRecord, live: readonly TaskRecord[]): number {
  const { maxAttempts } = run.settings;
  if (maxAttempts === undefined) return Number.POSITIVE_INFINITY;
  const reserved = live.filter((record) => {
    const id = record.attempt?.state.id;
    return id === 'preparing' || id === 'prepared';
  }).length;
  return maxAttempts - startsSpent(run) - reserved;
}

type Live = TaskRecord & { readonly attempt: NonNullable<TaskRecord['attempt']> };

function returned(live: readonly TaskRecord[], run: RunRecord): readonly Live[] {
  return live
    .filter((record): record is Live => record.attempt?.state.id === 'returned')
    .filter((record) => record.standing.id === 'open' && mayStartAgain(record, run))
    .filter((record) => !blameUnclear(record.attempt, run))
    .sort((a, b) => a.task.priority - b.task.priority || a.order - b.order);
}

/** Whether anything waits for a slot: the run would start it if nothing forbade it. */
export function wantsToStart(state: State, run: RunRecord, live: readonly TaskRecord[]): boolean {
  return state.ready.size > 0 || returned(live, run).length > 0;
}
