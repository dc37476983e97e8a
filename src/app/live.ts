import { limits } from '../model/limits.ts';
import { answerDeadline, newTasksDeadline } from '../plan/wait-or-stop.ts';
import type { LastAction, WorkingTurn } from '../report/view/slot.ts';
import { type View, viewOf } from '../report/view/view.ts';
import type { Project } from './ports.ts';
import type { Run } from './run.ts';
import { liveSnapshot } from './status.ts';

/** Returns the view of a run as it is at each call, from memory, for displays that are drawn often. */
export async function liveViews(
  { lastActions, clock }: Pick<Project, 'lastActions' | 'clock'>,
  { id, state }: Pick<Run, 'id' | 'state'>,
): Promise<() => View> {
  const action = readAtTimes(await lastActions(), clock.now);
  return () => viewOf(liveSnapshot(state, id, action), clock.now());
}

type ReadAction = (turn: WorkingTurn) => LastAction | undefined;

/** Limits how often the reader is called for each turn. */
function readAtTimes(read: ReadAction, clock: () => number): ReadAction {
  let known = new Map<string, { readonly at: number; readonly action: LastAction | undefined }>();
  return (turn) => {
    const key = `${turn.branch} ${turn.turn}`;
    const now = clock();
    const before = known.get(key);
    if (before !== undefined && now - before.at < limits.lastActionMs) return before.action;
    const action = read(turn);
    known = new Map([...known].filter(([, { at }]) => now - at < limits.lastActionMs));
    known.set(key, { at: now, action });
    return action;
  };
}

/** Tells what an idle run waits for, and until when; undefined if it does not wait. */
export function waitOf(
  { id, state }: Pick<Run, 'id' | 'state'>,
  now: number,
): { readonly for: 'answers' | 'tasks'; readonly until: number } | undefined {
  const run = state.run(id);
  const live = [...state.live].flatMap((task) => state.task(task) ?? []);
  const answers = answerDeadline(live);
  const tasks =
    run === undefined || live.length > 0 ? 0 : newTasksDeadline(run, state.waiting.size > 0);
  const until = Math.max(answers, tasks);
  if (state.ready.size > 0 || now >= until) return undefined;
  return { for: answers > 0 ? 'answers' : 'tasks', until };
}
