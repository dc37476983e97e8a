import type { Git } from '../git/git.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import type { Task } from '../model/task.ts';
import type { State } from '../plan/state.ts';
import type { Ports, RunContext } from './context.ts';

/** Where an attempt begins: the commit its worktree is pointed to, and what its work is held against. */
export interface Start {
  readonly at: string;
  readonly base: string;
}

/**
 * The target's tip; on top of it what its parents have handed over without landing; or what a person has made of the
 * task already.
 */
export async function startOf(
  { git }: Ports,
  context: RunContext,
  state: State,
  task: Task,
): Promise<Result<Start>> {
  const tip = await git.resolve(`refs/heads/${context.target}`);
  if (!tip.ok) return tip;
  if (tip.value === undefined) return fail({ kind: 'target-missing', branch: context.target });
  const handedIn = state.task(task.id)?.handedIn;
  if (handedIn !== undefined) {
    const common = await git.mergeBase(tip.value, handedIn.commit);
    return common.ok ? ok({ at: handedIn.commit, base: common.value ?? tip.value }) : common;
  }
  const stacked = await stackedOn(git, state, task, tip.value);
  return stacked.ok ? ok({ at: stacked.value, base: stacked.value }) : stacked;
}

async function stackedOn(git: Git, state: State, task: Task, tip: string): Promise<Result<string>> {
  let at = tip;
  for (const parent of task.after) {
    const status = state.task(parent)?.status;
    if (status?.id !== 'delivered') continue;
    const inside = await git.isAncestor(status.commit, at);
    if (!inside.ok) return inside;
    if (inside.value) continue;
    const above = await git.isAncestor(at, status.commit);
    if (!above.ok) return above;
    if (above.value) {
      at = status.commit;
      continue;
    }
    const merged = await git.merge(at, status.commit);
    if (!merged.ok) return merged;
    if (merged.value.id !== 'clean') {
      const files = merged.value.id === 'conflict' ? merged.value.files : [];
      return fail({ kind: 'conflict', files, target: at, branch: status.branch });
    }
    const message = `Base of ${task.id}: ${status.branch}\n`;
    const made = await git.commitTree(merged.value.tree, [at, status.commit], message);
    if (!made.ok) return made;
    at = made.value;
  }
  return ok(at);
}
