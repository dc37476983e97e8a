import { tamperings } from '../guard/tampering-list.ts';
import { BRANCHES, keepRefOf } from '../model/branch.ts';
import type { Work } from '../model/command.ts';
import type { EventBody } from '../model/event.ts';
import { ok, type Result } from '../model/failure.ts';
import { outcomeOf, settled } from '../model/trouble.ts';
import type { Tampering } from '../model/violation.ts';
import { withoutFilesIn, withoutReported } from '../plan/user-change.ts';
import type { Git } from '../port/git.ts';
import { hold, strayNames } from '../worktree/save.ts';
import { liveAttempts, of } from './attempt.ts';
import type { Ports, RunContext } from './context.ts';
import { takenTarget } from './taken-target.ts';

interface Watched<T> {
  readonly value: T;
  readonly found: readonly Tampering[];
  /** The agent moved the target, and it stays there. */
  readonly moved: readonly EventBody[];
}

/**
 * Compares everything outside the worktrees before and after an agent works. Changes in the user's checkout are
 * reported once per run. If several agents work at once it is unknown which one made a change, so it is reported for
 * each of them. In a sandbox no agent can change anything there.
 */
export async function watched<T>(
  ports: Ports,
  context: RunContext,
  work: Work,
  run: () => Promise<T>,
): Promise<Watched<T>> {
  if (context.confined) return { value: await run(), found: [], moved: [] };
  const { guard, git, store } = ports;
  const { attempt } = work;
  const before = await guard.snapshot(true);
  const value = await run();
  const [seen, lost] = await Promise.all([guard.snapshot(), lostObjects(ports, context, work)]);
  // A worker has copies of the target and of branches, which are older than what the run knows.
  const isCopy = context.worker !== undefined;
  const taken = isCopy ? undefined : await takenTarget(ports, context, { seen, only: work });
  const isBack = taken?.id === 'put-back';
  const after = isBack ? await guard.snapshot() : seen;
  const own = [`refs/heads/${attempt.branch}`, keepRefOf(attempt.branch)];
  // Landings move the target, and other agents move their own branches; branches of waiting work must not move.
  const expected = [`refs/heads/${context.target}`, BRANCHES, 'refs/yard/', 'refs/remotes/'];
  // Asked late, because another turn may have reported the same a moment ago.
  const known = await store.run(context.run);
  const reported = new Set(known.ok ? known.value?.reported.userChanges : []);
  // The engine itself moves tickets of these sources.
  const tickets = (known.ok ? known.value?.settings.writeBack : undefined) ?? [];
  const found = [
    ...(isBack ? [taken.found] : []),
    ...tamperings(before, after, own, expected)
      .map((one) => withoutFilesIn(one, tickets))
      .flatMap((one) => withoutReported(one, reported)),
    ...lost,
    ...(isCopy ? [] : await movedWhileWaiting(git, await liveAttempts(store, context.run))),
  ];
  return { value, found, moved: taken?.id === 'stays' ? [taken.event] : [] };
}

/** Objects that git needs for the target, or the base of the work, and cannot read any more. */
async function lostObjects(
  { git, store }: Ports,
  { run, worker }: RunContext,
  { attempt }: Work,
): Promise<readonly Tampering[]> {
  const known = await store.run(run);
  const tip = known.ok && worker === undefined ? known.value?.target.tip : undefined;
  const commit = tip ?? attempt.worktree?.base;
  const missing = commit === undefined ? ok(undefined) : await outcomeOf(git.missingObject(commit));
  const object = missing.ok ? missing.value : undefined;
  return object === undefined ? [] : [{ kind: 'objects-deleted', object }];
}

/** Branches of waiting work that no longer point to that work. */
async function movedWhileWaiting(git: Git, live: readonly Work[]): Promise<readonly Tampering[]> {
  const moved: Tampering[] = [];
  for (const { attempt } of live) {
    const at = attempt.state;
    if (!['queued', 'awaiting', 'unreviewed', 'finished'].includes(at.id) || !('commit' in at))
      continue;
    const ref = `refs/heads/${attempt.branch}`;
    const now = await outcomeOf(git.resolve(ref));
    if (!now.ok || now.value === at.commit) continue;
    moved.push({ kind: 'ref-moved', ref, from: at.commit, to: now.value });
  }
  return moved;
}

/**
 * Resets the worktree of returned work to the captured commit: anything else in it comes from a gate, a reviewer or
 * an unknown source. An unknown source is reported.
 */
export async function restoreWorktree(
  ports: Ports,
  context: RunContext,
  work: Work,
): Promise<readonly EventBody[]> {
  const { attempt } = work;
  const dir = attempt.worktree?.dir;
  const kept = await outcomeOf(ports.git.resolve(keepRefOf(attempt.branch)));
  if (dir === undefined || !kept.ok || kept.value === undefined) return [];
  const seen = await touched(ports, context, work, kept.value);
  const keep = keepRefOf(attempt.branch);
  const saved =
    seen.length > 0 ? await settled(saveChanges(ports.git, dir, keep, kept.value)) : ok(undefined);
  // What could not be saved stays where it is.
  if (!saved.ok) return seen;
  await outcomeOf(ports.git.point(dir, kept.value, attempt.branch));
  return seen;
}

/** Unknown changes may be someone's work: they get a ref of their own before they are removed. */
async function saveChanges(
  git: Git,
  dir: string,
  keep: string,
  kept: string,
): Promise<Result<unknown>> {
  const found = await git.commitAll(dir, 'Found in the worktree of a waiting attempt\n');
  return found === kept ? ok(undefined) : hold(git, strayNames(keep), found);
}

/**
 * Reports a worktree of captured work that was changed. What lands is the captured commit, so the change does no
 * harm. A gate that ran there may have left files.
 */
async function touched(
  { git }: Ports,
  context: RunContext,
  { task, attempt }: Work,
  commit: string,
): Promise<readonly EventBody[]> {
  const dir = attempt.worktree?.dir;
  if (dir === undefined) return [];
  const status = await outcomeOf(git.status(dir));
  if (!status.ok) return [];
  const { head, dirty } = status.value;
  if (head === commit && !(dirty && attempt.captured?.judged === false)) return [];
  return tamperingSeen(context, { task, attempt }, attempt.conversation.turns, [
    { kind: 'worktree-changed', task: task.id, dir },
  ]);
}

/** Returns the event that reports tampering during a turn, if there was any. */
export function tamperingSeen(
  context: RunContext,
  work: Work,
  turn: number,
  found: readonly Tampering[],
): readonly EventBody[] {
  return found.length === 0 ? [] : [{ type: 'tampering-seen', ...of(context, work), turn, found }];
}
